"""Patchwork's rules for a batch of games: sew, stitch away, deal, revive."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from quiltrail.core.actions import RefusalCode
from quiltrail.core.arguments import check_int
from quiltrail.core.array_types import Record
from quiltrail.core.bitboard import set_bits
from quiltrail.core.engine import Engine
from quiltrail.core.errors import OptionError, shown
from quiltrail.core.jit import compiled
from quiltrail.core.row_kernels import RowKernels, row_kernels
from quiltrail.core.symmetry import Symmetry
from quiltrail.envs.patchwork import rules
from quiltrail.envs.patchwork.checks import check_record
from quiltrail.envs.patchwork.deal import deal, hand_out_small
from quiltrail.envs.patchwork.observation import FIELDS, phase_of, see
from quiltrail.envs.patchwork.position import STATE, view_of
from quiltrail.envs.patchwork.quilt import anchors, full_units
from quiltrail.envs.patchwork.rules import (
    COMBO_POINTS,
    FABRIC_BITS,
    NUM_SLOTS,
    REVIVE,
    REVIVE_DECLINED,
    REVIVE_OPEN,
    REVIVE_USED,
    SIDE,
    SQUARES,
    STUCK,
    UNIT_POINTS,
    USED,
)
from quiltrail.envs.patchwork.symmetry import PatchworkSymmetry
from quiltrail.envs.patchwork.tables import (
    COVERED,
    FABRIC_OF_SHAPE,
    SIZES,
    TOP_BITS,
)

_WRONG_PHASE = int(RefusalCode.WRONG_PHASE)
_NOT_IN_TRAY = int(RefusalCode.NOT_IN_TRAY)
_OUT_OF_BOUNDS = int(RefusalCode.OUT_OF_BOUNDS)
_OVERLAP = int(RefusalCode.OVERLAP)

_ZERO = np.uint64(0)
_REVIVE_AND_FINISH = np.uint64(0b11)
_LARGEST_START = 999_999


@compiled
def _begin(game: Record, sewn: int) -> None:
    """Begin a game on an empty quilt, so late in the dealing schedule."""
    game["cursor"] = game["seed"]
    game["sewn"] = sewn
    game["start"] = sewn
    game["streak"] = 0
    game["revive"] = REVIVE_OPEN
    for word in range(2):
        game["quilt"][word] = 0
        for bit in range(FABRIC_BITS):
            game["fabric"][bit, word] = 0
    deal(game)


@compiled
def _find_legal(game: Record, num_actions: int, legal: Record) -> None:
    """Write a game's legal set."""
    words = legal["words"]
    for w in range(len(words)):
        words[w] = _ZERO
    some = _ZERO
    for slot in range(NUM_SLOTS):
        shape = game["tray"][slot]
        if shape != USED:
            # 81 bits from bit 81 * slot on
            top, bottom = anchors(game["quilt"][0], game["quilt"][1], shape)
            set_bits(words, slot * SQUARES, top)
            set_bits(words, slot * SQUARES + TOP_BITS, bottom)
            some |= top | bottom
    if some == _ZERO and num_actions > REVIVE and game["revive"] == REVIVE_OPEN:
        set_bits(words, REVIVE, _REVIVE_AND_FINISH)


@compiled
def points_of(size: int, units: int, streak: int) -> int:
    """Return a patch's points; ``streak`` counts the clearing patches just before it."""
    return size + UNIT_POINTS * units * units + COMBO_POINTS * streak * units


@compiled
def sew(
    top: np.uint64, bottom: np.uint64, shape: int, anchor: int
) -> tuple[int, np.uint64, np.uint64]:
    """Sew a patch and stitch away; return how many units went, and the quilt (top, bottom)."""
    top |= COVERED[shape, anchor, 0]
    bottom |= COVERED[shape, anchor, 1]
    units, gone_top, gone_bottom = full_units(top, bottom)
    return units, top & ~gone_top, bottom & ~gone_bottom


@compiled
def _dress(game: Record, shape: int, anchor: int) -> None:
    """Give the squares of a patch just sewn its fabric, and take it off empty squares."""
    fabric = FABRIC_OF_SHAPE[shape]
    for bit in range(FABRIC_BITS):
        plane = game["fabric"][bit]
        for word in range(2):
            if (fabric >> bit) & 1:
                plane[word] |= COVERED[shape, anchor, word]
            plane[word] &= game["quilt"][word]


@compiled
def place(game: Record, slot: int, anchor: int) -> int:
    """Sew the patch of a slot, deal if it was the last of its set; return the points won."""
    shape = game["tray"][slot]
    units, top, bottom = sew(game["quilt"][0], game["quilt"][1], shape, anchor)
    game["quilt"][0] = top
    game["quilt"][1] = bottom
    _dress(game, shape, anchor)
    points = points_of(SIZES[shape], units, game["streak"])
    game["score"] += points
    game["streak"] = game["streak"] + 1 if units > 0 else 0
    game["sewn"] += 1
    game["tray"][slot] = USED
    if game["tray"][0] + game["tray"][1] + game["tray"][2] == NUM_SLOTS * USED:
        deal(game)
    return points


@compiled
def _play(game: Record, derived: Record, action: int, num_actions: int) -> tuple[int, bool]:
    """Apply a legal action; return the points won, and that nothing has to wait."""
    game["turn"] += 1
    if action < REVIVE:
        return place(game, action // SQUARES, action % SQUARES), False
    if action == REVIVE:
        hand_out_small(game)
        game["revive"] = REVIVE_USED
    else:
        game["revive"] = REVIVE_DECLINED
    return 0, False


@compiled
def _diagnose(game: Record, legal: Record, action: int, num_actions: int) -> int:
    """Return why an action is refused in a running game."""
    if action >= REVIVE or phase_of(legal["words"], num_actions) == STUCK:
        return _WRONG_PHASE
    shape = game["tray"][action // SQUARES]
    if shape == USED:
        return _NOT_IN_TRAY
    anchor = action % SQUARES
    if COVERED[shape, anchor, 0] | COVERED[shape, anchor, 1] == _ZERO:
        return _OUT_OF_BOUNDS
    return _OVERLAP


class PatchworkEngine(Engine):
    """B games of Patchwork.

    ``start_options``: ``sewn`` starts a fresh game, on an empty quilt, as late in the dealing
    schedule as after that many patches (ours, for training).

    Args:
        num_games: B, at least 1.
        revive: whether a stuck player may take three small patches, once a game.

    Raises:
        OptionError: if ``revive`` is not a bool.
    """

    game: ClassVar[str] = "patchwork"
    kernels: ClassVar[RowKernels] = row_kernels(
        "patchwork", begin=_begin, find_legal=_find_legal, play=_play, diagnose=_diagnose, see=see
    )
    start_options: ClassVar[tuple[str, ...]] = ("sewn",)
    drawing: ClassVar[str] = "quiltrail.envs.patchwork.draw"
    wording: ClassVar[str] = "quiltrail.envs.patchwork.text"
    afterstates: ClassVar[str | None] = "quiltrail.envs.patchwork.afterstates"

    def __init__(self, num_games: int, *, revive: bool = False) -> None:
        if type(revive) is not bool:
            raise OptionError(f"revive is True or False, got {shown(revive)}")
        super().__init__(
            num_games,
            state_dtype=STATE,
            fields=FIELDS,
            codec=rules.REVIVE_CODEC if revive else rules.CODEC,
            settings={"revive": revive},
        )

    def symmetry(self) -> Symmetry:
        """Return the eight views of the square."""
        return PatchworkSymmetry(revive=self.num_actions > REVIVE)

    def check_start(self, name: str, value: object) -> int:
        """Return how many patches count as sewn at the start, 0 to 999,999."""
        return check_int(f'option "{name}"', value, 0, _LARGEST_START)

    def phase(self, row: int) -> int:
        """Return the phase of a row, an index into `rules.PHASES`."""
        return phase_of(self.legal[row], self.num_actions)

    @property
    def _setup(self) -> int:
        """How many actions there are, which tells whether there is a revive."""
        return self.num_actions

    def _particulars(self, row: int, action: int, code: int) -> str:
        if code == RefusalCode.WRONG_PHASE:
            return f"phase {rules.PHASES[self.phase(row)]}"
        slot, anchor = divmod(action, SQUARES)
        if code == RefusalCode.NOT_IN_TRAY:
            return f"slot {slot}"
        if code in (RefusalCode.OUT_OF_BOUNDS, RefusalCode.OVERLAP):
            name = rules.SHAPE_NAMES[self.state["tray"][row, slot]]
            return f"{name} at row {anchor // SIDE}, col {anchor % SIDE}"
        return ""

    def _view(self, row: int) -> dict[str, Any]:
        return view_of(self.state[row], self.phase(row))

    def _check_record(self, record: Record) -> None:
        check_record(record, revive=self.num_actions > REVIVE)
