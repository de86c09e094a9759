"""Playing a batch: its arrays, handed to the loops over rows of its game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quiltrail.core import legality
from quiltrail.core.actions import RefusalCode
from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Rows, StateArray
from quiltrail.core.arrays import BatchArrays
from quiltrail.core.rollout import Rollout, check_policy, new_rolls
from quiltrail.core.row_kernels import RowKernels, Setup
from quiltrail.core.slices import run_in_slices


class BatchPlay(BatchArrays):
    """B games in the arrays of `BatchArrays`, begun, stepped and rolled out by `kernels`."""

    #: The loops over rows around the game's kernels.
    kernels: ClassVar[RowKernels]
    #: The start option's value where none is given.
    usual_start: ClassVar[int] = 0

    _threads = 1

    @property
    def threads(self) -> int:
        """How many threads share a step or a rollout, 1 by default; settable.

        The results are the same for any number; `quiltrail.core.slices` says when they pay.

        Raises:
            OptionError: if it is set to anything but an int of at least 1.
        """
        return self._threads

    @threads.setter
    def threads(self, threads: int) -> None:
        self._threads = check_int("threads", threads, 1)

    def reset(self, rows: Rows, seeds: NDArray[np.uint64], **start: NDArray[np.int64]) -> None:
        """Start new games in rows, one seed each; ``start`` as in `start_options`."""
        self._start(rows, seeds, **start)
        self._settle(rows)

    def step(self, actions: NDArray[np.int64], rows: Rows | None = None) -> None:
        """Play one action in every row, or in the given ones only, each at most once.

        A refused action changes nothing but ``refusal``; it never raises.
        """
        if rows is None and self._threads == 1:  # nearly always: no slices, and nothing to make
            waiting = self._waiting[: self._step(self._all_rows, actions, self._waiting)]
        else:
            rows = self._all_rows if rows is None else rows
            waiting = run_in_slices(self._step, self._threads, rows, actions)
        if len(waiting):
            self._go_on(waiting)
            self._show(waiting)

    def rollout(
        self,
        *,
        steps: int,
        policy: str = "random",
        seed: int = 0,
        forbid: Sequence[int] = (),
        rows: Rows | None = None,
    ) -> Rollout:
        """Play on by a built-in policy inside compiled code, and return what it brought.

        Plays what a loop over `step` with `quiltrail.agents.RandomLegal` would, in every row until
        its game ends or ``steps`` are played, without a mask or an observation in between. The
        games of this engine move on: to keep them, roll out a `branch` or a `copy`. Afterwards
        ``reward`` is the sum over the rollout.

        Args:
            steps: the most steps of a row.
            policy: "random": uniform over the legal actions.
            seed: row i draws from a stream of its own, which (seed + i) chooses.
            forbid: flat actions it never takes while another one is legal, such as bank.
            rows: distinct rows; all of them by default.

        Raises:
            OptionError: if an argument is not one of these.
            InvalidSeedError: if the seed is not an int.
        """
        check_policy(policy)
        rows = self._all_rows if rows is None else np.asarray(rows, np.int64)
        rolls = new_rolls(self.num_games, steps, seed)
        forbidden = legality.action_set(forbid, self.num_actions)
        self.reward[rows] = 0.0
        self.refusal[rows] = RefusalCode.ACCEPTED
        kernel = partial(self._roll, rolls, forbidden)
        playing = run_in_slices(kernel, self._threads, rows)
        while len(playing):
            self._go_on(playing)
            playing = run_in_slices(kernel, self._threads, playing)
        self._show(rows)
        return Rollout(
            self.reward[rows],
            self.score[rows],
            self.terminated[rows],
            steps - rolls["left"][rows],
        )

    # What a game may write.

    @property
    def _setup(self) -> Setup:
        """What the game's kernels have to know beside a game's record."""
        return 0

    def _start(self, rows: Rows, seeds: NDArray[np.uint64], **start: NDArray[np.int64]) -> None:
        """Write fresh games into rows; ``start`` may have checked values of the start option."""
        self._begin(rows, seeds, *start.values())

    def _go_on(self, rows: Rows) -> None:
        """Do for rows in the middle of a step what their kernel cannot, such as deal a level."""

    def _derive(self, rows: Rows) -> None:
        """Write ``derived`` of rows whose state did not come about by play."""

    # The loops over rows.

    def _begin(
        self, rows: Rows, seeds: NDArray[np.uint64], firsts: NDArray[np.int64] | None = None
    ) -> None:
        """Write what the games of some seeds begin with, each with a value of the start option."""
        if firsts is None:
            firsts = self._usual_start_of_all
        self.kernels.begin(self.state, rows, seeds, firsts)

    def _step(self, rows: Rows, actions: NDArray[np.int64], waiting: Rows) -> int:
        """Step some rows; those that wait come to the front of ``waiting``, return how many."""
        return self.kernels.step(*self._played, rows, actions, waiting)

    def _roll(
        self, rolls: StateArray, forbidden: NDArray[np.uint64], rows: Rows, waiting: Rows
    ) -> int:
        """Roll some rows out; those that wait come to the front of ``waiting``, return how many."""
        return self.kernels.roll(*self._played, rolls, forbidden, rows, waiting)

    def _show(self, rows: Rows) -> None:
        """Write legal set, mask, observation, end and success of rows from their states."""
        self.kernels.show(*self._shown, rows)

    @cached_property
    def _shown(self) -> tuple[Any, ...]:
        """What the loop that shows games begins with."""
        return (
            self.state,
            self.derived,
            legality.records_of_words(self.legal),
            legality.records_of_words(self._mask_words),
            self._seen,
            self.terminated,
            self._wins,
            self._setup,
        )

    @cached_property
    def _played(self) -> tuple[Any, ...]:
        """What the loops that play games begin with."""
        return (*self._shown, self.reward, self.refusal, self.num_actions)

    @cached_property
    def _usual_start_of_all(self) -> NDArray[np.int64]:
        """The usual start, (1,): one for all rows."""
        return np.array([self.usual_start])

    @cached_property
    def _waiting(self) -> Rows:
        """Room for the rows that a step of the whole batch leaves waiting, (B,)."""
        return np.empty(self.num_games, np.int64)

    def _forget_setup(self) -> None:
        """Take a setup that has changed into account."""
        for name in ("_shown", "_played"):
            vars(self).pop(name, None)

    def _settle(self, rows: Rows) -> None:
        """Make everything derived fit new states in rows."""
        self.reward[rows] = 0.0
        self.refusal[rows] = RefusalCode.ACCEPTED
        self._derive(rows)
        self._show(rows)
