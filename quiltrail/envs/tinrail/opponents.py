"""Who plays the other seat: a bot inside the kernels, or any policy on a batch of observations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.errors import IllegalActionError, OptionError, shown
from quiltrail.core.extras import callable_named
from quiltrail.envs.tinrail.gbot import BOTS
from quiltrail.envs.tinrail.position import BOTH_SEATS
from quiltrail.envs.tinrail.rules import NUM_ACTIONS

#: (observations, masks) -> actions: dict of arrays (N, ..), int8 (N, 12), ints (N,). It sees the
#: table from its own side, whichever seat it plays.
Policy = Callable[[dict[str, NDArray[Any]], NDArray[np.int8]], Any]
#: A bot's name, "module:attribute" of a policy, or the policy itself.
OpponentLike = str | Policy

POLICY = len(BOTS)  # in place of a bot's number: it plays outside the kernels


@dataclass(frozen=True)
class Opponent:
    """One opponent.

    Attributes:
        name: what `get_state` and error messages call it.
        bot: its number in the kernels, or POLICY.
        policy: what chooses its actions, None for a bot.
    """

    name: str
    bot: int
    policy: Policy | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # policies are frozen: copies of an engine share them

    def ask(
        self, observations: dict[str, NDArray[Any]], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Return the policy's actions, checked.

        Raises:
            IllegalActionError: if they are not one legal action for each row.
        """
        assert self.policy is not None
        actions = np.asarray(self.policy(observations, masks))
        if actions.shape != (len(masks),) or actions.dtype.kind not in "iu":
            raise IllegalActionError(
                f"the opponent {self.name} has to return {len(masks)} integers, shape "
                f"({len(masks)},); got shape {actions.shape} of {actions.dtype}"
            )
        inside = (actions >= 0) & (actions < NUM_ACTIONS)
        legal = inside & (masks[np.arange(len(masks)), np.where(inside, actions, 0)] != 0)
        if not legal.all():
            at = int(np.argmin(legal))
            raise IllegalActionError(
                f"the opponent {self.name} chose action {actions[at]}; "
                f"legal there: {np.flatnonzero(masks[at]).tolist()}"
            )
        return actions.astype(np.int64)


@dataclass
class League:
    """The opponents of a batch, each once; rows refer to them by index.

    Opponents are only ever added, so that running matches keep theirs.
    """

    members: list[Opponent] = field(default_factory=list)

    def indices_of(self, opponents: Iterable[OpponentLike | None]) -> NDArray[np.int16]:
        """Return the index of each opponent, adding new ones; BOTH_SEATS for None.

        Raises:
            OptionError: if one is no opponent.
        """
        known: dict[int | str, int] = {}
        found = []
        for one in opponents:
            key = one if isinstance(one, str) else id(one)
            if key not in known:
                known[key] = BOTH_SEATS if one is None else self._index_of(_resolve_opponent(one))
            found.append(known[key])
        return np.array(found, np.int16)

    @property
    def has_policies(self) -> bool:
        """Whether some member plays outside the kernels."""
        return any(one.policy is not None for one in self.members)

    def bots(self) -> NDArray[np.int64]:
        """Return each member's bot number (or POLICY), (members,); never empty."""
        return np.array([one.bot for one in self.members] or [POLICY], np.int64)

    def _index_of(self, opponent: Opponent) -> int:
        if opponent not in self.members:
            self.members.append(opponent)
        return self.members.index(opponent)


def spread_opponents(
    opponents: OpponentLike | Sequence[OpponentLike | None] | None, num_games: int
) -> list[OpponentLike | None]:
    """Return the opponent of each row, None where the caller plays both seats.

    Raises:
        OptionError: if a sequence has not one for each row.
    """
    if opponents is None or isinstance(opponents, str) or callable(opponents):
        return [opponents] * num_games
    if not isinstance(opponents, Sequence) or len(opponents) != num_games:
        raise OptionError(
            f"opponents are one, or one for each of the {num_games} rows; got {shown(opponents)}"
        )
    return list(opponents)


def _resolve_opponent(opponent: OpponentLike) -> Opponent:
    """Return an opponent from a bot's name, "module:attribute" or a policy.

    Raises:
        OptionError: if it is none of them.
    """
    if callable(opponent):
        return Opponent(_name_of(opponent), POLICY, opponent)
    if isinstance(opponent, str) and opponent in BOTS:
        return Opponent(opponent, BOTS[opponent])
    if isinstance(opponent, str) and ":" in opponent:
        return Opponent(opponent, POLICY, callable_named("opponent", opponent))
    raise OptionError(
        f"an opponent is {', '.join(BOTS)}, a callable on (observations, masks), or "
        f'"module:attribute" of one; got {shown(opponent)}'
    )


def _name_of(policy: Policy) -> str:
    named = policy if hasattr(policy, "__qualname__") else type(policy)
    return f"{named.__module__}:{named.__qualname__}"
