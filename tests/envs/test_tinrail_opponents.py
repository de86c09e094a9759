"""Opponents in the other seat of Tinrail: callables, names, and what is none."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from quiltrail.agents.tinrail import EasyBot, WiseBot
from quiltrail.core.errors import IllegalActionError, OptionError
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.env import TinrailEnv, TinrailVectorEnv
from quiltrail.envs.tinrail.solo import TinrailSoloEngine


def lowest(observations: dict[str, np.ndarray], masks: np.ndarray) -> np.ndarray:
    """Play the lowest legal action; check what an opponent is shown."""
    assert observations["table"].shape == (len(masks), 36, 8)
    assert masks.dtype == np.int8
    assert masks[:, 0].all()
    assert ((observations["hand"] != 0).all(axis=2) == (masks != 0)).all()
    return masks.argmax(axis=1)


def beyond_the_mask(observations: dict[str, np.ndarray], masks: np.ndarray) -> np.ndarray:
    return np.full(len(masks), 12)


NOT_CALLABLE = 3


@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_a_callable_opponent_replies_in_a_batch(seat: int | str) -> None:
    batch = TinrailVectorEnv(16, opponent=lowest, seat=seat)
    batch.reset(seed=0)
    singles = [TinrailEnv(opponent=f"{__name__}:lowest", seat=seat) for _ in range(16)]
    for row, env in enumerate(singles):
        env.reset(seed=row)
    rng, running = np.random.default_rng(2), set(range(16))
    for _ in range(18):
        actions = np.array([rng.choice(np.flatnonzero(m)) for m in batch.engine.mask])
        _, reward, terminated, _, _ = batch.step(actions)
        for row in sorted(running):
            _, single_reward, over, _, _ = singles[row].step(actions[row])
            assert (single_reward, over) == (reward[row], terminated[row])
            assert singles[row].view() == batch.view(row)
        running -= set(np.flatnonzero(terminated).tolist())
    assert not running


def test_a_callable_that_is_wise_plays_as_wise_does() -> None:
    shown = TinrailEngine(1)

    def wise(observations: dict[str, np.ndarray], masks: np.ndarray) -> np.ndarray:
        state = engine.state[0].copy()
        shown.restore(np.array([0]), [state])
        return WiseBot().act(shown)

    engine = TinrailSoloEngine(1, opponent=wise)
    plain = TinrailSoloEngine(1, opponent="wise")
    rng = np.random.default_rng(9)
    while not engine.terminated[0]:
        action = np.array([rng.choice(engine.legal_indices(0))])
        engine.step(action)
        plain.step(action)
        assert engine.view(0) == plain.view(0)
        assert engine.reward[0] == plain.reward[0]


def test_an_illegal_reply_is_an_error_that_says_what_was_legal() -> None:
    env = TinrailEnv(opponent=beyond_the_mask)
    env.reset(seed=0)
    with pytest.raises(IllegalActionError, match=r"beyond_the_mask chose action 12; legal there"):
        env.step(int(EasyBot().act(env.engine)[0]))
    env = TinrailEnv(opponent=lambda observations, masks: [0.5])
    env.reset(seed=0)
    with pytest.raises(IllegalActionError, match="1 integers"):
        env.step(int(EasyBot().act(env.engine)[0]))


@pytest.mark.parametrize(
    "opponent", ["wyse", "json:dumbs", "no.such.module:x", f"{__name__}:NOT_CALLABLE", 3, ":"]
)
def test_what_is_no_opponent_is_refused(opponent: Any) -> None:
    with pytest.raises(OptionError, match="opponent"):
        TinrailEnv(opponent=opponent)


def test_specs_survive_json_except_with_a_callable() -> None:
    env = gym.make("quiltrail/Tinrail-v0", opponent=f"{__name__}:lowest", seat="random")
    assert env.spec is not None
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.engine.settings == env.unwrapped.engine.settings
    with pytest.raises(TypeError, match="JSON"):
        gym.make("quiltrail/Tinrail-v0", opponent=lowest).spec.to_json()


def test_a_copy_with_a_callable_goes_on_the_same() -> None:
    env = TinrailEnv(opponent=lowest, seat="random")
    env.reset(seed=8)
    env.step(0)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    rng = np.random.default_rng(0)
    while not env.engine.terminated[0]:
        action = int(rng.choice(np.flatnonzero(env.action_masks())))
        env.step(action)
        for twin in twins:
            twin.step(action)
            assert twin.view() == env.view()
