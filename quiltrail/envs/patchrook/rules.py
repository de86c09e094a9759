"""Patchrook's constants: board, templates and their order, award, phases, action numbering.

Source: the published rules of Patchrook (gameboard.gg). They give each template's squares, patches
and award; the template drawings, the flat numbering and the draws (see `quilts`) are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

from quiltrail.core.actions import ActionCodec, ActionField, ActionKind

BOARD_SIZE = 5  # every board lies in the top left of a 5 x 5 grid; square = 5 * y + x
NUM_SQUARES = BOARD_SIZE * BOARD_SIZE
MAX_PATCHES = 6
MAX_ORIENTATIONS = 8
LABELS = "ABCDEF"

AWARD_BASE = 150
AWARD_PER_SQUARE = 10
AWARD_PER_PATCH = 20

PLAYING, CLEARED, ENDED = range(3)
PHASES = ("playing", "cleared", "ended")

EMPTY, CUT_OUT = ".#"  # marks of the published board strings


@dataclass(frozen=True)
class Template:
    """A base board: one letter per patch, lettered by first appearance; # is a cut-out."""

    name: str
    rows: tuple[str, ...]


TEMPLATES = (
    Template("Lesson", ("AAA", "BBC", "BCC")),
    Template("Small A", ("AABB", "CABB", "CCCC", "DDDD")),
    Template("Small B", ("AAAB", "CDBB", "CDDD", "CCCD")),
    Template("Medium", ("AAABC", "DEBBC", "DEEBC", "DDEEC")),
    Template("Large A", ("AAAAA", "BBBCC", "BCCCD", "BEDDD", "EEEED")),
    Template("Large B", ("AAAAB", "ACBBB", "CCCBD", "ECEDD", "EEEDD")),
    Template("Cut Corner", ("AABB#", "AACBB", "DDCCC", "DEEFC", "DEFFF")),
)

# A stage is a place in the published order of quilts: 1 to 5 once, then 6 to 8 for ever.
STAGE_TEMPLATES = (0, 1, 2, 3, 3, 4, 5, 6)
NUM_STAGES = len(STAGE_TEMPLATES)
FIRST_REPEATED_STAGE = 5

# A placement of one patch is ``25 * orientation + square``, the square being its button's.
NUM_PLACES = MAX_ORIENTATIONS * NUM_SQUARES
IN_TRAY = -1  # stands for a placement where a patch lies in the tray

# Flat actions: ``200 * patch + placement``, then the others.
LIFT = MAX_PATCHES * NUM_PLACES
RESTART = LIFT + MAX_PATCHES
NEXT = RESTART + 1
BANK = NEXT + 1
NUM_ACTIONS = BANK + 1

_PATCH_ID = ActionField("patchId", tuple(LABELS))

CODEC = ActionCodec(
    ActionKind(
        "place",
        0,
        (
            _PATCH_ID,
            ActionField("orientation", tuple(range(MAX_ORIENTATIONS))),
            ActionField("x", tuple(range(BOARD_SIZE))),
            ActionField("y", tuple(range(BOARD_SIZE))),
        ),
        digits=("patchId", "orientation", "y", "x"),
    ),
    ActionKind("lift", LIFT, (_PATCH_ID,)),
    ActionKind("restart", RESTART),
    ActionKind("next", NEXT),
    ActionKind("bank", BANK),
)
