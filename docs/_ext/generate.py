"""Make the pages that have no source of their own, from the code they describe."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pictures
import typer
from sphinx.ext.autodoc.mock import mock

import quiltrail
from quiltrail.cli import app as command_line
from quiltrail.envs import AEC_ENVS, GAMES, GameSpec

ROOT = Path(__file__).parents[2]

#: Package -> what it is, one page of the API reference each.
PACKAGES = {
    "core": "Core",
    "envs": "Environments",
    "wrappers": "Wrappers",
    "agents": "Agents",
    "train": "Training",
    "render": "Drawing",
    "protocol": "Protocol",
    "testing": "Testing",
    "play": "Playing",
    "bench": "Benchmark",
}
#: Documented by their pages, or import what may be missing only when they run.
NOT_IN_THE_API = ("quiltrail.cli", "quiltrail.__main__", "quiltrail.configs")
#: Optional packages that some modules import at once; nobody needs them to read about those.
MOCKED = ("ray",)
TOPICS_MARK = "@topics@"
#: Pages at the top that have their own place in the contents.
PLACED = {"index", "api", "benchmarks", "changelog", "cli", "environments", "results", "versions"}
_AEC_PAGE = "tinrail_v0"


def write_pages(docs: Path) -> None:
    """Write environment, API and command pages and the pictures; equal files stay untouched."""
    pages = {f"environments/{spec.short_name}.md": _env_page(spec) for spec in GAMES}
    pages[f"environments/{_AEC_PAGE}.md"] = _aec_page()
    for package in packages():
        pages[f"api/{package}.md"] = _api_page(package)
    pages["cli.md"] = _command_page()
    pages |= {f"pictures/{name}": text for name, text in pictures.all_pictures().items()}
    for name, text in pages.items():
        _write(docs / name, text)
    for folder in ("environments", "api", "pictures"):
        for path in (docs / folder).iterdir():
            if f"{folder}/{path.name}" not in pages:
                path.unlink()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def env_class(spec: GameSpec) -> type:
    """Return the class behind an environment id."""
    module, name = spec.entry_point.split(":")
    found: type = getattr(import_module(module), name)
    return found


def _env_page(spec: GameSpec) -> str:
    cls = env_class(spec)
    summary, _, sections = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")
    actions = spec.make_engine(1).num_actions
    facts = [
        ("id", f"`{spec.id}`"),
        ("actions", f"`Discrete({actions})`"),
        ("time limit", f"{spec.max_episode_steps:,} steps"),
        ("single", f'`gym.make("{spec.id}")`, `{cls.__module__}.{cls.__name__}`'),
        ("native batch", f'`gym.make_vec("{spec.id}", num_envs=B)`'),
    ]
    head = f"# {spec.name}\n\n{_pair(spec.short_name)}\n\n{summary}"
    return f"{head}\n\n{_table(facts)}\n\n{sections}\n"


def _aec_page() -> str:
    from quiltrail.envs.tinrail_v0 import raw_env

    summary, _, sections = inspect.cleandoc(raw_env.__doc__ or "").partition("\n\n")
    ids = ", ".join(f"`{name}`" for name in AEC_ENVS)
    head = f"# Tinrail for two agents\n\n{_pair('tinrail')}\n\nPettingZoo: {ids}"
    return f"{head}\n\n{summary}\n\n{sections}\n"


def _pair(name: str) -> str:
    """Return a picture in both themes; the page shows the one that fits."""
    return "\n".join(
        f"![a position, drawn](../pictures/{name}_{theme}.svg){{.only-{theme} width=360px}}"
        for theme in pictures.THEMES
    )


def _table(rows: list[tuple[str, str]]) -> str:
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def packages() -> list[str]:
    """Return the packages of the API reference that exist."""
    return [name for name in PACKAGES if (ROOT / "quiltrail" / name / "__init__.py").exists()]


def public_modules(package: str = "") -> list[str]:
    """Return the modules of the API reference, in or below a package of quiltrail."""
    names = ["quiltrail"]
    for found in pkgutil.walk_packages(quiltrail.__path__, "quiltrail."):
        if not found.name.startswith(NOT_IN_THE_API) and "._" not in found.name:
            names.append(found.name)
    top = f"quiltrail.{package}" if package else "quiltrail"
    return [name for name in names if name == top or name.startswith(f"{top}.")]


def _api_page(package: str) -> str:
    parts = [f"# {PACKAGES[package]}: `quiltrail.{package}`"]
    for module in public_modules(package):
        directive = f".. automodule:: {module}\n   :members:\n   :show-inheritance:"
        parts.append(f"## `{module}`\n\n```{{eval-rst}}\n{directive}\n```\n{_offered(module)}")
    return "\n\n".join(parts) + "\n"


def imported(module: str) -> ModuleType:
    """Return a module, whatever optional packages are missing."""
    with mock(list(MOCKED)):
        return import_module(module)


def _offered(module: str) -> str:
    """Return what a module offers that is defined, and documented, elsewhere."""
    found = imported(module)
    offered = {name: getattr(found, name) for name in getattr(found, "__all__", [])}
    names = [  # one may be offered under another name than it is defined
        f"{{py:obj}}`{name} <{one.__module__}.{getattr(one, '__name__', name)}>`"
        for name, one in offered.items()
        if getattr(one, "__module__", module) != module
    ]
    return f"\nAlso here: {', '.join(names)}.\n" if names else ""


def _command_page() -> str:
    """Return the help text of every sub-command."""
    commands: dict[str, Any] = typer.main.get_group(command_line).commands
    parts = ["# Command line", "`quiltrail` and `python -m quiltrail` are the same."]
    for name, command in commands.items():
        parts.append(f"## quiltrail {name}\n\n{inspect.cleandoc(command.help or '')}")
        rows = [_parameter(one) for one in command.params if one.name != "help"]
        if rows:
            parts.append(_table(rows))
    return "\n\n".join(parts) + "\n"


def _parameter(parameter: Any) -> tuple[str, str]:
    """Return a parameter's name and help; typer's classes are not published."""
    is_argument = parameter.param_type_name == "argument"
    name = parameter.name.upper() if is_argument else parameter.opts[0]
    return f"`{name}`", (parameter.help or "").replace("|", "\\|")


def name_topics(app: Any, docname: str, source: list[str]) -> None:
    """Put every page that lies at the top and has no place yet into the contents."""
    if docname == "index":
        found = {path.stem for path in Path(app.srcdir).glob("*.md")}
        source[0] = source[0].replace(TOPICS_MARK, "\n".join(sorted(found - PLACED)))


def shorten_env_docstring(
    app: Any, what: str, name: str, subject: Any, options: Any, lines: list[str]
) -> None:
    """Leave the first sentence of a docstring that is an environment's page, and refer to it."""
    if what == "class" and any(line.startswith("## ") for line in lines):
        page = next((spec.short_name for spec in GAMES if env_class(spec) is subject), _AEC_PAGE)
        lines[:] = [lines[0], "", f"Its page: :doc:`/environments/{page}`.", ""]
