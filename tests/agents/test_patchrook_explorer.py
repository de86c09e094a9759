"""The Patchrook player that goes by a learned chance: its nodes, its memory, its search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from quiltrail.agents import make_agent
from quiltrail.agents.patchrook_explorer import PatchrookExplorer
from quiltrail.agents.patchrook_nodes import Nodes, even_chance, expand, nodes_of
from quiltrail.core.errors import OptionError
from quiltrail.envs.patchrook.engine import PatchrookEngine
from quiltrail.envs.patchrook.levels import PatchrookLevelsEngine
from quiltrail.envs.patchrook.rules import LIFT, MAX_PATCHES, RESTART
from quiltrail.envs.patchrook.solver import search
from quiltrail.train.evaluate import evaluate
from quiltrail.wrappers import CanonicalOrder
from tests.agents.patchrook_drawings import node_of

LEVELS = {"one_board": True, "split": "test", "num_levels": 4000}


def exact(nodes: Nodes) -> NDArray[np.float64]:
    """Return 1 where the exact search finds a cover, else 0."""
    covers = np.zeros((1, MAX_PATCHES), np.int16)

    def has_cover(node: Any) -> bool:
        tray = np.uint64((1 << int((node["tray"] > 0).sum())) - 1)
        return search(np.uint64(node["empty"]), tray, node["tray"], covers) > 0

    return np.array([float(has_cover(node)) for node in nodes])


def test_children_of_a_drawn_node_are_the_placements_on_its_lowest_square() -> None:
    children, bounds = expand(node_of("...#/...#/...#", "I3", "L3", "L3"))
    drawn = [
        "ooo#/...#/...#",  # I3 lies
        "o..#/o..#/o..#",  # I3 stands
        "oo.#/o..#/...#",  # L3 in the three turns that cover its box's top left square
        "oo.#/.o.#/...#",
        "o..#/oo.#/...#",
    ]
    trays = [("L3", "L3")] * 2 + [("I3", "L3")] * 3
    expected = {
        (int(node["empty"]), node["tray"].tobytes())
        for drawing, tray in zip(drawn, trays, strict=True)
        for node in node_of(drawing, *tray)
    }
    assert {(int(one["empty"]), one["tray"].tobytes()) for one in children} == expected
    assert bounds.tolist() == [0, 5]


def test_a_full_quilt_and_a_hole_too_small_have_no_children() -> None:
    nodes = np.concatenate([node_of("###"), node_of("..#/###", "I3")])
    assert expand(nodes)[1].tolist() == [0, 0, 0]


def test_children_are_the_placements_that_canonical_order_leaves() -> None:
    engine = PatchrookLevelsEngine(64, split="train")
    rng = np.random.default_rng(3)
    view = CanonicalOrder()
    view.bind(engine)
    for _ in range(4):
        masks = view.masks(engine, engine.mask)[:, :48]
        nodes = nodes_of(engine.state, np.arange(64))
        _, bounds = expand(nodes)
        different = [
            len({(game["shape"][at // 8], at % 8) for at in np.flatnonzero(mask)})
            for game, mask in zip(engine.state, masks, strict=True)
        ]
        assert np.diff(bounds).tolist() == different
        drawn = [rng.choice(np.flatnonzero(m)) if m.any() else 54 for m in masks]
        engine.step(view.to_game(engine, np.array(drawn)))


def test_exact_chances_clear_every_quilt_without_a_wasted_action() -> None:
    found = evaluate(PatchrookExplorer(exact), "patchrooklevels", range(40), settings=LEVELS)
    solved = evaluate(make_agent("patchrook-solver"), "patchrooklevels", range(40), settings=LEVELS)
    assert found.lengths == solved.lengths
    assert found.successes == found.in_budget == [True] * 40


def test_without_any_idea_it_tries_everything_once_and_clears_every_small_quilt() -> None:
    settings = {**LEVELS, "patches": 3}
    found = evaluate(
        PatchrookExplorer(even_chance), "patchrooklevels", range(60), settings=settings
    )
    assert found.successes == [True] * 60
    assert found.refusals == 0
    assert max(found.lengths) > 4


def test_enough_thoughts_leave_no_wasted_action() -> None:
    settings = {**LEVELS, "patches": [3, 4]}
    player = PatchrookExplorer(even_chance, thoughts=200)
    found = evaluate(player, "patchrooklevels", range(20), settings=settings)
    solved = evaluate(
        make_agent("patchrook-solver"), "patchrooklevels", range(20), settings=settings
    )
    assert found.lengths == solved.lengths


def test_a_quilt_laid_in_another_order_is_begun_anew() -> None:
    engine = PatchrookEngine(1)
    last = max(action for action in engine.legal_indices(0) if action < LIFT)
    engine.step(np.array([last]))
    assert PatchrookExplorer(even_chance).act(engine).tolist() == [RESTART]


def test_the_same_seed_again_is_played_alike_by_the_same_player() -> None:
    player = PatchrookExplorer(even_chance)
    first = evaluate(player, "patchrooklevels", range(8), settings=LEVELS, max_episode_steps=30)
    again = evaluate(player, "patchrooklevels", range(8), settings=LEVELS, max_episode_steps=30)
    assert first.lengths == again.lengths
    assert first.first_game.actions == again.first_game.actions


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"patience": -0.1}, "patience"),
        ({"patience": True}, "patience"),
        ({"thoughts": -1}, "thoughts"),
        ({"thoughts": 1.0}, "thoughts"),
        ({"value": "quiltrail.nowhere:value"}, "chance function"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        PatchrookExplorer(**{"value": even_chance, **arguments})
