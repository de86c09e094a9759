"""Run the Patchwork cases of patchwork.json against any player of the rules.

Give `run_case` a case and a `MakePlayer`: a function from a `Position` to a `Player`. That is all
a new implementation has to write. A player that cannot take injected draws raises `CannotInject`
for a position that has them; the runner then looks for a seed with the same draws, and lets
`CannotInject` through for the one case (nine draws) that no seed is known for.

Positions ask for one placement's effect and need not be reachable: their counters may be zero on a
quilt that is half full.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from tests.reference.patchwork import Position
from tests.reference.patchwork_quilt import SIDE

Case = dict[str, Any]

_FILE = json.loads(Path(__file__).with_name("patchwork.json").read_text(encoding="utf-8"))

CASES: list[Case] = _FILE["cases"]
SHAPES: dict[str, dict[str, Any]] = _FILE["shapes"]
SCHEDULE: dict[str, Any] = _FILE["schedule_and_rng"]

# Seeds whose first draws, at the moment of the case's one deal, are the case's injected draws.
SEED_WITH_DRAWS = {
    "16_combo_broken": 30110,
    "17_combo_over_trays": 17520,
    "29_deal_after_clear": 262286,
}

# No unit is full; only dot, I2h and I3h fit, the bars in row 4 alone. A patch on (4, 4) stitches;
# one on (4, 5) does not, and leaves room for single squares only.
NARROW_QUILT = (
    ".########",
    "###.#####",
    "######.##",
    "#.#######",
    "####...##",
    "#######.#",
    "##.######",
    "#####.###",
    "########.",
)

_SMALL_SQUARES = 3
_REVIVE_SEEDS = range(40)


class CannotInject(ValueError):  # noqa: N818
    """The player draws from its seed only."""


class Player(Protocol):
    """One game, as far as the cases look at it."""

    def play(self, action: object) -> str:
        """Play a JSON action; return "accepted" or the refusal's name."""

    def view(self) -> dict[str, Any]:
        """Return the published observation."""

    def units_cleared(self) -> list[str] | None:
        """Return the units the last placement stitched away; None if the player does not tell."""

    def sets_drawn(self) -> int | None:
        """Return how many sets the last deal drew; None if the player does not tell."""


MakePlayer = Callable[[Position], Player]


def case_named(name: str) -> Case:
    """Return the case with this id."""
    return next(case for case in CASES if case["id"] == name)


def place(slot: int, row: int, col: int) -> dict[str, Any]:
    """Return the JSON action of a placement."""
    return {"type": "place", "slot": slot, "row": row, "col": col}


def top_rows(*rows: str) -> tuple[str, ...]:
    """Return a quilt that is empty below these rows."""
    return rows + ("." * SIDE,) * (SIDE - len(rows))


def run_case(case: Case, make_player: MakePlayer) -> None:
    """Check one case.

    Raises:
        AssertionError: if the player disagrees.
        CannotInject: if the case has draws that this player cannot be given.
    """
    checks = {
        "steps": _check_steps,
        "anchor_counts": _check_anchor_counts,
        "over": _check_over,
        "revive": _check_revive,
    }
    checks[case["kind"]](case, make_player)


def check_first_tray(seed: int, make_player: MakePlayer) -> None:
    """Check the first tray of a new game with one of the seeds of SCHEDULE["first_trays"]."""
    tray = make_player(Position(seed=seed)).view()["tray"]
    assert _names(tray) == SCHEDULE["first_trays"][str(seed)]


def position_of(case: Case) -> Position:
    """Return the position a case starts from."""
    draws = case.get("draws")
    return Position(
        board=tuple(case["board"]),
        tray=tuple(case["tray"]),
        streak=case.get("streak", 0),
        score=case.get("score", 0),
        sewn=case.get("sewn", 0),
        seed=case.get("seed", 0),
        draws=None if draws is None else tuple(draws),
    )


def _start(case: Case, make_player: MakePlayer) -> Player:
    position = position_of(case)
    try:
        return make_player(position)
    except CannotInject:
        if case["id"] not in SEED_WITH_DRAWS:
            raise
    return make_player(replace(position, seed=SEED_WITH_DRAWS[case["id"]], draws=None))


def _check_steps(case: Case, make_player: MakePlayer) -> None:
    player = _start(case, make_player)
    for action, expected in zip(case["actions"], case["expect"]["steps"], strict=True):
        if expected == "illegal":
            _check_refused(player, place(*action))
        else:
            _check_placement(player, place(*action), expected)
    _check_final(player, case["expect"]["final"])


def _check_refused(player: Player, action: dict[str, Any]) -> None:
    before = player.view()
    assert action not in before["legalActions"]
    assert player.play(action) != "accepted"
    assert player.view() == before


def _check_placement(player: Player, action: dict[str, Any], expected: dict[str, Any]) -> None:
    before = player.view()
    assert action in before["legalActions"]
    size = len(before["tray"][action["slot"]]["cells"])
    assert player.play(action) == "accepted"
    after = player.view()
    assert after["score"] - before["score"] == expected["points"]
    assert _filled(before) + size - _filled(after) == expected["removed"]
    units = player.units_cleared()
    if units is not None:
        assert sorted(units) == sorted(expected["units"])


def _check_final(player: Player, expected: dict[str, Any]) -> None:
    view = player.view()
    found = {
        "score": view["score"],
        "streak": view["streak"],
        "sewn": view["patchesSewn"],
        "tray": _names(view["tray"]),
        "over": view["phase"] == "ended",
        "board": view["quilt"],
        "tries": player.sets_drawn(),
    }
    if found["tries"] is None:
        expected = {key: value for key, value in expected.items() if key != "tries"}
    assert {key: found[key] for key in expected} == expected


def _check_anchor_counts(case: Case, make_player: MakePlayer) -> None:
    counts = {
        name: len(make_player(Position(tray=(name, None, None))).view()["legalActions"])
        for name in SHAPES
    }
    assert counts == case["expect"]
    assert sum(counts.values()) == case["total"]


def _check_over(case: Case, make_player: MakePlayer) -> None:
    """Check that the game is over; how a player counts single holes is not asked here."""
    view = make_player(position_of(case)).view()
    assert (view["phase"] == "ended") == case["expect"]["over"]
    assert (view["legalActions"] == []) == case["expect"]["over"]
    if "fitting_shapes" in case["expect"]:
        assert _fitting(case["board"], make_player) == case["expect"]["fitting_shapes"]


def _check_revive(case: Case, make_player: MakePlayer) -> None:
    expected = case["expect"]
    position = position_of(case)
    phase = make_player(position).view()["phase"]
    assert (phase == "ended") == expected["over_without_revive"]

    player = make_player(replace(position, revive=True))
    before = player.view()
    assert (before["phase"] == "ended") == expected["over_with_revive_left"]
    assert player.play({"type": "revive"}) == "accepted"
    after = player.view()
    assert len(after["tray"]) == expected["tray_size"]
    assert _names(after["tray"]) == expected[f"tray_for_seed_{position.seed}"]
    assert after["quilt"] == before["quilt"]
    assert after["reviveUsed"] is True
    kept = {"score": after["score"], "streak": after["streak"], "sewn": after["patchesSewn"]}
    assert kept == {key: expected[key] for key in kept}

    assert expected["second_revive_refused"]
    _check_refused(player, {"type": "revive"})
    assert expected["revive_when_not_stuck_refused"]
    _check_refused(make_player(Position(revive=True)), {"type": "revive"})
    _check_revived_shapes(case, make_player)


def _check_revived_shapes(case: Case, make_player: MakePlayer) -> None:
    """Check that a revive hands out every small shape that fits, over many seeds, and no other."""
    allowed = case["expect"]["allowed"]
    fitting = _fitting(case["board"], make_player)
    assert [name for name in fitting if len(SHAPES[name]["cells"]) <= _SMALL_SQUARES] == allowed
    revived: set[str | None] = set()
    for seed in _REVIVE_SEEDS:
        player = make_player(replace(position_of(case), seed=seed, revive=True))
        assert player.play({"type": "revive"}) == "accepted"
        revived |= set(_names(player.view()["tray"]))
    assert revived == set(allowed)


def _fitting(board: list[str], make_player: MakePlayer) -> list[str]:
    """Return the shapes, in id order, that the player would place somewhere on the board."""
    return [
        name
        for name in SHAPES
        if make_player(Position(tuple(board), (name, None, None))).view()["legalActions"]
    ]


def _names(tray: list[dict[str, Any] | None]) -> list[str | None]:
    names = list(SHAPES)
    return [None if patch is None else names[patch["shape"]] for patch in tray]


def _filled(view: dict[str, Any]) -> int:
    return sum(row.count("#") for row in view["quilt"])
