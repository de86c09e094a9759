"""``quiltrail levels``: the list and the contact sheet."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")

from quiltrail.__main__ import main
from quiltrail.cli.levels import find_levels
from quiltrail.core.errors import UnknownNameError
from tests.render.png_reader import read_png


def _run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["quiltrail", "levels", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_levels_are_listed_and_drawn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.png"
    arguments = ["patchrook", "--count", "5", "--difficulty", "7", "10", "--size", "64"]
    assert _run(monkeypatch, *arguments, "--png", str(sheet)) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines if line.split()[-1:] in (["train"], ["test"])]
    assert len(rows) == 5
    assert all(7 <= float(row[1]) < 10 for row in rows)
    pixels = read_png(sheet.read_bytes())
    assert pixels.shape == (2 * 71, 3 * 64, 3)  # captions are 7 pixels high


def test_settings_go_to_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["sunpleat", "--count", "3", "--set", "distance=[2, 3]", "--set", "split=test"]
    assert _run(monkeypatch, *arguments) == 0
    said = capsys.readouterr().out
    assert said.count(" test") == 3


@pytest.mark.parametrize(
    "arguments", [["tinrail"], ["patchrook", "--count", "0"], ["patchrook", "--set", "size=9"]]
)
def test_a_mistake_ends_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert _run(monkeypatch, *arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("quiltrail: ")
    assert len(said.splitlines()) == 1


def test_a_game_is_found_by_all_its_names() -> None:
    for name in ("patchrook", "patchrooklevels", "quiltrail/PatchrookLevels-v0"):
        assert find_levels(name).name == "PatchrookLevels"
    with pytest.raises(UnknownNameError, match="sunpleat"):
        find_levels("patchwork")
