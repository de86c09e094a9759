"""Run the shared rule cases of Sunpleat and Patchrook against any implementation.

A case of kind "run" needs a player factory. Every other kind tests one function, which the
caller offers through ``Hooks``, so tables and solvers can be checked as well as games::

    for case in load_cases("sunpleat"):
        run_case(case, make_player, Hooks(flip=..., par=..., board_award=...))
"""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

CASE_FILE = Path(__file__).with_name("patchrook_sunpleat.json")

Case = dict[str, Any]
Cells = Sequence[Sequence[int]]
Hook = TypeVar("Hook")


class Player(Protocol):
    """What a case needs of a game under way."""

    @property
    def score(self) -> int:
        """Return the points so far."""

    @property
    def ended(self) -> bool:
        """Tell whether the run is over."""

    def legal_actions(self) -> list[dict[str, Any]]:
        """Return the published legal list."""

    def play(self, action: object) -> str:
        """Return "accepted" or the name of the refusal."""

    def view(self) -> dict[str, Any]:
        """Return the published observation."""


@dataclass(frozen=True)
class Hooks:
    """The functions that cases other than runs test; offer those your cases need."""

    orientations: Callable[[list[tuple[int, int]]], Sequence[Cells]] | None = None
    button: Callable[[list[tuple[int, int]]], Sequence[int]] | None = None
    covered: Callable[[list[tuple[int, int]], int, int], Any] | None = None
    draws: Callable[[int, int], Sequence[int]] | None = None  # (seed, count)
    quilt_award: Callable[[int], int] | None = None  # quilt number
    quilt_template: Callable[[int], str] | None = None  # may stay None, then names go untested
    flip: Callable[[list[int], int], Sequence[int]] | None = None
    par: Callable[[list[int]], int] | None = None
    board_award: Callable[[int, int], int] | None = None  # (n, remaining moves)


NO_HOOKS = Hooks()


def load_cases(game: str, *kinds: str) -> list[Case]:
    """Return the cases of "patchrook" or "sunpleat", of the given kinds or of all."""
    cases: list[Case] = json.loads(CASE_FILE.read_text(encoding="utf-8"))["cases"]
    return [case for case in cases if case["game"] == game and (not kinds or case["kind"] in kinds)]


def case_name(case: Case) -> str:
    """Return a name for test reports."""
    return f"{case['id']} {case['title']}"


def run_case(
    case: Case, make_player: Callable[[int], Player] | None = None, hooks: Hooks = NO_HOOKS
) -> None:
    """Assert that an implementation agrees with one case.

    Raises:
        LookupError: if the case needs a factory or a hook that was not offered.
    """
    if case["kind"] != "run":
        _FUNCTION_CHECKS[case["kind"]](case, hooks)
        return
    if make_player is None:
        raise LookupError(f"case {case['id']} needs a player factory")
    player = make_player(case["seed"])
    for number, step in enumerate(case["steps"], start=1):
        _check_step(player, step, f"{case['id']}, step {number}")
    _check_expectations(player, case)


def _check_step(player: Player, step: Case, where: str) -> None:
    before = deepcopy(player.view())
    answer = player.play(deepcopy(step["action"]))
    after = player.view()
    if step["accepted"]:
        assert answer == "accepted", f"{where}: refused as {answer}"
        assert after["turn"] == before["turn"] + 1, f"{where}: an accepted action is one turn"
        return
    assert answer == step["reason"], f"{where}: {step['action']} gave {answer}"
    assert after == before, f"{where}: a refused action left a trace"


def _check_expectations(player: Player, case: Case) -> None:
    view = player.view()
    assert player.legal_actions() == view["legalActions"]
    assert player.score == view["score"]
    assert player.ended == (view["phase"] == "ended")
    for field, expected in case["expect"].items():
        if field in ("cursor", "seed"):
            found = getattr(player, field, expected)  # not published: players may hide them
        else:
            found = _published(view, field)
        if field == "legalActions":
            expected = _as_set(expected)
        assert found == expected, f"{case['id']}, {field}: {found} instead of {expected}"


def _published(view: dict[str, Any], field: str) -> Any:
    """Return a field of the observation in the form in which cases state it."""
    if field == "legalCount":
        return len(view["legalActions"])
    if field == "legalActions":
        return _as_set(view["legalActions"])
    if field == "patches":
        return {label: patch["cells"] for label, patch in view["patches"].items()}
    return view[field]


def _as_set(actions: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(action, sort_keys=True) for action in actions)


def _needed(hook: Hook | None, name: str) -> Hook:
    if hook is None:
        raise LookupError(f"this case needs the hook {name!r}")
    return hook


def _drawn_cells(shape: str) -> list[tuple[int, int]]:
    """Return the cells of a drawing such as "##/#."."""
    return [
        (x, y)
        for y, row in enumerate(shape.split("/"))
        for x, mark in enumerate(row)
        if mark == "#"
    ]


def _pairs(cells: Cells) -> list[tuple[int, int]]:
    return [(int(x), int(y)) for x, y in cells]


def _check_orientations(case: Case, hooks: Hooks) -> None:
    orientations = _needed(hooks.orientations, "orientations")
    found = [_pairs(cells) for cells in orientations(_pairs(case["cells"]))]
    assert found == [_pairs(cells) for cells in case["expect"]]


def _check_orientation_counts(case: Case, hooks: Hooks) -> None:
    orientations = _needed(hooks.orientations, "orientations")
    found = {name: len(orientations(_drawn_cells(shape))) for name, shape in case["shapes"].items()}
    assert found == case["expect"]


def _check_button(case: Case, hooks: Hooks) -> None:
    orientations = _needed(hooks.orientations, "orientations")
    button = _needed(hooks.button, "button")
    covered = _needed(hooks.covered, "covered")
    for item in case["items"]:
        cells = _pairs(orientations(_drawn_cells(item["shape"]))[item["orientation"]])
        assert list(button(cells)) == item["anchor"]
        squares = _pairs(list(covered(cells, item["x"], item["y"])))
        assert sorted(squares) == sorted(_pairs(item["cells"]))


def _check_mulberry32(case: Case, hooks: Hooks) -> None:
    draws = _needed(hooks.draws, "draws")
    for seed, expected in case["expect"].items():
        assert list(draws(int(seed), len(expected))) == expected, f"seed {seed}"


def _check_awards(case: Case, hooks: Hooks) -> None:
    quilt_award = _needed(hooks.quilt_award, "quilt_award")
    for number, (template, points) in enumerate(case["expect"], start=1):
        assert quilt_award(number) == points, f"quilt {number}"
        if hooks.quilt_template is not None:
            assert hooks.quilt_template(number) == template, f"quilt {number}"


def _check_flip(case: Case, hooks: Hooks) -> None:
    flip = _needed(hooks.flip, "flip")
    for garland, count, expected in case["items"]:
        assert list(flip(list(garland), count)) == expected, f"{garland}, flip {count}"


def _check_pars(case: Case, hooks: Hooks) -> None:
    par = _needed(hooks.par, "par")
    board_award = _needed(hooks.board_award, "board_award")
    for garland, expected in case["items"]:
        assert par(list(garland)) == expected, f"par of {garland}"
    for n, remaining_moves, points in case["awards"]:
        assert board_award(n, remaining_moves) == points, f"n {n}, {remaining_moves} left"


_FUNCTION_CHECKS: dict[str, Callable[[Case, Hooks], None]] = {
    "orientations": _check_orientations,
    "orientation_counts": _check_orientation_counts,
    "button": _check_button,
    "mulberry32": _check_mulberry32,
    "awards": _check_awards,
    "flip": _check_flip,
    "pars": _check_pars,
}
