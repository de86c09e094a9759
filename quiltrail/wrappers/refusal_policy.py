"""RefusalPolicy: what an illegal action costs a learner that sees no masks."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quiltrail.core.engine import Engine
from quiltrail.core.errors import IllegalActionError, OptionError, shown, unknown_name_text
from quiltrail.envs.batch import first_illegal
from quiltrail.wrappers.transform import Transform

IGNORE, PENALISE, END, RAISE = "ignore", "penalise", "end", "raise"
POLICIES = (IGNORE, PENALISE, END, RAISE)


class RefusalPolicy(Transform):
    """Decide what a refused action brings; the game itself never changes by one.

    | policy | reward | episode |
    |---|---|---|
    | "ignore" | 0, as the games do by themselves | goes on |
    | "penalise" | ``-penalty`` | goes on |
    | "end" | ``-penalty`` | ends, as terminated |
    | "raise" | | `IllegalActionError` before anything moves |

    A step after the game's end is refused too, and is left as it is. Put it next to the game,
    before transforms that renumber actions.

    Args:
        policy: one of the four.
        penalty: a finite number from 0 on, for "penalise" and "end".

    Raises:
        OptionError: if the policy is unknown or the penalty out of range.
    """

    def __init__(self, policy: str = PENALISE, penalty: float = 1.0) -> None:
        if policy not in POLICIES:
            raise OptionError(unknown_name_text("refusal policy", policy, POLICIES))
        if not 0 <= penalty < float("inf"):
            raise OptionError(f"penalty is a finite number from 0 on, got {shown(penalty)}")
        self.policy = policy
        self.penalty = penalty

    def action_space(self, engine: Engine, space: spaces.Discrete) -> spaces.Discrete:
        """Demand the game's own actions."""
        if space.n != engine.num_actions:
            raise OptionError(
                f"RefusalPolicy judges {engine.game}'s own {engine.num_actions} actions; "
                f"put it before what makes them {space.n}"
            )
        return space

    def to_game(self, engine: Engine, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Pass the actions on; with "raise", refuse illegal ones here."""
        if self.policy == RAISE:
            _raise_if_illegal(engine, actions)
        return actions

    def rewards(self, engine: Engine, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
        """Charge for refusals."""
        if self.policy not in (PENALISE, END):
            return rewards
        return rewards - self.penalty * _refused(engine)

    def ends(self, engine: Engine) -> NDArray[np.bool_] | None:
        """Return the refused rows, with "end"."""
        return _refused(engine) if self.policy == END else None


def _refused(engine: Engine) -> NDArray[np.bool_]:
    """Return the running games (B,) that refused the last action."""
    refused: NDArray[np.bool_] = (engine.refusal != 0) & ~engine.terminated
    return refused


def _raise_if_illegal(engine: Engine, actions: NDArray[np.int64]) -> None:
    running = np.flatnonzero(~engine.terminated)
    refused = first_illegal(engine, running.tolist(), actions[running].tolist())
    if refused is not None:
        raise IllegalActionError(f"row {refused[0]}, {refused[1]}")
