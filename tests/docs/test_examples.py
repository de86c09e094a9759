"""The examples in docstrings, in the README and in the site's pages run and show what they say."""

from __future__ import annotations

import doctest
import pkgutil
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import quiltrail

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/guides").glob("*.md"))]
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
    return [page for page in PAGES if ">>>" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", _modules_with_examples())
def test_examples_of_docstrings_run(name: str) -> None:
    assert doctest.testmod(import_module(name), optionflags=FLAGS).failed == 0


@pytest.mark.parametrize("page", _pages_with_examples(), ids=lambda page: page.stem)
def test_examples_of_pages_run(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    text = "\n".join("" if line.startswith("```") else line for line in lines)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner(optionflags=FLAGS).run(test).failed == 0


#: What an example does longer than a test needs.
SHORTER = {
    r"learn\([\d_]+\)": "learn(64)",
    r"num_envs=64": "num_envs=2",
    r'"patchwork", 64\)': '"patchwork", 2), n_steps=32',
    r"n_steps=64": "n_steps=32",
    r"batch_size=1024": "batch_size=32",
}
#: Needs what a page cannot bring: a language model, a server.
NOT_ALONE = ("my_model", "http://")


def _blocks() -> list[Any]:
    return [
        pytest.param(code, id=f"{page.stem}-{number}")
        for page in (ROOT / "README.md", *PAGES)
        for number, code in enumerate(
            re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        )
        if not any(one in code for one in NOT_ALONE)
    ]


@pytest.mark.parametrize("code", _blocks())
def test_blocks_of_python_run(code: str) -> None:
    for long, short in SHORTER.items():
        code = re.sub(long, short, code)
    exec(compile(code, "a block of a page", "exec"), {})
