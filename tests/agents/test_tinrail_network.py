"""The learned value of Tinrail: what it sees, what it adds up, its file."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from quiltrail.agents.tinrail import WiseBot
from quiltrail.agents.tinrail_learned import TinrailLearned
from quiltrail.agents.tinrail_network import (
    Network,
    empty_network,
    load_networks,
    position_of,
    rate_placements,
    room_for,
    save_networks,
)
from quiltrail.agents.tinrail_views import MOST_ACTIVE, NUM_ENTRIES
from quiltrail.core.errors import ModelMismatchError, OptionError
from quiltrail.envs.tinrail.engine import TinrailEngine
from quiltrail.envs.tinrail.rules import TILES, turned
from quiltrail.envs.tinrail.study import Position


def some_network(hidden: int = 5, networks: int = 1) -> Network:
    rng = np.random.default_rng(0)
    return Network(
        *(rng.normal(size=one.shape).astype(np.float32) for one in empty_network(networks, hidden))
    )


def some_positions(count: int = 40) -> TinrailEngine:
    """Return running matches of different lengths."""
    engine, rng = TinrailEngine(4 * count), np.random.default_rng(1)
    engine.reset(np.arange(4 * count), np.arange(4 * count, dtype=np.uint64))
    for ply in range(24):
        rows = np.flatnonzero(~engine.terminated & (rng.random(4 * count) < 0.97 - 0.3 * ply / 24))
        if len(rows):
            engine.step(WiseBot().act(engine)[rows], rows)
    return engine.branch(np.flatnonzero(~engine.terminated)[:count])


def turned_cell(cell: int, mirrored: bool, turns: int) -> int:
    row, column = divmod(cell, 6)
    if mirrored:
        column = 5 - column
    for _ in range(turns):
        row, column = column, 5 - row
    return 6 * row + column


def turned_port(port: int, mirrored: bool, turns: int) -> int:
    return ((1 - port if mirrored else port) + 2 * turns) % 8


def turned_strands(strands: Any, mirrored: bool, turns: int) -> list[list[int]]:
    return [[turned_port(end, mirrored, turns) for end in pair] for pair in strands]


def tile_of(strands: list[list[int]]) -> int:
    wanted = tuple(sorted((min(pair), max(pair)) for pair in strands))
    return next(n for n, one in enumerate(TILES) for r in range(4) if turned(one, r) == wanted)


def image_of(engine: TinrailEngine, row: int, mirrored: bool, turns: int) -> TinrailEngine:
    """Return a match with its table, engines and tiles turned as a whole."""
    view, game = engine.view(row), engine.state[row]

    def tile(number: int) -> int:
        return tile_of(turned_strands(TILES[number], mirrored, turns))

    image = TinrailEngine(1)
    position = Position(
        {
            turned_cell(int(cell), mirrored, turns): turned_strands(strands, mirrored, turns)
            for cell, strands in view["table"].items()
        },
        [
            [turned_cell(one["cell"], mirrored, turns), turned_port(one["port"], mirrored, turns)]
            for one in view["engines"]
        ],
        [[tile(int(one)) for one in hand if one >= 0] for hand in game["hands"]],
        int(game["to_move"]),
        [tile(int(one)) for one in game["pile"] if one >= 0],
    )
    image.set_position(0, position)
    return image


def rated(network: Network, engine: TinrailEngine, row: int) -> NDArray[np.float64]:
    room = room_for(network)
    count, _ = rate_placements(network, 0, engine.state[row], engine.derived[row], room)
    return room.logits[:count].copy()


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("mirrored", [False, True])
def test_values_are_the_same_in_every_image_of_a_table(mirrored: bool, turns: int) -> None:
    engine, network = some_positions(), some_network()
    for row in range(engine.num_games):
        image = image_of(engine, row, mirrored, turns)
        here, there = rated(network, engine, row), rated(network, image, 0)
        np.testing.assert_allclose(np.sort(there), np.sort(here), rtol=0, atol=1e-4)


def test_values_tell_placements_and_seats_apart() -> None:
    engine, network = some_positions(), some_network()
    logits = np.concatenate([rated(network, engine, row) for row in range(engine.num_games)])
    learned = logits[(np.abs(logits) < 100) & (logits != 0)]
    assert len(set(learned.round(5))) > 0.8 * len(learned) > 150


def test_a_logit_is_the_sum_that_numpy_makes_of_the_active_entries() -> None:
    engine, network = some_positions(), some_network(7, 2)
    room, seen = room_for(network), 0
    for row in range(engine.num_games):
        count, best = rate_placements(network, 1, engine.state[row], engine.derived[row], room)
        assert best == int(np.argmax(room.logits[:count]))
        for nth in range(count):
            active = room.active[nth, : room.counts[nth]]
            if not len(active):
                continue
            assert len(set(active.tolist())) == len(active) <= MOST_ACTIVE
            assert 0 <= active.min() <= active.max() < NUM_ENTRIES
            hidden = network.bias[1] + network.entries[1][active].sum(axis=0)
            logit = network.offset[1, 0] + np.maximum(hidden, 0) @ network.head[1]
            assert room.logits[nth] == pytest.approx(logit, abs=1e-3)
            seen += 1
    assert seen > 200


def test_a_position_counts_every_tile_once() -> None:
    engine = some_positions()
    for row in range(engine.num_games):
        game = engine.state[row]
        before = position_of(game, engine.derived[row])
        hand, unseen = int(before.hand), int(before.unseen)
        assert hand.bit_count() == (game["hands"][game["to_move"]] >= 0).sum()
        assert hand & unseen == 0
        assert unseen.bit_count() == 35 - int(game["turn"]) - hand.bit_count()
        assert int(before.covered).bit_count() == game["turn"] == before.turn


def test_the_stuck_chance_is_that_of_all_hands() -> None:
    from quiltrail.agents.tinrail_views import _stuck_chance

    for unseen, safe, held in ((9, 4, 3), (6, 0, 2), (7, 7, 3), (5, 1, 3), (3, 1, 3)):
        hands = list(combinations(range(unseen), held))
        stuck = sum(min(hand) >= safe for hand in hands)
        assert _stuck_chance(safe, unseen, held) == pytest.approx(stuck / len(hands))


def test_networks_are_read_as_they_were_written(tmp_path: Path) -> None:
    network, steps = some_network(4, 3), np.array([9, 3, 6])
    save_networks(tmp_path / "model.zip", network, steps)
    again, taken = load_networks(tmp_path / "model.zip")
    for name, weights in network._asdict().items():
        np.testing.assert_array_equal(again._asdict()[name], weights)
    assert taken.tolist() == [9, 3, 6]
    engine = some_positions()
    first, last = (TinrailLearned(tmp_path / "model.zip", n).act(engine) for n in (0, 2))
    assert (first != last).any()
    with pytest.raises(OptionError, match="member"):
        TinrailLearned(network, 3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"bias": np.zeros((2, 4), np.float32)}, "steps"),
        ({"bias": np.zeros(4, np.float32)}, "bias"),
        ({"head": np.zeros((1, 3), np.float32)}, "head"),
        ({"entries": np.full((1, NUM_ENTRIES, 4), np.nan, np.float32)}, "entries"),
        ({"offset": np.zeros((1, 1))}, "offset"),
        ({"more": np.zeros(1)}, "has to hold"),
        ({"kind": np.array("quilt")}, "kind"),
    ],
)
def test_damaged_networks_are_refused(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = tmp_path / "model.zip"
    save_networks(path, some_network(4), np.array([1]))
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    with path.open("wb") as file:
        np.savez(file, **arrays | change)
    with pytest.raises(ModelMismatchError, match=rf"^model\.zip holds no Tinrail networks.*{said}"):
        load_networks(path)


def test_no_networks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelMismatchError, match="cannot read"):
        TinrailLearned(tmp_path / "missing.npz")
