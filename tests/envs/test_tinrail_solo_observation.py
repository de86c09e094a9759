"""What a learner of Tinrail may see: its own side of the view, and nothing that is hidden."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from quiltrail.agents.tinrail import EasyBot
from quiltrail.envs.tinrail.env import TinrailEnv
from tests.reference.tinrail import Notch, TinrailReference
from tests.reference.tinrail_bots import action_count, exits, try_action


def redealt(state: dict[str, Any], seat: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return a state with what a seat cannot see dealt anew."""
    state = copy.deepcopy(state)
    other, drawn = state["hands"][1 - seat], state["drawn"]
    held = [tile for tile in other if tile >= 0]
    tiles = rng.permutation(held + state["pile"][drawn:]).tolist()
    state["hands"][1 - seat] = tiles[: len(held)] + [-1] * (3 - len(held))
    state["pile"] = [-1] * drawn + tiles[len(held) :]
    return state


@pytest.mark.parametrize("seat", [0, 1])
def test_dealing_the_hidden_tiles_anew_leaves_the_observation_bit_identical(seat: int) -> None:
    env, other = TinrailEnv(seat=seat, opponent="easy"), TinrailEnv(seat=seat, opponent="easy")
    rng, redeals = np.random.default_rng(4), 0
    for seed in range(25):
        env.reset(seed=seed)
        while not env.engine.terminated[0]:
            state = env.get_state()
            again = redealt(state, seat, rng)
            redeals += again != state
            other.reset(options={"state": {k: v for k, v in again.items() if k != "stream"}})
            for name, seen in env.engine.observation.items():
                assert seen.tobytes() == other.engine.observation[name].tobytes(), name
            assert env.view() == other.view()
            env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))
    assert redeals > 100


def test_unseen_tiles_are_those_of_the_other_hand_and_the_pile() -> None:
    env = TinrailEnv(seat="random")
    rng = np.random.default_rng(5)
    for seed in range(10):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            hidden = observation["opponent_hand"].sum() + observation["pile"].sum()
            assert observation["unseen"].sum() == hidden
            action = int(rng.choice(np.flatnonzero(env.action_masks())))
            observation, _, over, _, _ = env.step(action)


def reaches(strands: list[list[int]]) -> list[int]:
    """Return for each port how far clockwise its strand leads, -3 to 4."""
    table = [0] * 8
    for a, b in strands:
        for port, other in ((a, b), (b, a)):
            around = (other - port) % 8
            table[port] = around if around <= 4 else around - 8
    return table


@pytest.mark.parametrize("seat", [0, 1])
def test_the_observation_is_the_view_from_the_own_side(seat: int) -> None:
    env = TinrailEnv(seat=seat, opponent="easy")
    rng = np.random.default_rng(6)
    for seed in range(12):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            assert_sees(observation, env.view(), seat)
            action = int(rng.choice(np.flatnonzero(env.action_masks())))
            observation, _, over, _, _ = env.step(action)


def assert_sees(observation: dict[str, np.ndarray], view: dict[str, Any], seat: int) -> None:
    """Compare an observation with the view, turned by hand for the second seat."""
    turn = 4 * seat

    def seen_cell(cell: int) -> int:
        return 35 - cell if seat else cell

    def seen_ports(strands: list[list[int]]) -> list[int]:
        return reaches([[a ^ turn, b ^ turn] for a, b in strands])

    table = [[0] * 8 for _ in range(36)]
    for cell, strands in view["table"].items():
        table[seen_cell(int(cell))] = seen_ports(strands)
    assert observation["table"].tolist() == table
    hand = [seen_ports(strands) for rotations in view["hand"] for strands in rotations]
    assert observation["hand"].tolist() == hand + [[0] * 8] * (12 - len(hand))
    for who, engine in enumerate((view["engines"][seat], view["engines"][1 - seat])):
        marks = np.flatnonzero(observation["engines"][who]).tolist()
        assert marks == [seen_cell(engine["cell"]), 36 + (engine["port"] ^ turn)]
    assert observation["pile"].sum() == view["pileLength"]
    assert observation["seat"].tolist() == [1 - seat, seat]


@pytest.mark.parametrize("seat", [0, 1])
def test_rides_show_the_exits_where_each_action_leads_on_the_rails_of_now(seat: int) -> None:
    env = TinrailEnv(seat=seat, opponent="easy")
    rng, shared = np.random.default_rng(7), 0
    for seed in range(450, 462):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            state = env.get_state()
            match = TinrailReference.from_position(
                {int(cell): strands for cell, strands in env.view()["table"].items()},
                tuple(Notch(**engine) for engine in env.view()["engines"]),
                [[tile for tile in hand if tile >= 0] for hand in state["hands"]],
                seat,
            )
            shared += match.engines[0].cell == match.engines[1].cell
            for action in range(action_count(match)):
                after = try_action(match, action).engines
                expected = [
                    0 if notch is None else 1 + exits(match.table, notch)
                    for notch in (after[seat], after[1 - seat])
                ]
                assert observation["rides"][action].tolist() == expected
            assert not observation["rides"][action_count(match) :].any()
            choice = int(EasyBot(3).act(env.engine)[0])
            if rng.random() < 0.1:
                choice = int(rng.choice(env.engine.legal_indices(0)))
            observation, _, over, _, _ = env.step(choice)
        assert not observation["rides"].any()
    assert shared > 2
