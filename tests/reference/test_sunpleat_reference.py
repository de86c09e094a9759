"""The Sunpleat referee against the shared cases and every total that the rules quote."""

from typing import Any

import pytest

from tests.cases.sunpleat_patchrook import Case, Hooks, case_name, load_cases, run_case
from tests.reference.sunpleat import (
    ACTION_COUNT,
    TEMPLATES,
    SunpleatReference,
    award,
    exact_par,
    flip,
    target,
)

HOOKS = Hooks(flip=flip, par=exact_par, board_award=award)

OPTIMAL_LINES = (
    (2,),
    (1, 3),
    (4, 2, 3),
    (3, 1, 4, 2),
    (3, 1, 4, 2, 5),
    (1, 3, 5, 1, 2),
    (3, 5, 2, 4, 1, 3, 5),
    (5, 3, 1, 2, 4, 2, 5),
)
FIELDS = [
    "version",
    "phase",
    "boardNumber",
    "templateIndex",
    "garland",
    "n",
    "target",
    "exactPar",
    "moveBudget",
    "movesUsed",
    "remainingMoves",
    "leaves",
    "score",
    "clearedBoards",
    "lastAward",
    "endReason",
    "turn",
    "legalActions",
]
NEXT = {"type": "next"}
RETRY = {"type": "retry"}
RESTART = {"type": "restart"}
BANK = {"type": "bank"}


def flip_action(count: int) -> dict[str, Any]:
    """Return the JSON action that flips the first ``count`` pennants."""
    return {"type": "flip", "count": count}


def play_all(player: SunpleatReference, *actions: dict[str, Any]) -> None:
    """Play actions that must all be accepted."""
    for action in actions:
        assert player.play(action) == "accepted"


def clear(player: SunpleatReference) -> None:
    """Clear the present board along its optimal line."""
    line = OPTIMAL_LINES[player.view()["templateIndex"] - 1]
    play_all(player, *map(flip_action, line))


def fail(player: SunpleatReference) -> None:
    """Use up the whole budget on the first pennant."""
    play_all(player, *[flip_action(1)] * player.view()["remainingMoves"])


def number_of_lines(start: tuple[int, ...], flips: int) -> int:
    """Return how many sequences of exactly ``flips`` flips restore the garland."""
    n = len(start)
    if flips == 0:
        return int(list(start) == target(n))
    return sum(
        number_of_lines(tuple(flip(list(start), count)), flips - 1) for count in range(1, n + 1)
    )


@pytest.mark.parametrize("case", load_cases("sunpleat"), ids=case_name)
def test_the_referee_agrees_with_the_shared_case(case: Case) -> None:
    run_case(case, SunpleatReference, HOOKS)


def test_the_case_runner_notices_a_refused_action_that_leaves_a_trace() -> None:
    class CountsRefusals(SunpleatReference):
        def play(self, action: object) -> str:
            answer = super().play(action)
            if answer != "accepted":
                self.turn += 1
            return answer

    case = next(case for case in load_cases("sunpleat") if case["id"] == "S11")
    with pytest.raises(AssertionError, match="left a trace"):
        run_case(case, CountsRefusals)


def test_the_observation_has_exactly_the_published_fields() -> None:
    assert list(SunpleatReference().view()) == FIELDS


@pytest.mark.parametrize(
    ("board", "points"),
    [(1, 215), (2, 215), (3, 240), (4, 240), (5, 265), (6, 265), (7, 265), (8, 265)],
)
def test_an_optimal_clear_earns_the_quoted_points(board: int, points: int) -> None:
    player = SunpleatReference(board=board)
    clear(player)
    assert (player.score, player.view()["lastAward"]) == (points, points)


def test_the_quoted_totals_of_optimal_clears_are_reached_without_an_end() -> None:
    quoted = {8: 1970, 12: 3030, 80: 21050, 4000: 1059850}
    player = SunpleatReference(seed=7)
    reached = {}
    for cleared in range(1, max(quoted) + 1):
        clear(player)
        if cleared in quoted:
            reached[cleared] = player.score
        play_all(player, NEXT)
    assert reached == quoted
    assert not player.ended


@pytest.mark.parametrize(("board", "points"), [(1, 175), (5, 225)])
def test_a_clear_with_the_last_move_earns_no_move_points(board: int, points: int) -> None:
    player = SunpleatReference(board=board)
    play_all(player, *[flip_action(1)] * 4)
    clear(player)
    view = player.view()
    assert (view["score"], view["remainingMoves"], view["leaves"]) == (points, 0, 3)
    assert view["phase"] == "cleared"


@pytest.mark.parametrize("board", range(1, 9))
def test_every_fixture_has_one_optimal_line_only(board: int) -> None:
    template = TEMPLATES[board - 1]
    assert len(OPTIMAL_LINES[board - 1]) == template.par
    assert [number_of_lines(template.start, flips) for flips in range(template.par + 1)] == [
        *[0] * template.par,
        1,
    ]


def test_boards_from_the_ninth_on_repeat_the_last_four_templates() -> None:
    templates = [SunpleatReference(board=board).view()["templateIndex"] for board in range(1, 18)]
    assert templates == [1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8, 5]


def test_a_run_begun_at_a_later_board_is_fresh_but_for_the_board() -> None:
    view = SunpleatReference(board=8).view()
    assert view["garland"] == [1, 4, 3, -2, -5]
    assert (view["boardNumber"], view["exactPar"], view["moveBudget"]) == (8, 7, 11)
    assert (view["score"], view["clearedBoards"], view["turn"], view["leaves"]) == (0, 0, 0, 3)


def test_two_equal_flips_restore_the_garland_and_cost_two_moves() -> None:
    player = SunpleatReference(board=5)
    play_all(player, flip_action(4), flip_action(4))
    assert player.view()["garland"] == [5, -3, 2, -4, -1]
    assert player.view()["movesUsed"] == 2


def test_retry_hangs_the_failed_garland_anew_and_keeps_the_leaves() -> None:
    player = SunpleatReference()
    fail(player)
    play_all(player, RETRY)
    view = player.view()
    assert (view["phase"], view["garland"], view["movesUsed"]) == ("playing", [-2, -1, 3], 0)
    assert (view["leaves"], view["turn"]) == (2, 6)


def test_the_third_failure_keeps_the_failed_garland() -> None:
    player = SunpleatReference()
    for _ in range(2):
        fail(player)
        play_all(player, RETRY)
    fail(player)
    view = player.view()
    assert (view["phase"], view["endReason"]) == ("ended", "out-of-lives")
    assert (view["garland"], view["movesUsed"], view["leaves"]) == ([2, -1, 3], 5, 0)


def test_the_last_award_changes_only_on_a_clear_and_on_next() -> None:
    player = SunpleatReference()
    clear(player)
    assert player.view()["lastAward"] == 215
    play_all(player, NEXT)
    assert player.view()["lastAward"] == 0
    clear(player)
    play_all(player, BANK)
    assert player.view()["lastAward"] == 215


@pytest.mark.parametrize("failed", [False, True])
def test_bank_ends_a_run_of_no_points_without_a_leaf(failed: bool) -> None:
    player = SunpleatReference()
    if failed:
        fail(player)
    leaves = player.leaves
    play_all(player, BANK)
    assert player.ended
    assert (player.score, player.leaves, player.end_reason) == (0, leaves, "banked")


def test_a_count_above_the_garland_is_refused_by_name() -> None:
    player = SunpleatReference()
    assert player.play(flip_action(4)) == "count-exceeds-n"
    assert player.view() == SunpleatReference().view()


def test_faults_are_named_in_the_order_shape_then_end_then_phase_then_count() -> None:
    player = SunpleatReference()
    clear(player)
    assert player.play(flip_action(5)) == "wrong-phase"
    play_all(player, BANK)
    assert player.play(flip_action(5)) == "run-ended"
    assert player.play(flip_action(6)) == "bad-value"


def test_legal_actions_are_those_whose_playing_is_accepted() -> None:
    reached: list[tuple[dict[str, Any], ...]] = [
        (),
        (flip_action(2),),
        (*[flip_action(1)] * 5,),
        (BANK,),
    ]
    for line in reached:
        accepted = []
        for index in range(ACTION_COUNT):
            player = SunpleatReference()
            play_all(player, *line)
            if player.play(SunpleatReference.decode(index)) == "accepted":
                accepted.append(SunpleatReference.decode(index))
        player = SunpleatReference()
        play_all(player, *line)
        assert player.legal_actions() == accepted


def test_the_numbering_is_the_published_one_in_both_directions() -> None:
    numbered = [*map(flip_action, range(1, 6)), NEXT, RETRY, RESTART, BANK]
    assert [SunpleatReference.decode(index) for index in range(9)] == numbered
    assert [SunpleatReference.encode(action) for action in numbered] == list(range(9))


@pytest.mark.parametrize("index", [-1, 9])
def test_an_index_outside_the_space_has_no_action(index: int) -> None:
    with pytest.raises(ValueError, match="index must be"):
        SunpleatReference.decode(index)


def test_the_seed_changes_nothing() -> None:
    assert SunpleatReference(-1).seed == 4294967295
    assert SunpleatReference(-1).view() == SunpleatReference(42).view()


@pytest.mark.parametrize("seed", [True, 1.0, "1", None])
def test_a_seed_that_is_not_an_int_is_an_error(seed: Any) -> None:
    with pytest.raises(TypeError, match="seed must be an int"):
        SunpleatReference(seed)
