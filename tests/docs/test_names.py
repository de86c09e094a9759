"""What prose and comments name is there: files, modules, names in them, commands, options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("typer")

import typer

from quiltrail.cli import app
from quiltrail.envs import AEC_ENVS, GAMES

ROOT = Path(__file__).parents[2]
FOLDERS = ("quiltrail", "benchmarks", "docs", "examples", "tools")
WRITTEN = (".", "benchmarks", "docs", "docs/guides", "docs/rules")  # not what the site generates
PAGES = sorted(
    page
    for folder in WRITTEN
    for page in (ROOT / folder).glob("*.md")
    if page != ROOT / "docs" / "cli.md"
)
TEXTS = [*PAGES, *sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))]

_FOLDERS = "|".join((*FOLDERS, "tests"))
_FREE, _WHOLE = r"(?<![\w/.:-])", r"(?![\w<*{-])"  # no part of a longer name, no pattern
PATH = re.compile(rf"{_FREE}((?:{_FOLDERS})/[\w./-]*\w/?){_WHOLE}")
MODULE_RUN = re.compile(rf"python -m ((?:{_FOLDERS})\b[\w.]*)")
DOTTED = re.compile(rf"{_FREE}(quiltrail(?:\.(?!__)\w+)+){_WHOLE}")
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)

#: What has the looks of a path or a module and is neither.
OTHER = {spec.id for spec in GAMES} | {*AEC_ENVS, "quiltrail.key", "docs/_build/html"}


def _is_file(name: str) -> bool:
    return any((folder / name).exists() for folder in (ROOT, ROOT / "tests"))


def _is_module(name: str) -> bool:
    path = ROOT / name.rstrip(".").replace(".", "/")
    return path.with_suffix(".py").exists() or path.is_dir()


def _is_module_or_in_one(name: str) -> bool:
    """Tell so by the source, because some modules need an extra to be imported."""
    module, _, inside = name.rpartition(".")
    if not module or _is_module(name):
        return _is_module(name)
    path = ROOT / module.replace(".", "/")
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not source.exists():
        return _is_module_or_in_one(module)
    return re.search(rf"\b{inside}\b", source.read_text(encoding="utf-8")) is not None


@pytest.mark.parametrize(
    ("pattern", "is_there"),
    [(PATH, _is_file), (MODULE_RUN, _is_module), (DOTTED, _is_module_or_in_one)],
    ids=["paths", "modules that are run", "dotted names"],
)
def test_what_is_named_exists(pattern: re.Pattern[str], is_there: Callable[[str], bool]) -> None:
    named = [
        (str(file.relative_to(ROOT)), name)
        for file in TEXTS
        for name in pattern.findall(file.read_text(encoding="utf-8"))
    ]
    assert len(named) > 20
    assert not [one for one in named if one[1] not in OTHER and not is_there(one[1])]


def _commands() -> Iterator[list[str]]:
    """Yield the words of every call of `quiltrail` in the pages' console blocks."""
    for page in PAGES:
        for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
            for call in re.split(r"\n(?=\S)", block.replace("\\\n", " ")):
                words = shlex.split(call.partition(" && ")[0], comments=True)
                if words[:1] == ["quiltrail"]:
                    yield words[1:]


def test_commands_have_the_options_they_are_shown_with() -> None:
    group = typer.main.get_command(app)
    calls = list(_commands())
    assert len(calls) > 40
    for name, *words in calls:
        command = group.get_command(typer.Context(group), name)  # type: ignore[attr-defined]
        assert command is not None, f"there is no command {name}"
        command.make_parser(typer.Context(command)).parse_args(words)
