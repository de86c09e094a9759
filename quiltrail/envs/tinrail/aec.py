"""Tinrail for PettingZoo: one agent acts at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from quiltrail.core.actions import ActionCodec, JsonAction, as_index, clamp_index
from quiltrail.core.arguments import check_int
from quiltrail.core.errors import (
    IllegalActionError,
    OptionError,
    ResetNeededError,
    StateError,
    shown,
    unknown_name_text,
)
from quiltrail.core.mulberry32 import as_seed
from quiltrail.envs.batch import GameBatch, first_illegal
from quiltrail.envs.rendering import (
    DEFAULT_RENDER_SIZE,
    METADATA,
    Look,
    check_render_mode,
    render,
    rgb_array,
)
from quiltrail.envs.tinrail import flat
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.match import outcome_of, score_of, tiles_survived
from quiltrail.envs.tinrail.rules import NUM_ACTIONS, NUM_SEATS, RESULTS, WIN_FIRST
from quiltrail.envs.tinrail.solo import REWARDS

AGENTS = tuple(f"player_{seat}" for seat in range(NUM_SEATS))
POLICIES = ("refuse", "lose", "raise")
_HUMAN = "human"

_ROW = 0
_NOBODY = -1

Observation = dict[str, NDArray[np.int8]]


class TinrailAEC(AECEnv[str, Observation, int]):  # type: ignore[misc]  # PettingZoo is untyped
    """Two engines on one table of rails, one agent for each.

    | | |
    |---|---|
    | Creation | `tinrail_v0.env()`, or `pettingzoo.make("aec", "quiltrail/tinrail-v0")` |
    | Agents | `player_0` (starts at cell 32, moves first), `player_1` |
    | Actions | `Discrete(12)`: 4 * tileIndex + rotation |
    | Observation | `{"observation": int8 (565,), "action_mask": int8 (12,)}` |
    | Parallel API | through `turn_based_aec_to_parallel` |

    ## Description
    The game of `quiltrail.envs.tinrail.env.TinrailEnv`, both seats played by agents: lay a tile
    before your engine, ride on, stay on the table longer than the other. The rules are those of
    Tinrail, published by gameboard.gg; this package is independent of it, and the deck of a seed
    is ours.

    ## Action Space
    `Discrete(12)`, as in `TinrailEnv`; the rotation is the table's, for both agents.

    ## Observation Space
    `observation` is the fields of `TinrailEnv`, one after the other by name, seen from the agent's
    own side; `quiltrail.envs.tinrail.flat.split` names them again. `action_mask` has the legal
    actions of the agent to move, zeros for the agent that waits, ones after the end.

    ## Starting State
    As in `TinrailEnv`; `player_0` moves.

    ## Rewards
    At the end +1 to the winner and -1 to the loser, 0 and 0 for a draw, also to the agent that did
    not place last. `reward="score"` pays both agents their published scores instead.

    ## Episode End
    Both agents terminate together. An illegal action is refused: nothing changes, the agent moves
    again, and after `max_refusals` of them in one match both agents are truncated, unpaid. With
    `on_refusal="lose"` an illegal action loses the match, -1 and +1.

    ## Information
    `score` (0 before the end), `game_seed`, `refusal` (of the agent's last action, 0 = accepted).

    ## Arguments
    - `reward`: `"outcome"` or `"score"`.
    - `on_refusal`: `"refuse"`, `"lose"` or `"raise"`.
    - `max_refusals`: at least 1.
    - `render_mode`: `"rgb_array"`, `"ansi"` or None; `"human"` needs pygame and a screen, and is
      therefore not among the declared modes. `render_size`, `theme` as in `TinrailEnv`.

    ## Version History
    - v0: first version.
    """

    agent_selection: str
    metadata = {**METADATA, "name": "tinrail_v0", "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        *,
        reward: str = "outcome",
        on_refusal: str = "refuse",
        max_refusals: int = 100,
        render_mode: str | None = None,
        render_size: int = DEFAULT_RENDER_SIZE,
        theme: str = "light",
    ) -> None:
        super().__init__()
        if reward not in REWARDS:
            raise OptionError(unknown_name_text("reward", reward, REWARDS))
        if on_refusal not in POLICIES:
            raise OptionError(unknown_name_text("on_refusal policy", on_refusal, POLICIES))
        check_int("max_refusals", max_refusals, 1)
        self.render_mode = render_mode if render_mode == _HUMAN else check_render_mode(render_mode)
        self.reward, self.on_refusal, self.max_refusals = reward, on_refusal, max_refusals
        self.engine = TinrailEngine(1)
        self.refusals = 0
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces = {agent: _observation_space() for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}
        self._look = Look(render_size, theme)
        self._window: Any = None
        self._batch = GameBatch(self.engine)
        self._action = np.zeros(1, np.int64)
        self._rng = np.random.default_rng()
        self._forfeiter = _NOBODY

    @property
    def codec(self) -> ActionCodec:
        """The action numbering and JSON grammar: ``encode``, ``decode``, ``schema``."""
        return self.engine.codec

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's action space, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a match; seed and options as in `quiltrail.envs.single.GameEnv.reset`.

        An option named "options" is ignored: PettingZoo's own test passes one.

        Raises:
            InvalidSeedError: if the seed is not an int.
            OptionError: if an option is unknown or out of range.
            StateError: if a state is malformed or impossible.
        """
        known = {name: value for name, value in (options or {}).items() if name != "options"}
        game_seed = None if seed is None else as_seed(seed)
        self._batch.reset(self._batch.all_rows, self._rng, game_seed, known)
        self.refusals = 0
        self._forfeiter = _NOBODY
        self._begin()
        if self.render_mode == _HUMAN:
            self.render()

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Play the action of `agent_selection`; None removes an agent whose match is over.

        Raises:
            ActionTypeError: if the action is not an integer.
            IllegalActionError: if it is illegal and the policy is "raise".
            ResetNeededError: if no agent is left.
        """
        if not self.agents:
            raise ResetNeededError("no agent is left; call reset() to start a match")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        index = as_index(action)
        if self.on_refusal == "raise":
            self._raise_if_illegal(index)
        self._cumulative_rewards[agent] = 0.0
        self._action[_ROW] = clamp_index(index)
        self.engine.step(self._action)
        refusal = self.engine.refusal.item(_ROW)
        self.infos[agent]["refusal"] = refusal
        if refusal:
            self._refused(agent)
        else:
            self.agent_selection = AGENTS[1 - AGENTS.index(agent)]
            if self.engine.terminated.item(_ROW):
                self._end()
                self._accumulate_rewards()
        if self.render_mode == _HUMAN:
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, fresh arrays; also for an agent that waits or is done."""
        seat, engine = AGENTS.index(agent), self.engine
        is_mover = seat == self._mover()
        if is_mover:
            words = engine.words
        else:
            words = engine.observe_words(self._batch.all_rows, np.array([seat]))
        if self._forfeiter != _NOBODY or engine.terminated.item(_ROW):
            mask = np.ones(NUM_ACTIONS, np.int8)
        elif is_mover:
            mask = engine.mask[_ROW].copy()
        else:
            mask = np.zeros(NUM_ACTIONS, np.int8)
        return {"observation": flat.flatten(words[_ROW]), "action_mask": mask}

    def render(self) -> Any:
        """Return the position drawn in the environment's mode; "human" shows it in a window."""
        if self.render_mode == _HUMAN:
            self._show()
            return None
        return render(self.engine, _ROW, self.render_mode, self._look)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def legal_actions(self) -> list[JsonAction]:
        """Return the exact published legal list of the agent to move; [] after the end."""
        return self.engine.legal_actions(_ROW) if self._forfeiter == _NOBODY else []

    def view(self, agent: str | None = None) -> dict[str, Any]:
        """Return what the publisher's observation publishes, in table coordinates.

        Hand and legal list are those of ``agent``, by default of the one to move; an agent that
        waits has no legal actions.
        """
        seat = None if agent is None else AGENTS.index(agent)
        view = self.engine.view(_ROW, seat)
        if self._forfeiter != _NOBODY:
            view |= {"toMove": None, "hand": [], "legalActions": [], "phase": "ended"}
            view["result"] = RESULTS[WIN_FIRST + 1 - self._forfeiter]
        return view

    def get_state(self) -> dict[str, Any]:
        """Return the complete state as JSON values, the stream of next games included."""
        own = {"refusals": self.refusals, "forfeiter": self._forfeiter}
        return {**self._batch.get_state(_ROW), **own}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Continue exactly from a state of `get_state`.

        Raises:
            StateError: if it is malformed or impossible; nothing has changed then.
        """
        if not isinstance(state, Mapping):
            raise StateError(f"a state is a dict from get_state, got {type(state).__name__}")
        rest = dict(state)
        refusals, forfeiter = rest.pop("refusals", 0), rest.pop("forfeiter", _NOBODY)
        if type(refusals) is not int or not 0 <= refusals <= self.max_refusals:
            raise StateError(f'state field "refusals" is 0 to {self.max_refusals}')
        if type(forfeiter) is not int or not _NOBODY <= forfeiter < NUM_SEATS:
            raise StateError(
                f'state field "forfeiter" is {_NOBODY}, 0 or 1, got {shown(forfeiter)}'
            )
        self._batch.set_state(_ROW, rest)
        self.refusals, self._forfeiter = refusals, forfeiter
        self._begin()

    def _begin(self) -> None:
        """Make agents, rewards and flags fit the position."""
        game_seed = int(self.engine.game_seed[_ROW])
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, self.refusals >= self.max_refusals)
        self.infos = {agent: {"score": 0, "game_seed": game_seed, "refusal": 0} for agent in AGENTS}
        self._skip_agent_selection = None  # PettingZoo's, for steps of agents that are done
        self.agent_selection = AGENTS[self._mover()]
        if self.engine.terminated[_ROW] or self._forfeiter != _NOBODY:
            self._end()
            self._clear_rewards()

    def _refused(self, agent: str) -> None:
        self.refusals += 1
        if self.on_refusal == "lose":
            self._forfeiter = AGENTS.index(agent)
            self._end()
            self._accumulate_rewards()
        elif self.refusals >= self.max_refusals:
            self.truncations = dict.fromkeys(AGENTS, True)

    def _end(self) -> None:
        """End the match for both agents and pay them; before, all rewards are 0."""
        game = self.engine.state[_ROW]
        result = int(game["result"])
        if self._forfeiter != _NOBODY:
            result = WIN_FIRST + 1 - self._forfeiter
        for seat, agent in enumerate(AGENTS):
            score = int(score_of(result, seat, tiles_survived(game, seat), False))
            self.infos[agent]["score"] = score
            paid = score if self.reward == "score" else int(outcome_of(result, seat))
            self.rewards[agent] = float(paid)
            self.terminations[agent] = True

    def _mover(self) -> int:
        """Return the seat to move; after the end, the one that placed last."""
        return int(self.engine.state["to_move"].item(_ROW))

    def _raise_if_illegal(self, index: int) -> None:
        refused = first_illegal(self.engine, [_ROW], [index])
        if refused is not None:
            raise IllegalActionError(f"{self.agent_selection}, {refused[1]}")

    def _show(self) -> None:
        if self._window is None:
            from quiltrail.render.window import Window

            self._window = Window(str(self), int(self.metadata["render_fps"]))
        self._window.show(rgb_array(self.engine, _ROW, self._look))


def _observation_space() -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(flat.LOW, flat.HIGH, dtype=np.int8),
            "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
        }
    )
