"""The site builds without a warning, documents every public name, and its links lead somewhere."""

from __future__ import annotations

import inspect
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from quiltrail.envs import GAMES

pytest.importorskip("sphinx")
pytest.importorskip("furo")
pytest.importorskip("myst_parser")

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("site")
    command = ["-q", "-W", "--keep-going", "-b", "html", "-d", str(folder / "trees")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *command, str(DOCS), str(folder / "html")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def _documented(site: Path) -> set[str]:
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.load((site / "objects.inv").open("rb"), "", lambda *parts: parts[1])
    return {name for kind, names in inventory.items() if kind.startswith("py:") for name in names}


def _public_names() -> list[str]:
    """Return every public module, class and function; constants with a comment come along."""
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        import generate
    finally:
        sys.path.pop(0)
    names: list[str] = []
    for package in generate.packages():
        for module in generate.public_modules(package):
            names.append(module)
            for name, value in vars(generate.imported(module)).items():
                is_own = getattr(value, "__module__", None) == module and not name.startswith("_")
                if is_own and (inspect.isroutine(value) or inspect.isclass(value)):
                    names.append(f"{module}.{name}")
    return names


def test_every_public_name_is_documented(site: Path) -> None:
    missing = set(_public_names()) - _documented(site)
    assert not missing, f"no docstring, or not in the API reference: {sorted(missing)}"


def test_every_environment_has_its_page_in_full(site: Path) -> None:
    for spec in GAMES:
        page = (site / "environments" / f"{spec.short_name}.html").read_text(encoding="utf-8")
        for section in ("Action Space", "Observation Space", "Rewards", "Version History"):
            assert section in page, f"{spec.id}: {section}"


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {"", "top"}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value and tag != "form":
                self.links.append(value)


def test_every_link_inside_the_site_leads_somewhere(site: Path) -> None:
    pages = {}
    for path in site.rglob("*.html"):
        pages[path.resolve()] = parser = _Links()
        parser.feed(path.read_text(encoding="utf-8"))
    broken = []
    for path, parser in pages.items():
        for link in parser.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or path.name in ("search.html", "genindex.html"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[target].anchors if target in pages else None
            if not target.exists() or (anchors is not None and parts.fragment not in anchors):
                broken.append(f"{path.relative_to(site.resolve())}: {link}")
    assert not broken
