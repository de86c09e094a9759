"""The examples in docstrings and in the site's pages run and show what they say."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import quiltrail

ROOT = Path(__file__).parents[2]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def _modules_with_examples() -> list[str]:
    found = []
    for module in pkgutil.walk_packages(quiltrail.__path__, "quiltrail."):
        path = Path(getattr(module.module_finder, "path", "")) / module.name.rpartition(".")[2]
        file = path / "__init__.py" if module.ispkg else path.with_suffix(".py")
        if ">>>" in file.read_text(encoding="utf-8"):
            found.append(module.name)
    return found


def _pages_with_examples() -> list[Path]:
    pages = [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/guides").glob("*.md"))]
    return [page for page in pages if ">>>" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", _modules_with_examples())
def test_examples_of_docstrings_run(name: str) -> None:
    assert doctest.testmod(import_module(name), optionflags=FLAGS).failed == 0


@pytest.mark.parametrize("page", _pages_with_examples(), ids=lambda page: page.stem)
def test_examples_of_pages_run(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    text = "\n".join("" if line.startswith("```") else line for line in lines)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner(optionflags=FLAGS).run(test).failed == 0
