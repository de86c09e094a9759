"""JsonActions and JsonGame: the published JSON in, the published JSON out."""

from __future__ import annotations

import copy
import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from quiltrail.core.errors import ActionTypeError, InvalidSeedError, OptionError, UnknownNameError
from quiltrail.wrappers import CanonicalOrder, JsonActions, JsonGame, apply_transforms
from tests.each import each_id

MALFORMED: list[tuple[Any, int]] = [
    (None, 1),
    ("{", 1),
    ("[1]", 1),
    ("[" * 100_000, 1),
    ({}, 2),
    ({"type": "teleport"}, 2),
]


@each_id
def test_a_json_action_plays_what_its_index_plays(env_id: str) -> None:
    env, plain = JsonActions(gym.make(env_id)), gym.make(env_id)
    _, info = env.reset(seed=1)
    plain.reset(seed=1)
    rng = np.random.default_rng(1)
    for step in range(20):
        listed = info["legal_actions"]
        assert listed == plain.unwrapped.legal_actions()
        action = listed[int(rng.integers(len(listed)))]
        said = env.step(json.dumps(action) if step % 2 else action)
        again = plain.step(plain.unwrapped.codec.encode(action))
        info = said[4]
        assert said[1:4] == again[1:4]
        assert (info["refusal"], info["reason"]) == (0, "")
        if said[2] or said[3]:
            break


@each_id
@pytest.mark.parametrize(("action", "code"), MALFORMED)
def test_what_is_outside_the_grammar_changes_nothing_and_is_explained(
    env_id: str, action: Any, code: int
) -> None:
    env = JsonActions(gym.make(env_id))
    env.reset(seed=1)
    before = env.unwrapped.view()
    _, reward, terminated, _, info = env.step(action)
    assert (reward, terminated, info["refusal"]) == (0.0, False, code)
    assert info["reason"]
    assert env.unwrapped.view() == before


@each_id
def test_the_vector_form_takes_one_action_a_row(env_id: str) -> None:
    env, single = JsonActions(gym.make_vec(env_id, num_envs=2)), JsonActions(gym.make(env_id))
    env.reset(seed=4)
    single.reset(seed=4)
    action = env.unwrapped.legal_actions(0)[0]
    seen, rewards, _, _, infos = env.step([action, {"type": "teleport"}])
    said = single.step(action)
    assert rewards[0] == said[1]
    for name, values in said[0].items():
        np.testing.assert_array_equal(seen[name][0], values)
    assert infos["refusal"].tolist() == [0, 2]
    assert infos["reason"][0] == ""
    assert "teleport" in infos["reason"][1]
    with pytest.raises(ActionTypeError, match="2 JSON actions"):
        env.step([action])


def test_a_row_that_is_reset_ignores_its_action() -> None:
    env = JsonActions(gym.make_vec("quiltrail/Sunpleat-v0", num_envs=2, max_episode_steps=1))
    env.reset(seed=0)
    bank = {"type": "bank"}
    env.step([bank, {"type": "flip", "count": 1}])
    _, _, _, _, infos = env.step([bank, "nonsense"])
    assert infos["refusal"].tolist() == [0, 0]
    assert infos["reason"].tolist() == ["", ""]


def test_json_actions_are_the_games_own() -> None:
    env = apply_transforms(gym.make("quiltrail/Patchrook-v0"), CanonicalOrder())
    with pytest.raises(OptionError, match="1209"):
        JsonActions(env)
    with pytest.raises(OptionError, match="GameEnv"):
        JsonActions(gym.make("CartPole-v1"))


@each_id
def test_the_protocol_plays_a_game_statelessly(env_id: str) -> None:
    first, second = JsonGame(env_id), JsonGame(env_id)
    said = first.init(7)
    assert said["spec"]["id"] == env_id
    assert set(said) == {"state", "observation", "legalActions", "spec", "score", "gameOver"}
    plain = gym.make(env_id).unwrapped
    plain.reset(seed=7)
    rng = np.random.default_rng(0)
    for step in range(15):
        assert json.loads(json.dumps(said)) == said
        assert said["observation"] == plain.view()
        assert said["legalActions"] == plain.legal_actions()
        action = said["legalActions"][int(rng.integers(len(said["legalActions"])))]
        other = (first, second)[step % 2]
        other.init(step)  # another game in between changes nothing
        said = other.action({"state": copy.deepcopy(said["state"]), "action": action})
        assert said["ok"] is True
        plain.step(plain.codec.encode(action))
        assert (said["score"], said["gameOver"]) == (plain.engine.score[0], plain.engine.terminated)
        if said["gameOver"]:
            assert said["legalActions"] == []
            break


@each_id
@pytest.mark.parametrize(
    "request_", [None, [], {}, {"state": 1, "action": 2}, {"state": {}, "action": {}, "more": 1}]
)
def test_a_bad_request_is_answered_with_a_reason(env_id: str, request_: Any) -> None:
    said = JsonGame(env_id).action(request_)
    assert said["ok"] is False
    assert said["reason"]
    assert said["legalActions"] == []


@each_id
def test_an_illegal_action_is_answered_with_the_legal_ones(env_id: str) -> None:
    game = JsonGame(env_id)
    start = game.init(2)
    said = game.action({"state": start["state"], "action": {"type": "teleport"}})
    assert (said["ok"], said["legalActions"]) == (False, start["legalActions"])
    forged = {**start["state"], "score": "many"}
    assert "score" in game.action({"state": forged, "action": start["legalActions"][0]})["reason"]


def test_unknown_games_settings_and_seeds_are_refused() -> None:
    with pytest.raises(UnknownNameError):
        JsonGame("chess")
    with pytest.raises(OptionError, match="colour"):
        JsonGame("sunpleat", colour="red")
    with pytest.raises(InvalidSeedError):
        JsonGame("sunpleat").init("7")  # type: ignore[arg-type]
