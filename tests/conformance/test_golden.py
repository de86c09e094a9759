"""Every id replays its golden game to the letter."""

from __future__ import annotations

import pytest

from tests.conformance.golden import COMMAND, FOLDER, difference, path_of, replays


@pytest.mark.parametrize("name", list(replays()))
def test_the_golden_replay_is_said_again_to_the_letter(name: str) -> None:
    assert path_of(name).is_file(), f"{name} has no golden replay; write it: {COMMAND} {name}"
    now = "\n".join(replays()[name]()) + "\n"
    differs = difference(path_of(name).read_text(encoding="utf-8"), now)
    if differs:
        pytest.fail(f"{path_of(name).name}, {differs}\nif this is meant: {COMMAND} {name}")


def test_no_golden_replay_is_left_of_an_id_that_is_gone() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(replays())


def test_the_first_differing_line_is_shown() -> None:
    assert difference("a\nb\n", "a\nb\n") == ""
    assert difference("a\nb\n", "a\nc\nd\n") == "line 2\n  kept: b\n  now:  c"
    assert "line 2\n  kept: <end of file>" in difference("a\n", "a\nb\n")
