"""Tinrail for self-play: both seats in one batch, opponents by row, leagues."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from quiltrail.agents.tinrail import WiseBot
from quiltrail.core.errors import IllegalActionError, OptionError
from quiltrail.envs.tinrail.env import TinrailEnv
from quiltrail.envs.tinrail.league import play_matches
from quiltrail.envs.tinrail.selfplay import TinrailSelfPlayVectorEnv
from tests.cases.tinrail import load_bot_vectors
from tests.reference.tinrail import TinrailReference

Observations = dict[str, np.ndarray]


def random_actions(env: TinrailSelfPlayVectorEnv, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in env.action_masks()])


class Frozen:
    """A policy that counts its calls and the rows of each, and plays its own n-th action."""

    def __init__(self, nth: int) -> None:
        self.nth = nth
        self.calls: list[int] = []

    def __call__(self, observations: Observations, masks: np.ndarray) -> np.ndarray:
        self.calls.append(len(masks))
        assert observations["engines"].shape == (len(masks), 2, 44)
        return np.array([np.flatnonzero(mask)[self.nth % mask.sum()] for mask in masks])


def test_without_opponents_both_seats_are_yours_and_rewards_are_the_movers() -> None:
    env = TinrailSelfPlayVectorEnv(12, autoreset_mode="SameStep")
    observations, infos = env.reset(seed=40)
    references = [TinrailReference(40 + row) for row in range(12)]
    rng, ends = np.random.default_rng(0), 0
    for _ in range(60):
        actions = random_actions(env, rng)
        movers = observations["seat"].argmax(axis=1)
        observations, rewards, terminated, _, infos = env.step(actions)
        for row, reference in enumerate(references):
            assert reference.turn == movers[row]
            reference.play(reference.decode(int(actions[row])))
            assert terminated[row] == reference.ended
            won = {f"win{movers[row]}": 1.0, "draw": 0.0, None: 0.0}.get(reference.result, -1.0)
            assert rewards[row] == won
            if reference.ended:
                ends += 1
                references[row] = TinrailReference(int(infos["game_seed"][row]))
            assert env.view(row) == references[row].view()
    assert ends > 60


def test_rows_with_an_opponent_go_from_turn_to_turn() -> None:
    policy = Frozen(2)
    opponents = [None, "wise", "easy", policy, policy, "random", policy, None]
    env = TinrailSelfPlayVectorEnv(8, opponents=opponents, seat="random")
    env.reset(seed=3)
    singles = {
        row: TinrailEnv(opponent=one, seat="random", reward="outcome")
        for row, one in enumerate(opponents)
        if one is not None
    }
    for row, single in singles.items():
        single.reset(seed=3 + row)
    rng, over = np.random.default_rng(1), set()
    for _ in range(12):
        actions = random_actions(env, rng)
        _, rewards, terminated, _, _ = env.step(actions)
        for row, single in singles.items():
            if row not in over:
                _, reward, ended, _, _ = single.step(int(actions[row]))
                assert (reward, ended) == (rewards[row], terminated[row])
                assert single.view() == env.view(row)
        over |= set(np.flatnonzero(terminated).tolist())


def test_a_policy_is_asked_once_a_step_for_all_its_rows() -> None:
    policy = Frozen(0)
    env = TinrailSelfPlayVectorEnv(64, opponents=policy, seat=0)
    env.reset(seed=0)
    assert policy.calls == []
    env.step(np.zeros(64, np.int64))
    assert len(policy.calls) == 1
    assert 32 < policy.calls[0] <= 64


def test_thousands_of_matches_meet_a_league_in_few_calls() -> None:
    league = [Frozen(n) for n in range(4)]
    opponents = [league[row % 4] for row in range(4000)]
    env = TinrailSelfPlayVectorEnv(4000, opponents=opponents)
    env.reset(seed=1)
    agent = WiseBot()
    for _ in range(5):
        env.step(agent.act(env.engine))
    for member in league:
        assert len(member.calls) <= 2 * 5 + 1
        assert max(member.calls) > 400


def test_assigned_opponents_play_from_the_next_match_on() -> None:
    env = TinrailSelfPlayVectorEnv(4, opponents="wise", seat=0, autoreset_mode="SameStep")
    env.reset(seed=0)
    policy = Frozen(1)
    env.assign([1, 3], [policy, None])
    assert env.engine.settings["opponent"][0] == "wise"
    rng, ends = np.random.default_rng(2), np.zeros(4, int)
    names = [member.name for member in env.engine.league.members]
    for _ in range(80):
        before = env.engine.state["opponent"].copy()
        _, _, terminated, _, _ = env.step(random_actions(env, rng))
        same = before == env.engine.state["opponent"]
        assert same[~terminated].all()
        ends += terminated
    assert ends.min() > 1
    wise, frozen = names.index("wise"), 1 - names.index("wise")
    assert env.engine.state["opponent"].tolist() == [wise, frozen, wise, -1]
    assert policy.calls


def test_opponents_are_one_or_one_for_each_row() -> None:
    with pytest.raises(OptionError, match="4 rows"):
        TinrailSelfPlayVectorEnv(4, opponents=["wise", "easy"])
    with pytest.raises(OptionError, match="wyse"):
        TinrailSelfPlayVectorEnv(2, opponents=["wise", "wyse"])
    with pytest.raises(OptionError, match="number of games"):
        TinrailSelfPlayVectorEnv(0, opponents=[])


def test_rows_can_be_copied_with_their_opponents() -> None:
    env = TinrailSelfPlayVectorEnv(4, opponents=["wise", None, "easy", "wise"], seat=0)
    env.reset(seed=5)
    branch = env.engine.branch(np.array([2, 2, 0]))
    assert branch.state["opponent"].tolist() == [1, 1, 0]
    branch.step(np.array([0, 0, 1]))
    assert branch.view(0) == branch.view(1)
    branch.reset(np.arange(3), np.arange(3, dtype=np.uint64))
    assert branch.state["opponent"].tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    "vector", load_bot_vectors(), ids=lambda v: f"{'-'.join(v['players'])}-{v['seed']}"
)
def test_league_matches_repeat_the_recorded_ones(vector: dict) -> None:
    results = play_matches(np.array([vector["seed"]], np.uint64), *vector["players"])
    assert results.placements[0] == vector["placed"]
    assert results.scores[0].tolist() == vector["scores_wise"]
    assert results.outcome[0] == {"win0": 1, "win1": -1}.get(vector["result"], 0)


def test_a_league_plays_each_pairing_in_the_same_batch() -> None:
    seeds = np.arange(600, dtype=np.uint64)
    policy = Frozen(0)
    first = ["wise", "random", policy] * 200
    second = ["random", "easy", "wise"] * 200
    results = play_matches(seeds, first, second)
    wins = [results.outcome[pairing::3].mean() for pairing in range(3)]
    assert wins[0] > 0.9
    assert wins[1] < -0.7
    assert wins[2] < -0.9
    assert len(policy.calls) < 20
    assert Counter(results.outcome.tolist()).keys() == {-1, 0, 1}
    again = play_matches(seeds[:3], first[:3], second[:3])
    np.testing.assert_array_equal(again.scores, results.scores[:3])


def test_both_seats_of_a_league_match_need_a_player() -> None:
    with pytest.raises(OptionError, match="None"):
        play_matches(np.arange(2, dtype=np.uint64), ["wise", None], "easy")  # type: ignore[list-item]


def test_a_policy_that_ignores_its_mask_is_an_error() -> None:
    with pytest.raises(IllegalActionError, match="legal there"):
        play_matches(
            np.arange(1, dtype=np.uint64),
            lambda observations, masks: np.full(len(masks), 99),
            EasyPolicy(),
        )


class EasyPolicy:
    def __call__(self, observations: Observations, masks: np.ndarray) -> np.ndarray:
        return masks.argmax(axis=1)


def test_easy_does_not_draw_like_random() -> None:
    seeds = np.arange(2000, dtype=np.uint64)
    results = play_matches(seeds, "easy", "random")
    assert abs((results.outcome == 1).mean() - 0.94) < 0.02
