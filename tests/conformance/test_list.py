"""docs/conformance.md names a test for each of the field's 48 known faults, and the tests exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAULTS = 48


def rows() -> dict[int, str]:
    """Return what the list says against each fault."""
    text = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (\d+) \| .+? \| (.+) \|$", text, re.MULTILINE)
    return {int(number): said for number, said in found}


def test_every_fault_has_a_test_or_a_reason() -> None:
    said = rows()
    assert sorted(said) == list(range(1, FAULTS + 1))
    for number, text in said.items():
        assert "::" in text or text.startswith("does not apply: "), f"{number}: {text}"


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", " ".join(rows().values()))
    assert len(named) > FAULTS
    for path, name in named:
        source = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert f"\ndef {name}(" in source, f"{path} has no {name}"


def test_every_wrapper_is_in_the_docs_table() -> None:
    import quiltrail.wrappers as wrappers

    text = (ROOT / "docs" / "wrappers.md").read_text(encoding="utf-8")
    faces = ("Transform", "TransformEnv", "TransformVectorEnv")
    for name in wrappers.__all__:
        is_a_part = name.endswith(("Env", "Error"))
        if name[0].isupper() and name not in faces and not is_a_part:
            assert f"| `{name}` |" in text, f"docs/wrappers.md has no line for {name}"
            assert getattr(wrappers, name).__doc__
