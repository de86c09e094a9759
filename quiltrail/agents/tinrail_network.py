"""The learned value of Tinrail's afterstates: one hidden layer over a sparse input, compiled."""

from __future__ import annotations

import math
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quiltrail.agents.tinrail_views import MOST_ACTIVE, NUM_ENTRIES, Afterstate, write_active
from quiltrail.core.archive import (
    check_array,
    check_weights,
    read_arrays,
    read_file,
    write_arrays,
)
from quiltrail.core.array_types import Record, StateArray
from quiltrail.core.errors import ModelMismatchError
from quiltrail.core.jit import compiled
from quiltrail.envs.tinrail.match import distinct_placements, hand_size, laid_by
from quiltrail.envs.tinrail.rails import after, lay, take_back
from quiltrail.envs.tinrail.rules import (
    EMPTY,
    NUM_ACTIONS,
    NUM_CELLS,
    NUM_ROTATIONS,
    NUM_TILES,
    OFF,
    PORT_BITS,
    UNDECIDED,
)

#: Logits of an afterstate that ends the match; a learned one never gets there.
WIN_LOGIT, DRAW_LOGIT = 100.0, 0.0

#: The file with the network that comes with the package.
SHIPPED = "tinrail_learned.npz"

_KIND = "quiltrail tinrail networks 1"
_ONE = np.uint64(1)
_ALL_TILES = np.uint64((1 << NUM_TILES) - 1)


class Network(NamedTuple):
    """The weights of N networks of H hidden units; a league has many, a player one.

    Attributes:
        entries: (N, `NUM_ENTRIES`, H) float32, what each active entry adds to the hidden units.
        bias: (N, H) float32, of the hidden units.
        head: (N, H) float32, what each hidden unit above 0 adds to the logit.
        offset: (N, 1) float32, of the logit of a win of who placed the tile.
    """

    entries: NDArray[np.float32]
    bias: NDArray[np.float32]
    head: NDArray[np.float32]
    offset: NDArray[np.float32]


class Room(NamedTuple):
    """Room for kernels to evaluate one decision in.

    Attributes:
        active: (12, `MOST_ACTIVE`) int32, the active entries of each afterstate.
        counts: (12,) int64, how many there are, 0 where the match ends.
        logits: (12,) float64.
        placements: (12,) int64, the mover's distinct actions.
        hidden: (H,) float32.
    """

    active: NDArray[np.int32]
    counts: NDArray[np.int64]
    logits: NDArray[np.float64]
    placements: NDArray[np.int64]
    hidden: NDArray[np.float32]


def empty_network(networks: int, hidden: int) -> Network:
    """Return networks of zeros."""
    return Network(
        np.zeros((networks, NUM_ENTRIES, hidden), np.float32),
        np.zeros((networks, hidden), np.float32),
        np.zeros((networks, hidden), np.float32),
        np.zeros((networks, 1), np.float32),
    )


def room_for(network: Network) -> Room:
    """Return room to evaluate a network in."""
    return Room(
        np.zeros((NUM_ACTIONS, MOST_ACTIVE), np.int32),
        np.zeros(NUM_ACTIONS, np.int64),
        np.zeros(NUM_ACTIONS),
        np.zeros(NUM_ACTIONS, np.int64),
        np.zeros(network.bias.shape[1], np.float32),
    )


@compiled
def logit_of(
    network: Network,
    who: int,
    active: NDArray[Any],
    hidden: NDArray[np.float32],
) -> float:
    """Return the logit of a win of the placer; leaves in ``hidden`` the units before their cut."""
    hidden[:] = network.bias[who]
    for n in range(active.shape[0]):
        entry = network.entries[who, active[n]]
        for unit in range(hidden.shape[0]):
            hidden[unit] += entry[unit]
    logit = float(network.offset[who, 0])
    for unit in range(hidden.shape[0]):
        if hidden[unit] > 0.0:
            logit += float(hidden[unit]) * float(network.head[who, unit])
    return logit


@compiled
def chance_of(logit: float) -> float:
    """Return the chance of a win that a logit stands for."""
    return 1.0 / (1.0 + math.exp(-logit))


@compiled
def position_of(game: Record, track: Record) -> Afterstate:
    """Return what the mover's afterstates have in common, before it has placed."""
    mover = int(game["to_move"])
    hand, covered = np.uint64(0), np.uint64(0)
    for card in range(hand_size(game, mover)):
        hand |= _ONE << np.uint64(game["hands"][mover, card])
    for cell in range(NUM_CELLS):
        if game["table"][cell] != EMPTY:
            covered |= _ONE << np.uint64(cell)
    return Afterstate(
        int(game["notches"][mover]),
        int(game["notches"][1 - mover]),
        hand,
        _ALL_TILES & ~track["tiles"] & ~hand,
        covered,
        hand_size(game, 1 - mover),
        int(game["turn"]),
    )


@compiled
def _write_afterstate(
    track: Record, before: Afterstate, laid: int, active: NDArray[np.int32]
) -> tuple[int, float]:
    """Write the active entries behind a placement; return their number, and 0.0.

    Where the placement ends the match the number is 0 and the second result the logit of its end.
    ``before`` is that of `position_of`.
    """
    cell = before.mine >> PORT_BITS
    mine = after(track, before.mine, before.theirs, cell, laid)
    theirs = after(track, before.theirs, before.mine, cell, laid)
    if mine == OFF:
        return 0, DRAW_LOGIT if theirs == OFF else -WIN_LOGIT
    if theirs == OFF:
        return 0, WIN_LOGIT
    if before.held == 0:
        return 0, DRAW_LOGIT
    position = Afterstate(
        mine,
        theirs,
        before.hand & ~(_ONE << np.uint64(laid // NUM_ROTATIONS)),
        before.unseen,
        before.covered | (_ONE << np.uint64(cell)),
        before.held,
        before.turn + 1,
    )
    undo = lay(track, cell, laid)
    count = write_active(track, position, active)
    take_back(track, undo)
    return count, 0.0


@compiled
def rate_placement(
    network: Network, who: int, track: Record, before: Afterstate, laid: int, room: Room, nth: int
) -> float:
    """Return the logit of laying a tile; the active entries go to the room's ``nth`` place."""
    count, logit = _write_afterstate(track, before, laid, room.active[nth])
    room.counts[nth] = count
    if count > 0:
        logit = logit_of(network, who, room.active[nth, :count], room.hidden)
    return logit


@compiled
def rate_placements(
    network: Network, who: int, game: Record, track: Record, room: Room
) -> tuple[int, int]:
    """Rate the mover's distinct placements; return how many, and which is best (the first one).

    Placements, logits and active entries are left in the room.
    """
    before = position_of(game, track)
    count = distinct_placements(game, room.placements)
    best = 0
    for nth in range(count):
        laid = laid_by(game, int(room.placements[nth]))
        room.logits[nth] = rate_placement(network, who, track, before, laid, room, nth)
        if room.logits[nth] > room.logits[best]:
            best = nth
    return count, best


@compiled
def choose_learned(network: Network, who: int, game: Record, track: Record, room: Room) -> int:
    """Return the mover's action of the highest logit, the lowest index among equals."""
    _, best = rate_placements(network, who, game, track, room)
    return int(room.placements[best])


@compiled
def choose_learned_rows(
    network: Network,
    who: int,
    state: StateArray,
    rails: StateArray,
    room: Room,
    actions: NDArray[np.int64],
) -> None:
    """Write the movers' actions in all rows, 0 where the match is over."""
    for row in range(state.shape[0]):
        actions[row] = 0
        if state[row]["result"] == UNDECIDED:
            actions[row] = choose_learned(network, who, state[row], rails[row], room)


def save_networks(path: Path, network: Network, steps: NDArray[np.int64]) -> None:
    """Write networks, and after how many steps (N,) each was taken, as plain arrays."""
    write_arrays(path, _KIND, {"steps": steps, **network._asdict()})


def load_networks(path: Path) -> tuple[Network, NDArray[np.int64]]:
    """Return what a file of `save_networks` holds; nothing in it is executed.

    Raises:
        ModelMismatchError: one sentence, if it is no such file or a damaged one.
    """
    return read_file(path, "Tinrail networks", _networks_in)


def shipped_network() -> Network:
    """Return the network that comes with the package."""
    return _networks_in(files(__package__).joinpath(SHIPPED).read_bytes())[0]


def _networks_in(content: bytes) -> tuple[Network, NDArray[np.int64]]:
    _, arrays = read_arrays(content, [_KIND], ("steps", *Network._fields))
    bias = arrays["bias"]
    networks, hidden = bias.shape if bias.ndim == 2 else (0, 0)
    if networks < 1 or hidden < 1:
        raise ModelMismatchError(f"bias has to be of shape (networks, units), got {bias.shape}")
    check_array(arrays, "steps", "i", (networks,))
    for name, zeros in empty_network(networks, hidden)._asdict().items():
        check_weights(arrays, name, zeros.shape)
    network = Network(*(np.ascontiguousarray(arrays[name]) for name in Network._fields))
    return network, arrays["steps"]
