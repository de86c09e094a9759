"""Which records of Patchwork are possible: what play keeps true, field by field."""

from __future__ import annotations

import numpy as np

from quiltrail.core.array_types import Record
from quiltrail.core.errors import demand
from quiltrail.core.mulberry32 import draws_between, jump
from quiltrail.envs.patchwork.deal import big_weight, draw_set, some_patch_fits
from quiltrail.envs.patchwork.quilt import BOTTOM, TOP, full_units
from quiltrail.envs.patchwork.rules import (
    COMBO_POINTS,
    DEAL_TRIES,
    FABRICS,
    MOST_UNITS,
    NUM_SHAPES,
    NUM_SLOTS,
    REVIVE_DECLINED,
    REVIVE_OPEN,
    REVIVE_USED,
    SIDE,
    UNIT_POINTS,
    USED,
)
from quiltrail.envs.patchwork.tables import NUM_SMALL, SIZES, words_as_squares

_LARGEST_PATCH = int(SIZES.max())


def check_record(game: Record, *, revive: bool) -> None:
    """Raise `StateError`, naming the field, unless a game can be in this state."""
    _check_quilt(game)
    _check_tray(game)
    _check_revive(game, revive)
    _check_counters(game)
    _check_score(game)
    _check_stream(game)


def _check_quilt(game: Record) -> None:
    """Check that the squares exist, that no unit is full, and that fabric lies on squares."""
    top, bottom = game["quilt"]
    on_quilt = bool(top & ~TOP == 0 and bottom & ~BOTTOM == 0)
    demand(on_quilt, "quilt", "has 45 bits for rows 0 to 4 and 36 bits for rows 5 to 8")
    full = full_units(top, bottom)[0]
    demand(full == 0, "quilt", f"has no full row, column or block, this one has {full}")
    planes = game["fabric"]
    demand(not (planes & ~game["quilt"]).any(), "fabric", "lies on filled squares only")
    for bits in range(len(FABRICS), 1 << len(planes)):
        wanted = [plane if bits >> n & 1 else ~plane for n, plane in enumerate(planes)]
        beyond = np.bitwise_and.reduce([game["quilt"], *wanted])
        demand(not beyond.any(), "fabric", f"numbers fabrics below {len(FABRICS)}, got {bits}")


def _check_tray(game: Record) -> None:
    """Check that the patches exist and that one is left: a set is dealt when all are sewn."""
    tray = game["tray"].tolist()
    known = all(USED <= shape < NUM_SHAPES for shape in tray)
    demand(known, "tray", f"holds shape ids 0 to {NUM_SHAPES - 1}, or -1 for sewn; got {tray}")
    demand(tray != [USED] * NUM_SLOTS, "tray", "has a patch left")


def _check_revive(game: Record, allowed: bool) -> None:
    """Check that a revive was possible, and that one is declined only when stuck."""
    states = (REVIVE_OPEN, REVIVE_USED, REVIVE_DECLINED) if allowed else (REVIVE_OPEN,)
    demand(game["revive"] in states, "revive", f"is one of {states} with these settings")
    if game["revive"] == REVIVE_DECLINED:
        demand(not some_patch_fits(game), "revive", "is declined only when no patch fits")


def _check_counters(game: Record) -> None:
    """Check turn, sewn, start and tray against each other."""
    placed = int(game["sewn"] - game["start"])
    demand(game["start"] >= 0, "start", "is at least 0")
    demand(placed >= 0, "sewn", "is at least what it was at the start")
    turn = placed + int(game["revive"] != REVIVE_OPEN)
    demand(game["turn"] == turn, "turn", f"is {turn} here: the patches sewn, and the revive")
    used = _used_slots(game)
    if game["revive"] != REVIVE_USED:
        demand(used == placed % NUM_SLOTS, "tray", f"has {placed % NUM_SLOTS} used slots here")
    demand(used <= placed, "tray", f"has at most {placed} used slots here")
    demand(0 <= game["streak"] <= placed, "streak", f"is 0 to {placed} after {placed} patches")


def _check_score(game: Record) -> None:
    """Check that the patches sewn can have filled this quilt and earned this score."""
    placed, streak = int(game["sewn"] - game["start"]), int(game["streak"])
    filled = len(words_as_squares(game["quilt"]))
    squares = filled + SIDE * streak  # each stitch takes a whole unit away
    most_squares = _LARGEST_PATCH * placed
    demand(squares <= most_squares, "quilt", f"has fewer squares after {placed} patches")
    least = max(placed, squares) + UNIT_POINTS * streak + COMBO_POINTS * _pairs(streak)
    most = most_squares + UNIT_POINTS * MOST_UNITS**2 * placed
    most += COMBO_POINTS * MOST_UNITS * _pairs(placed)
    demand(least <= game["score"] <= most, "score", f"is {least} to {most} here")


def _check_stream(game: Record) -> None:
    """Check that the random stream, at this cursor, has just dealt what is left of the tray."""
    used = _used_slots(game)
    deals = int(game["sewn"] - game["start"] - used) // NUM_SLOTS + 1
    revives = int(game["revive"] == REVIVE_USED)
    sets, rest = divmod(draws_between(int(game["seed"]), int(game["cursor"])), NUM_SLOTS)
    fits = rest == 0 and deals + revives <= sets <= deals * DEAL_TRIES + revives
    demand(fits, "cursor", f"lies a whole number of sets, {deals} to {deals * DEAL_TRIES}, on")
    tray = game["tray"].tolist()
    if revives and all(shape < NUM_SMALL for shape in tray):
        return  # perhaps the revive's patches, which depend on a quilt that is gone
    dealt = game.copy()
    dealt["cursor"] = jump(np.uint64(game["cursor"]), -NUM_SLOTS)
    draw_set(dealt, big_weight(int(game["sewn"]) - used))
    drawn = dealt["tray"].tolist()
    agrees = all(shape in (USED, one) for shape, one in zip(tray, drawn, strict=True))
    demand(agrees, "tray", f"has no other patches than {drawn} at this cursor")


def _used_slots(game: Record) -> int:
    return int(np.count_nonzero(game["tray"] == USED))


def _pairs(count: int) -> int:
    """Return 0 + 1 + .. + (count - 1)."""
    return count * (count - 1) // 2
