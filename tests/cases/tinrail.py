"""Run the hand-checked cases of Tinrail against any implementation of its rules.

An implementation lends its parts as `TinrailHooks`. Only `new_match` is needed; a case whose
hook is None cannot be run, and `missing_hooks` says so by name, so that a test can skip it:

    for case in load_cases():
        if not missing_hooks(case, hooks):
            run_case(case, hooks)

Everything is compared as JSON would have it: tuples count as lists, dict keys as strings.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tests.cases.tinrail_hooks import Strands, TinrailHooks, TinrailMatch

FOLDER = Path(__file__).parent
PORTS = 8
ROTATIONS = 4
TILE_COUNT = 35
HAND_SIZE = 3

Case = Mapping[str, Any]
Hook = TypeVar("Hook")
Check = Callable[[TinrailHooks], None]

U_TURNS, STRAIGHT = 0, 33  # ids of two tiles that look the same at every rotation

REFUSAL_NAMES: tuple[tuple[object, str], ...] = (
    (None, "not-an-object"),
    (True, "not-an-object"),
    (0, "not-an-object"),
    ("place", "not-an-object"),
    ([], "not-an-object"),
    ([["type", "place"], ["tileIndex", 0], ["rotation", 0]], "not-an-object"),
    ({}, "unknown-type"),
    ({"tileIndex": 0, "rotation": 0}, "unknown-type"),
    ({"type": None}, "unknown-type"),
    ({"type": ["place"], "tileIndex": 0, "rotation": 0}, "unknown-type"),
    ({"type": "Place", "tileIndex": 0, "rotation": 0}, "unknown-type"),
    ({"type": "draw"}, "unknown-type"),
    ({"type": "place"}, "missing-field"),
    ({"type": "place", "tileIndex": 0}, "missing-field"),
    ({"type": "place", "rotation": 0}, "missing-field"),
    ({"type": "place", "tileIndex": "0", "Rotation": 0}, "missing-field"),
    ({"type": "place", "tileIndex": None, "rotation": 0}, "bad-value"),
    ({"type": "place", "tileIndex": [0], "rotation": 0}, "bad-value"),
    ({"type": "place", "tileIndex": "0", "rotation": 0}, "bad-value"),
    ({"type": "place", "tileIndex": True, "rotation": 0}, "bad-value"),
    ({"type": "place", "tileIndex": 0.0, "rotation": 0}, "bad-value"),
    ({"type": "place", "tileIndex": float("nan"), "rotation": 0}, "bad-value"),
    ({"type": "place", "tileIndex": -1, "rotation": 0}, "bad-value"),
    ({"type": "place", "tileIndex": 3, "rotation": 0}, "bad-value"),
    ({"type": "place", "tileIndex": 2**70, "rotation": 0}, "bad-value"),
    ({"type": "place", "tileIndex": 0, "rotation": None}, "bad-value"),
    ({"type": "place", "tileIndex": 0, "rotation": False}, "bad-value"),
    ({"type": "place", "tileIndex": 0, "rotation": 1.0}, "bad-value"),
    ({"type": "place", "tileIndex": 0, "rotation": "1"}, "bad-value"),
    ({"type": "place", "tileIndex": 0, "rotation": 4}, "bad-value"),
    ({"type": "place", "tileIndex": 0, "rotation": -1}, "bad-value"),
)
"""Ill-shaped actions and the refusal each earns, in every phase of a match."""


def load_cases() -> list[Case]:
    """Return the rule cases."""
    cases: list[Case] = json.loads((FOLDER / "tinrail.json").read_text())["cases"]
    return cases


def load_bot_vectors() -> list[Case]:
    """Return the matches recorded between bots."""
    vectors: list[Case] = json.loads((FOLDER / "tinrail_bots.json").read_text())
    return vectors


def missing_hooks(case: Case, hooks: TinrailHooks) -> list[str]:
    """Name the hooks that a case needs and an implementation has not lent."""
    _, needed = _KINDS[case["kind"]]
    return [name for name in needed if getattr(hooks, name) is None]


def run_case(case: Case, hooks: TinrailHooks) -> None:
    """Check one case.

    `hidden` and `last_placement` sharpen the kinds deal, inject, match and refuse when given.

    Raises:
        AssertionError: naming what differs, what was got and what is right.
    """
    check, _ = _KINDS[case["kind"]]
    check(case, hooks)


def run_bot_vector(vector: Case, hooks: TinrailHooks) -> None:
    """Let the bots play a recorded match again and compare every decision and the scores."""
    bots = {name: _lent(hooks.bot)(name, vector["seed"]) for name in set(vector["players"])}
    match = hooks.new_match(vector["seed"])
    for number, recorded in enumerate(vector["actions"]):
        bot = bots[vector["players"][number % 2]]
        _same(f"action {number}", bot(match), recorded)
        play_recorded(match, [divmod(recorded, ROTATIONS)])
    view = match.view()
    _same("result", view["result"], vector["result"])
    _same("tiles placed", view["tilesPlaced"], vector["placed"])
    scores = [match.final_score(seat) for seat in (0, 1)]
    _same("scores", scores, vector["scores_wise"])


def refusals_have_names_and_leave_no_trace(hooks: TinrailHooks) -> None:
    """Hold every ill-shaped action to the name of its refusal, before and after the end."""
    match = hooks.new_match(0)
    _refuse_by_name(match)
    _play_to_end(match)
    _refuse_by_name(match)
    _same("a good action after the end", match.play(place(0, 0)), "run-ended")
    _same("a tile long gone, after the end", match.play(place(2, 0)), "run-ended")


def tiles_beyond_a_short_hand_are_refused(hooks: TinrailHooks) -> None:
    """Refuse, by name, the tiles that a hand no longer holds at the end of a full match."""
    match = hooks.new_match(_full_match()["seed"])
    for tile_index, rotation in _full_match()["actions"]:
        before = match.view()
        for absent in range(len(before["hand"]), HAND_SIZE):
            _same(f"place tile {absent}", match.play(place(absent, 0)), "no-such-tile")
            _same("view after the refusal", match.view(), before)
        play_recorded(match, [[tile_index, rotation]])


def extra_keys_are_ignored(hooks: TinrailHooks) -> None:
    """Accept an action with keys of its own, as if they were not there."""
    match, plain = hooks.new_match(7), hooks.new_match(7)
    answer = match.play({**place(1, 2), "note": "hello", "cell": 99})
    _same("answer to an action with extra keys", answer, "accepted")
    plain.play(place(1, 2))
    _same("view after it", match.view(), plain.view())


CHECKS: tuple[Check, ...] = (
    refusals_have_names_and_leave_no_trace,
    tiles_beyond_a_short_hand_are_refused,
    extra_keys_are_ignored,
)
"""What whole matches have to show besides the cases."""


def place(tile_index: int, rotation: int) -> dict[str, Any]:
    """Return the published action."""
    return {"type": "place", "tileIndex": tile_index, "rotation": rotation}


def play_recorded(match: TinrailMatch, actions: Sequence[Sequence[int]]) -> None:
    """Play actions written [tileIndex, rotation], all of which must be accepted."""
    for number, (tile_index, rotation) in enumerate(actions):
        answer = match.play(place(tile_index, rotation))
        _same(f"answer to action {number}", answer, "accepted")


def _same(what: str, got: object, right: object) -> None:
    got, right = json.loads(json.dumps(got)), json.loads(json.dumps(right))
    if got != right:
        raise AssertionError(f"{what}: got {got}, right is {right}")


def _lent(hook: Hook | None) -> Hook:
    if hook is None:
        raise ValueError("this case needs a hook that is None; ask missing_hooks() first")
    return hook


def _check_tiles(case: Case, hooks: TinrailHooks) -> None:
    _same("tiles", _lent(hooks.tiles)(), case["strands"])
    if hooks.rotate is None:
        return
    for tile, right in enumerate(case["symmetry"]):
        turned = [hooks.rotate(tile, r) for r in range(ROTATIONS)]
        _same(f"symmetry order of tile {tile}", turned.count(turned[0]), right)


def _check_rotate(case: Case, hooks: TinrailHooks) -> None:
    turned = [_lent(hooks.rotate)(case["tile"], r) for r in range(ROTATIONS)]
    _same("rotations", turned, case["rotations"])


def _check_neighbour(case: Case, hooks: TinrailHooks) -> None:
    for cell, port, right in case["table"]:
        _same(f"beyond port {port} of cell {cell}", _lent(hooks.neighbour)(cell, port), right)


def _check_rng(case: Case, hooks: TinrailHooks) -> None:
    for seed, right in case["first"].items():
        _same(f"stream of seed {seed}", _lent(hooks.uint32s)(int(seed), len(right)), right)


def _check_deck(case: Case, hooks: TinrailHooks) -> None:
    for seed, right in case["decks"].items():
        _same(f"deck of seed {seed}", _lent(hooks.deck)(int(seed)), right)


def _check_deal(case: Case, hooks: TinrailHooks) -> None:
    match = hooks.new_match(case["seed"])
    view = match.view()
    _same("hand of the first player", _upright(view), _strands_of(case["hands"][case["turn"]]))
    _same("pile length", view["pileLength"], case["pile"])
    _same("engines", _engines(view), case["engines"])
    _same("seat to move", view["toMove"], case["turn"])
    if hooks.hidden is not None:
        hidden = hooks.hidden(match)
        _same("hands", hidden["hands"], case["hands"])
        _same("top of the pile", hidden["pile"][0], case["pile_top"])


def _check_ride(case: Case, hooks: TinrailHooks) -> None:
    table = {int(cell): strands for cell, strands in case["board"].items()}
    itinerary, end = _lent(hooks.ride)(table, case["start"])
    _same("itinerary", itinerary, case["itinerary"])
    _same("end of the ride", end, case["end"])


def _check_inject(case: Case, hooks: TinrailHooks) -> None:
    tile, rotation = _tile_and_rotation(case["strands"])
    spare = (tile + 1) % TILE_COUNT
    hands = [[tile], [spare]] if case["turn"] == 0 else [[spare], [tile]]
    table = {int(cell): strands for cell, strands in case["board"].items()}
    match = _lent(hooks.position)(table, case["engines"], hands, case["turn"])
    play_recorded(match, [[0, rotation]])
    view = match.view()
    _same("engines", _engines(view), case["expect"]["engines"])
    _same("table", view["table"][str(case["cell"])], case["strands"])
    if hooks.last_placement is not None:
        last = hooks.last_placement(match)
        rides = {seat: ride["itinerary"] for seat, ride in last["rides"].items()}
        _same("rides", rides, case["rides"])
        _same("head-on", last["head_on"], case["expect"]["head_on"])


def _check_match(case: Case, hooks: TinrailHooks) -> None:
    match = hooks.new_match(case["seed"])
    play_recorded(match, case["actions"])
    right = case["expect_after_last"]
    _check_match_view(match.view(), right)
    for difficulty, scores in right.get("scores", {}).items():
        got = [match.final_score(seat, difficulty == "easy") for seat in (0, 1)]
        _same(f"scores against {difficulty}", got, scores)
    if hooks.hidden is not None:
        _same("hands", hooks.hidden(match)["hands"], right["hands"])
    if hooks.last_placement is not None:
        last = hooks.last_placement(match)
        for field in ("player", "tile", "rotation", "cell", "head_on", "rides"):
            _same(field, last[field], right[field])


def _check_match_view(view: Mapping[str, Any], right: Mapping[str, Any]) -> None:
    result = right["result"]
    ended = result is not None
    hand = [] if ended else right["hands"][right["turn"]]
    laid = _turned(_strands_of([right["tile"]])[0], right["rotation"])
    _same("tile on the table", view["table"][str(right["cell"])], laid)
    _same("engines", _engines(view), right["engines"])
    _same("result", view["result"], "draw" if ended and "draw" in result else result)
    _same("phase", view["phase"], "ended" if ended else "playing")
    _same("tiles placed", view["tilesPlaced"], right["placed"])
    _same("tiles on the table", len(view["table"]), right["placed"])
    _same("tiles survived", view["tilesSurvived"], right["survived"])
    _same("pile length", view["pileLength"], right["pile"])
    _same("seat to move", view["toMove"], None if ended else right["turn"])
    _same("hand of the seat to move", _upright(view), _strands_of(hand))
    _same("number of legal actions", len(view["legalActions"]), ROTATIONS * len(hand))


def _check_refuse(case: Case, hooks: TinrailHooks) -> None:
    """Compare with a twin that was never asked, to the end, so that no hidden part has moved."""
    match, twin = hooks.new_match(case["seed"]), hooks.new_match(case["seed"])
    play_recorded(match, case["actions"])
    play_recorded(twin, case["actions"])
    for action in case["refused"]:
        if match.play(action) == "accepted":
            raise AssertionError(f"{action} was accepted")
        _same(f"view after {action}", match.view(), twin.view())
    while twin.legal_actions():
        action = twin.legal_actions()[0]
        _same("later answers", match.play(action), twin.play(action))
        _same("later views", match.view(), twin.view())


def _check_score(case: Case, hooks: TinrailHooks) -> None:
    for outcome, survived, difficulty, right in case["table"]:
        got = _lent(hooks.match_score)(outcome, survived, difficulty == "easy")
        _same(f"{outcome} with {survived} survived, {difficulty}", got, right)


def _check_mask(case: Case, hooks: TinrailHooks) -> None:
    """Play a recorded match of full length, in which every size of hand occurs."""
    recorded = _full_match()
    match = hooks.new_match(recorded["seed"])
    for tile_index, rotation in recorded["actions"]:
        view = match.view()
        right = case["masks"][str(len(view["hand"]))]
        legal = [place(*divmod(i, ROTATIONS)) for i, bit in enumerate(right) if bit]
        _same("mask", _lent(hooks.action_mask)(match), right)
        _same("legal list", match.legal_actions(), legal)
        _same("legal list of the view", view["legalActions"], legal)
        match.play(place(tile_index, rotation))


_KINDS: Mapping[str, tuple[Callable[[Case, Any], None], Sequence[str]]] = {
    "tiles": (_check_tiles, ["tiles"]),
    "rotate": (_check_rotate, ["rotate"]),
    "neighbour": (_check_neighbour, ["neighbour"]),
    "rng": (_check_rng, ["uint32s"]),
    "deck": (_check_deck, ["deck"]),
    "deal": (_check_deal, []),
    "ride": (_check_ride, ["ride"]),
    "inject": (_check_inject, ["position"]),
    "match": (_check_match, []),
    "refuse": (_check_refuse, []),
    "score": (_check_score, ["match_score"]),
    "mask": (_check_mask, ["action_mask"]),
}


def _refuse_by_name(match: TinrailMatch) -> None:
    before = match.view()
    for action, name in REFUSAL_NAMES:
        _same(f"refusal of {action}", match.play(action), name)
        _same(f"view after {action}", match.view(), before)


def _play_to_end(match: TinrailMatch) -> None:
    while match.legal_actions():
        match.play(match.legal_actions()[0])


def _full_match() -> Case:
    return next(c for c in load_cases() if len(c.get("actions", ())) == TILE_COUNT)


def _engines(view: Mapping[str, Any]) -> list[list[int] | None]:
    return [e if e is None else [e["cell"], e["port"]] for e in view["engines"]]


def _upright(view: Mapping[str, Any]) -> list[Strands]:
    return [rotations[0] for rotations in view["hand"]]


def _strands_of(tiles: Sequence[int]) -> list[Strands]:
    listed = next(case for case in load_cases() if case["kind"] == "tiles")
    return [listed["strands"][tile] for tile in tiles]


def _turned(strands: Strands, rotation: int) -> Strands:
    return sorted(sorted((port + 2 * rotation) % PORTS for port in pair) for pair in strands)


def _tile_and_rotation(strands: Strands) -> tuple[int, int]:
    for tile, upright in enumerate(_strands_of(range(TILE_COUNT))):
        for rotation in range(ROTATIONS):
            if _turned(upright, rotation) == sorted(map(sorted, strands)):
                return tile, rotation
    raise ValueError(f"{strands} is no tile")
