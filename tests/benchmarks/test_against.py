"""The guard against slow-downs: reading callgrind's counts and judging them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks import against
from benchmarks.against import compare, dumped, per_step


def _dump(path: Path, instructions: int) -> None:
    path.write_text(f"version: 1\nevents: Ir\nfn=x\n16 400\n\ntotals: {instructions}\n")


def test_every_second_dump_is_a_part(tmp_path: Path) -> None:
    for number, instructions in enumerate((9_000_000, 5_000, 77, 800), start=1):
        _dump(tmp_path / f"counts.{number}", instructions)
    assert per_step({"a": 50, "b": 4}, tmp_path) == {"a": 100.0, "b": 200.0}


def test_a_file_that_is_no_dump_ends_the_command(tmp_path: Path) -> None:
    path = tmp_path / "counts.2"
    path.write_text("nothing")
    with pytest.raises(SystemExit, match=r"counts\.2"):
        dumped(path)


def test_growth_beyond_the_tolerance_is_named() -> None:
    before = {"same": 100.0, "faster": 100.0, "a bit slower": 100.0, "slower": 100.0}
    after = {"same": 100.0, "faster": 50.0, "a bit slower": 102.0, "slower": 104.0, "new": 7.0}
    rows, worse = compare(before, after, tolerance=0.03)
    assert worse == ["slower"]
    assert rows[1] == "| faster | 100 | 50 | 0.500 |"
    assert rows[-1] == "| new | | 7 | |"


def test_a_slow_down_ends_with_a_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = {tmp_path: {"batch": 100.0}, against.ROOT: {"batch": 200.0}}
    monkeypatch.setattr(against, "unpacked", lambda ref: tmp_path)
    monkeypatch.setattr(against, "count", counts.__getitem__)
    monkeypatch.setattr("sys.argv", ["against", "v0"])
    with pytest.raises(SystemExit, match="3% more instructions: batch"):
        against.main()
    assert "| batch | 100 | 200 | 2.000 |" in capsys.readouterr().out


def test_an_unknown_revision_is_named() -> None:
    if subprocess.run(
        ["git", "-C", str(against.ROOT), "rev-parse"], capture_output=True
    ).returncode:
        pytest.skip("not a checkout")
    with pytest.raises(SystemExit, match="no-such-revision"):
        against.unpacked("no-such-revision")
