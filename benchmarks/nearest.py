"""Which public environment is nearest to which of our games, and how much faster ours is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

Rows = list[dict[str, Any]]

_SLIDING = "one move rearranges a line of items towards a fixed order"
_BLOCKS = "falling or placed polyominoes fill a board whose full lines vanish for points"
_MERGING = "a small board, random tiles, an endless score"
_PACKING = "polyominoes in four turns cover a small board exactly"
_TWO_PLAYERS = "two players fill a small board in turns; legal moves change with every turn"
_YARDSTICK = "not near, but small too, and everybody has timed it; it has no mask"


@dataclass(frozen=True)
class Subject:
    """A game of ours as it is compared: which batch, and which environment of one game."""

    batch: str
    single: str
    single_face: str = "single"


GAMES = {
    "Sunpleat": Subject("Sunpleat", "Sunpleat"),
    "Patchwork": Subject("Patchwork", "Patchwork"),
    "Patchrook": Subject("Patchrook", "Patchrook"),
    "Tinrail": Subject("Tinrail self-play", "tinrail-v0 (AEC)", "AEC"),
}

#: (game, peer, environment, why it is near), the nearest first.
NEAREST: tuple[tuple[str, str, str, str], ...] = (
    ("Sunpleat", "Jumanji", "SlidingTilePuzzle-v0", _SLIDING),
    ("Sunpleat", "EnvPool", "Jumanji/SlidingTilePuzzle-v0", _SLIDING),
    ("Sunpleat", "Gymnasium", "CartPole-v1", _YARDSTICK),
    ("Sunpleat", "EnvPool", "CartPole-v1", _YARDSTICK),
    ("Patchwork", "Jumanji", "Tetris-v0", _BLOCKS),
    ("Patchwork", "EnvPool", "Jumanji/Tetris-v0", _BLOCKS),
    ("Patchwork", "PufferLib", "tetris", _BLOCKS),
    ("Patchwork", "Jumanji", "Game2048-v1", _MERGING),
    ("Patchwork", "EnvPool", "Jumanji/Game2048-v1", _MERGING),
    ("Patchwork", "pgx", "2048", _MERGING),
    ("Patchwork", "OpenSpiel", "2048", _MERGING),
    ("Patchrook", "Jumanji", "FlatPack-v0", _PACKING),
    ("Patchrook", "EnvPool", "Jumanji/FlatPack-v0", _PACKING),
    ("Tinrail", "pgx", "connect_four", _TWO_PLAYERS),
    ("Tinrail", "pgx", "othello", _TWO_PLAYERS),
    ("Tinrail", "OpenSpiel", "connect_four", _TWO_PLAYERS),
    ("Tinrail", "OpenSpiel", "othello", _TWO_PLAYERS),
    ("Tinrail", "PufferLib", "connect4", _TWO_PLAYERS),
    ("Tinrail", "PettingZoo", "connect_four_v3", _TWO_PLAYERS),
    ("Tinrail", "PettingZoo", "chess_v6", _TWO_PLAYERS),
)


@dataclass(frozen=True)
class Comparison:
    """A game of ours against one environment; rates are steps a second of CPU time.

    "Best" is the fastest batch, ours with one thread and fresh arrays (the default, the slower
    choice); "single" is one game at a time. None where there is no such row.
    """

    game: str
    peer: str
    env: str
    why: str
    our_best: float | None
    peer_best: float | None
    our_single: float | None
    peer_single: float | None

    @property
    def best_ratio(self) -> float | None:
        """How many times faster our best batch is than the peer's best row."""
        return _ratio(self.our_best, self.peer_best)

    @property
    def single_ratio(self) -> float | None:
        """How many times faster one game of ours is than one of the peer's."""
        return _ratio(self.our_single, self.peer_single)

    def to_json(self) -> dict[str, Any]:
        """Return every field and the ratios."""
        ratios = {"best_ratio": self.best_ratio, "single_ratio": self.single_ratio}
        return {**asdict(self), **ratios}


def compare(ours: Rows, peers: dict[str, Rows]) -> list[Comparison]:
    """Return the comparisons of the peers that were timed, in the order of `NEAREST`."""
    found = []
    for game, peer, env, why in NEAREST:
        rows = [row for row in peers.get(peer, []) if row["env"] == env and "cpu_ns" in row]
        if rows:
            subject = GAMES[game]
            batch = [
                row
                for row in ours
                if (row["subject"], row["face"], row["threads"]) == (subject.batch, "vector", 1)
            ]
            alone = [
                row
                for row in ours
                if (row["subject"], row["face"]) == (subject.single, subject.single_face)
            ]
            rates = (_best_rate(batch), _best_rate(rows))
            singles = (_best_rate(alone), _best_rate(_alone(rows, subject.single_face)))
            found.append(Comparison(game, peer, env, why, *rates, *singles))
    return found


def _alone(rows: Rows, face: str) -> Rows:
    """Return the rows of one game at a time, those through our face where there are such."""
    alone = [row for row in rows if row["num_envs"] == 1]
    return [row for row in alone if row["face"] == face] or alone


def _best_rate(rows: Iterable[dict[str, Any]]) -> float | None:
    """Return the most steps a CPU second of some rows, None if there are none."""
    return max((1e9 / row["cpu_ns"] for row in rows), default=None)


def _ratio(ours: float | None, theirs: float | None) -> float | None:
    return ours / theirs if ours and theirs else None
