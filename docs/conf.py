"""Sphinx settings. Environment, API and command pages and all pictures are made from the code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import docstrings  # noqa: E402  (found through the path above)
import generate  # noqa: E402

import quiltrail  # noqa: E402

project = "quiltrail"
author = "The quiltrail developers"
version = release = quiltrail.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
default_role = "py:obj"
exclude_patterns = ["_build", "_ext"]
autodoc_mock_imports = list(generate.MOCKED)
autodoc_typehints = "signature"
autodoc_default_options = {"ignore-module-all": True}
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # the class line already lists attributes

html_theme = "furo"
html_title = f"quiltrail {version}"
html_static_path: list[str] = []


def setup(app: Any) -> None:
    """Make the generated pages before Sphinx looks for pages."""
    app.connect("config-inited", lambda _app, _config: generate.write_pages(HERE))
    app.connect("source-read", generate.name_topics)
    app.connect("autodoc-process-docstring", generate.shorten_env_docstring, priority=100)
    app.connect("autodoc-process-docstring", docstrings.to_restructured, priority=200)
