"""The hashed requirements are those of constraints.txt."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PIN = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)", re.MULTILINE)


def pins(name: str) -> dict[str, str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return {re.sub(r"[-_.]+", "-", one).lower(): version for one, version in PIN.findall(text)}


def test_the_lock_has_the_versions_of_the_constraints() -> None:
    constraints, lock = pins("constraints.txt"), pins("requirements.lock")
    assert len(lock) > 80
    both = {name for name in lock if name in constraints}
    assert {"numpy", "numba", "gymnasium", "torch", "pytest"} <= both
    wrong = {name: lock[name] for name in both if lock[name] != constraints[name]}
    assert not wrong, "run `make lock`"


def test_every_locked_package_has_a_hash() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[A-Za-z0-9])", text)[1:]
    assert len(entries) == len(pins("requirements.lock"))
    assert all("--hash=sha256:" in entry for entry in entries)
