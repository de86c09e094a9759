"""The Patchrook referee against the shared cases and every number that the rules quote."""

from copy import deepcopy
from typing import Any

import pytest

from tests.cases.sunpleat_patchrook import Case, Hooks, case_name, load_cases, run_case
from tests.reference.mulberry32 import Mulberry32, first_draws
from tests.reference.patchrook import ACTION_COUNT, PatchrookReference
from tests.reference.patchrook_quilts import (
    TEMPLATES,
    all_covers,
    button,
    covered_squares,
    draws_for,
    make_quilt,
    orientations,
    squares_of,
    template_name,
    transformed,
)


def award_of(quilt_number: int) -> int:
    """Return the points of a quilt; no seed changes them."""
    return make_quilt(quilt_number, Mulberry32(0)).award


HOOKS = Hooks(
    orientations=orientations,
    button=button,
    covered=covered_squares,
    draws=first_draws,
    quilt_award=award_of,
    quilt_template=template_name,
)
FIELDS = [
    "width",
    "height",
    "usable",
    "board",
    "patches",
    "initialOrientations",
    "trayOrder",
    "tray",
    "placements",
    "phase",
    "quilt",
    "score",
    "lastQuiltPoints",
    "turn",
    "legalActions",
]
INCREMENT = 0x6D2B79F5
MODULUS = 1 << 32
CUT_CORNER_QUILT = 8
RESTART = {"type": "restart"}
NEXT = {"type": "next"}
BANK = {"type": "bank"}


def place(patch: str, orientation: int, x: int, y: int) -> dict[str, Any]:
    """Return the JSON action that lays a patch down."""
    return {"type": "place", "patchId": patch, "orientation": orientation, "x": x, "y": y}


def lift(patch: str) -> dict[str, Any]:
    """Return the JSON action that takes a patch up."""
    return {"type": "lift", "patchId": patch}


TOP_ROW = place("A", 1, 0, 0)


def play_all(player: PatchrookReference, *actions: dict[str, Any]) -> None:
    """Play actions that must all be accepted."""
    for action in actions:
        assert player.play(action) == "accepted"


def clear(player: PatchrookReference) -> None:
    """Complete the present, empty quilt with its first exact cover."""
    play_all(player, *player.covers()[0])


def positions_of_the_lesson() -> set[tuple[str, ...]]:
    """Return every board that placing alone can reach in the lesson."""
    seen: set[tuple[str, ...]] = set()
    unexplored: list[tuple[dict[str, Any], ...]] = [()]
    while unexplored:
        line = unexplored.pop()
        player = PatchrookReference()
        play_all(player, *line)
        board = tuple(player.view()["board"])
        if board not in seen:
            seen.add(board)
            places = [act for act in player.legal_actions() if act["type"] == "place"]
            unexplored += [(*line, action) for action in places]
    return seen


@pytest.mark.parametrize("case", load_cases("patchrook"), ids=case_name)
def test_the_referee_agrees_with_the_shared_case(case: Case) -> None:
    run_case(case, PatchrookReference, HOOKS)


def test_the_observation_has_exactly_the_published_fields() -> None:
    assert list(PatchrookReference().view()) == FIELDS


@pytest.mark.parametrize(
    ("name", "covers"),
    [
        ("lesson", 16),
        ("small_a", 16),
        ("small_b", 16),
        ("medium", 24),
        ("large_a", 16),
        ("large_b", 8),
        ("cut_corner", 14),
    ],
)
def test_a_template_has_the_quoted_number_of_exact_covers(name: str, covers: int) -> None:
    squares = squares_of(TEMPLATES[name])
    usable = set().union(*squares.values())
    patches = {letter: orientations(cells) for letter, cells in squares.items()}
    assert len(all_covers(usable, patches)) == covers


def test_playing_every_order_of_the_lesson_finds_the_same_covers() -> None:
    full = {board for board in positions_of_the_lesson() if "." not in "".join(board)}
    covers = PatchrookReference().covers()
    drawn = set()
    for cover in covers:
        player = PatchrookReference()
        play_all(player, *cover)
        drawn.add(tuple(player.view()["board"]))
    assert drawn == full
    assert len(covers) == len(full) == 16


@pytest.mark.parametrize("seed", [0, 7, 4294967295])
def test_a_tour_of_eight_quilts_earns_3490_points_in_44_actions(seed: int) -> None:
    player = PatchrookReference(seed)
    awards = []
    for _ in range(7):
        clear(player)
        awards.append(player.view()["lastQuiltPoints"])
        play_all(player, NEXT)
    clear(player)
    awards.append(player.view()["lastQuiltPoints"])
    assert awards == [300, 390, 390, 450, 450, 500, 500, 510]
    assert (player.score, player.turn) == (3490, 44)


def test_a_run_begun_at_a_later_quilt_shows_the_quilt_of_the_tour() -> None:
    player = PatchrookReference(42)
    for quilt in range(1, 12):
        fresh = PatchrookReference(42, quilt)
        assert fresh.view() == player.view() | {"score": 0, "turn": 0}
        assert fresh.cursor == player.cursor
        clear(player)
        play_all(player, NEXT)


def test_a_quilt_takes_one_draw_less_than_thrice_its_patches() -> None:
    draws_so_far = [0, 11, 22, 36, 50, 64, 78, 95, 109, 123, 140]
    for quilt, draws in enumerate(draws_so_far, start=1):
        assert PatchrookReference(9, quilt).cursor == (9 + draws * INCREMENT) % MODULUS
    assert [draws_for(quilt) for quilt in range(1, 9)] == [0, 11, 11, 14, 14, 14, 14, 17]


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        (0, ("AAB", "CCC")),
        (1, ("CA", "CA", "CB")),
        (2, ("CCC", "BAA")),
        (3, ("BC", "AC", "AC")),
        (4, ("BAA", "CCC")),
        (5, ("CB", "CA", "CA")),
        (6, ("CCC", "AAB")),
        (7, ("AC", "AC", "BC")),
    ],
)
def test_a_board_is_flipped_first_and_then_turned_clockwise(
    transform: int, expected: tuple[str, ...]
) -> None:
    assert transformed(("AAB", "CCC"), transform) == expected


@pytest.mark.parametrize("turns", [0, 1])
def test_the_medium_quilt_stands_upright_after_an_odd_turn(turns: int) -> None:
    seeds = [seed for seed in range(40) if _transform_drawn(seed, 4) % 2 == turns]
    sizes = {(view["width"], view["height"]) for view in (_view(seed, 4) for seed in seeds)}
    assert sizes == {(5, 4) if turns == 0 else (4, 5)}


def test_the_cut_corner_follows_the_transform() -> None:
    # The base corner is top right; a flip sends it to the left before the turns.
    corners = {0: (4, 0), 1: (4, 4), 2: (0, 4), 3: (0, 0), 4: (0, 0), 5: (4, 0), 6: (4, 4)}
    corners[7] = (0, 4)
    seen = set()
    for seed in range(40):
        transform = _transform_drawn(seed, CUT_CORNER_QUILT)
        seen.add(transform)
        view = _view(seed, CUT_CORNER_QUILT)
        x, y = corners[transform]
        assert view["board"][y][x] == "#"
        assert "".join(view["board"]).count("#") == 1
        assert [index for index, usable in enumerate(view["usable"]) if not usable] == [5 * y + x]
    assert seen == set(range(8))


def _view(seed: int, quilt: int) -> dict[str, Any]:
    return PatchrookReference(seed, quilt).view()


def _transform_drawn(seed: int, quilt: int) -> int:
    """Return the first draw of a quilt, which chooses the transform of the whole board."""
    stream = Mulberry32(seed + sum(draws_for(earlier) for earlier in range(1, quilt)) * INCREMENT)
    return stream.below(8)


def test_an_l_of_three_is_laid_by_its_button() -> None:
    player = PatchrookReference()
    play_all(player, place("B", 3, 2, 1))
    assert player.view()["board"] == ["...", "..B", ".BB"]


def test_a_lifted_patch_returns_to_its_place_in_the_tray_order() -> None:
    player = PatchrookReference(7, 2)
    order = player.view()["trayOrder"]
    spots = {act["patchId"]: act for act in player.legal_actions() if act["type"] == "place"}
    play_all(player, spots[order[0]], lift(order[0]))
    assert player.view()["tray"] == order
    assert player.turn == 2


def test_a_cleared_quilt_allows_only_next_and_bank() -> None:
    player = PatchrookReference()
    clear(player)
    assert player.legal_actions() == [NEXT, BANK]
    assert player.play(lift("A")) == "wrong-phase"
    assert player.play(RESTART) == "wrong-phase"
    assert player.play(TOP_ROW) == "wrong-phase"


def test_faults_of_a_placement_are_named_in_the_order_of_the_rules() -> None:
    player = PatchrookReference()
    play_all(player, TOP_ROW)
    assert player.play(place("F", 7, 4, 4)) == "no-such-patch"
    assert player.play(place("A", 7, 4, 4)) == "not-in-tray"
    assert player.play(place("B", 7, 4, 4)) == "no-such-orientation"
    assert player.play(place("B", 0, 2, 0)) == "out-of-bounds"
    assert player.play(place("B", 0, 0, 0)) == "overlap"


def test_a_cut_out_is_named_before_an_overlap_and_after_the_border() -> None:
    seed = next(seed for seed in range(40) if _transform_drawn(seed, CUT_CORNER_QUILT) == 1)
    player = PatchrookReference(seed, CUT_CORNER_QUILT)  # the corner (4, 4) is cut out
    square = next(label for label, turns in player.quilt.patches.items() if len(turns) == 1)
    line = next(
        act
        for act in player.legal_actions()
        if act["type"] == "place" and act["patchId"] != square and (act["x"], act["y"]) == (3, 3)
    )
    assert player.play(place(square, 0, 3, 3)) == "cut-out"
    assert player.play(place(square, 0, 4, 4)) == "out-of-bounds"
    play_all(player, line)
    assert player.play(place(square, 0, 3, 3)) == "cut-out"
    assert player.play(place(square, 0, 3, 2)) == "overlap"


def test_faults_are_named_in_the_order_shape_then_end_then_phase() -> None:
    player = PatchrookReference()
    assert player.play(NEXT) == "wrong-phase"
    play_all(player, BANK)
    assert player.play(NEXT) == "run-ended"
    assert player.play(place("B", 8, 0, 0)) == "bad-value"


def test_after_bank_everything_stays_visible() -> None:
    player = PatchrookReference()
    clear(player)
    before = player.view()
    play_all(player, BANK)
    ended = {"phase": "ended", "turn": 4, "legalActions": []}
    assert player.view() == before | ended


@pytest.mark.parametrize("quilt", [1, 4, CUT_CORNER_QUILT])
def test_legal_actions_are_those_whose_playing_is_accepted(quilt: int) -> None:
    player = PatchrookReference(quilt, quilt)
    for _ in range(5):
        every_action = [PatchrookReference.decode(index) for index in range(ACTION_COUNT)]
        accepted = [act for act in every_action if deepcopy(player).play(act) == "accepted"]
        assert player.legal_actions() == accepted
        play_all(player, accepted[0])


def test_the_numbering_is_the_published_one() -> None:
    assert PatchrookReference.encode(place("A", 0, 1, 0)) == 1
    assert PatchrookReference.encode(place("A", 0, 0, 1)) == 5
    assert PatchrookReference.encode(place("A", 1, 0, 0)) == 25
    assert PatchrookReference.encode(place("B", 0, 0, 0)) == 200
    assert PatchrookReference.encode(place("F", 7, 4, 4)) == 1199
    assert PatchrookReference.encode(lift("A")) == 1200
    assert PatchrookReference.encode(lift("F")) == 1205
    assert [PatchrookReference.encode(act) for act in (RESTART, NEXT, BANK)] == [1206, 1207, 1208]


def test_every_index_decodes_to_the_action_that_encodes_to_it() -> None:
    indices = list(range(ACTION_COUNT))
    assert [PatchrookReference.encode(PatchrookReference.decode(i)) for i in indices] == indices


@pytest.mark.parametrize("index", [-1, 1209])
def test_an_index_outside_the_space_has_no_action(index: int) -> None:
    with pytest.raises(ValueError, match="index must be"):
        PatchrookReference.decode(index)


def test_a_negative_seed_is_taken_modulo_two_to_the_32() -> None:
    assert PatchrookReference(-1, 2).view() == PatchrookReference(4294967295, 2).view()


@pytest.mark.parametrize("seed", [True, 1.0, "1", None])
def test_a_seed_that_is_not_an_int_is_an_error(seed: Any) -> None:
    with pytest.raises(TypeError, match="seed must be an int"):
        PatchrookReference(seed)
