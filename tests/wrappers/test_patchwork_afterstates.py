"""AfterstateFeatures in Patchwork: rows against plain counting, in every view, with a revive."""

from __future__ import annotations

import numpy as np

from quiltrail.envs.patchwork.engine import PatchworkEngine
from quiltrail.envs.patchwork.rules import FINISH, NUM_SHAPES, REVIVE, SHAPES, cells_of
from quiltrail.wrappers import AfterstateFeatures

# Shapes of 4 squares or more, in kinds that turns and reflections make into each other.
KINDS = (
    ("I4h", "I4v"),
    ("O",),
    ("L0", "L1", "L2", "L3", "J0", "J1", "J2", "J3"),
    ("T0", "T1", "T2", "T3"),
    ("Sh", "Sv", "Zh", "Zv"),
    ("I5h", "I5v"),
    ("C5_nw", "C5_ne", "C5_sw", "C5_se"),
    ("R23", "R32"),
    ("B33",),
)
NUMBERS = {name: shape for shape, (name, _) in enumerate(SHAPES)}


def features(engine: PatchworkEngine) -> dict[str, np.ndarray]:
    transform = AfterstateFeatures()
    transform.bind(engine)
    seen = transform.observations(engine, engine.observation)
    return {name: part for name, part in seen.items() if name.startswith("after_")}


def played(steps: int, **settings: bool) -> PatchworkEngine:
    """Return four games after some random legal placements."""
    engine = PatchworkEngine(4, **settings)
    engine.reset(np.arange(4), np.arange(70, 74, dtype=np.uint64))
    rng = np.random.default_rng(steps)
    for _ in range(steps):
        legal = engine.mask * rng.random(engine.mask.shape)
        engine.step(legal.argmax(axis=1))
    return engine


def room(quilt: np.ndarray, shape: int) -> int:
    """Return how many places a shape has on a quilt (9, 9), by trying all."""
    cells = np.array(cells_of(shape))
    height, width = cells.max(axis=0) + 1
    return sum(
        not quilt[row + cells[:, 0], col + cells[:, 1]].any()
        for row in range(10 - height)
        for col in range(10 - width)
    )


def counted(quilt: np.ndarray) -> dict[str, list[int]]:
    """Return what the description says of a quilt alone, by plain counting."""
    lines = [*quilt.sum(axis=0), *quilt.sum(axis=1)]
    blocks = quilt.reshape(3, 3, 3, 3).sum(axis=(1, 3)).ravel()
    framed = np.pad(quilt, 1, constant_values=1)
    beside = framed[:-2, 1:-1] * framed[2:, 1:-1] * framed[1:-1, :-2] * framed[1:-1, 2:]
    rooms = [[min(room(quilt, NUMBERS[name]), 15) for name in kind] for kind in KINDS]
    return {
        "after_lines": np.bincount(lines, minlength=9).tolist(),
        "after_blocks": np.bincount(blocks, minlength=9).tolist(),
        "after_filled": [quilt.sum()],
        "after_seams": [np.abs(np.diff(quilt, axis=0)).sum() + np.abs(np.diff(quilt)).sum()],
        "after_holes": [int((beside * (1 - quilt)).sum())],
        "after_fits": [sum(count > 0 for count in counts) for counts in rooms],
        "after_room": [min(counts) for counts in rooms],
    }


def quilt_of(engine: PatchworkEngine, row: int) -> np.ndarray:
    return engine.observation["quilt"][row].astype(int)


def test_every_row_is_counted_right_and_only_legal_actions_have_one() -> None:
    for steps in (0, 7):
        engine = played(steps)
        seen = features(engine)
        rows = np.concatenate([part for _, part in sorted(seen.items())], axis=2)
        running = ~engine.terminated
        np.testing.assert_array_equal(rows.any(axis=2)[running], engine.mask[running] != 0)
        assert not rows[~running].any()
        for game in np.flatnonzero(running).tolist():
            for action in engine.legal_indices(game)[::13]:
                after = engine.branch(np.array([game]))
                after.step(np.array([action]))
                for name, value in counted(quilt_of(after, 0)).items():
                    assert seen[name][game, action].tolist() == value, name


def test_gain_and_what_is_left_of_the_tray() -> None:
    engine = played(6)
    seen = features(engine)
    for game in np.flatnonzero(~engine.terminated).tolist():
        tray = engine.state["tray"][game].tolist()
        for action in engine.legal_indices(game):
            after = engine.branch(np.array([game]))
            after.step(np.array([action]))
            units, size, streak = seen["after_gain"][game, action].tolist()
            before = int(engine.state["streak"][game])
            assert size == len(cells_of(tray[action // 81]))
            assert after.reward[0] == size + 20 * units**2 + 10 * before * units
            assert streak == min(int(after.state["streak"][0]), 10)
            left = [shape for slot, shape in enumerate(tray) if slot != action // 81 and shape >= 0]
            rooms = [min(room(quilt_of(after, 0), shape), 15) for shape in left] or [15]
            assert seen["after_left"][game, action].tolist() == [
                len(left),
                min(rooms),
                max(rooms),
            ]


def test_rows_are_the_same_in_all_views() -> None:
    engine = played(5)
    seen, symmetry = features(engine), engine.symmetry()
    observations = {name: part.copy() for name, part in engine.observation.items()}
    for view in range(8):
        views = np.full(4, view)
        turned_actions = symmetry.action_map(observations, views)
        turned = engine.copy()
        for game in range(4):
            quilt = symmetry.turn_observations(observations, views)["quilt"][game]
            bits = sum(1 << int(square) for square in np.flatnonzero(quilt.ravel()))
            turned.state["quilt"][game] = bits & ((1 << 45) - 1), bits >> 45
            slots = symmetry.turn_observations(observations, views)["tray"][game]
            turned.state["tray"][game] = [_shape_in(window) for window in slots]
        turned.restore(np.arange(4), list(turned.state.copy()))
        there = features(turned)
        for game in np.flatnonzero(~engine.terminated).tolist():
            for action in engine.legal_indices(game):
                image = turned_actions[game, action]
                for name, part in seen.items():
                    np.testing.assert_array_equal(there[name][game, image], part[game, action])


def _shape_in(window: np.ndarray) -> int:
    """Return the shape in a window of 5 by 5, -1 for none."""
    cells = {divmod(int(square), 5) for square in np.flatnonzero(window)}
    if not cells:
        return -1
    return next(shape for shape in range(NUM_SHAPES) if set(cells_of(shape)) == cells)


def test_a_revive_and_the_finish_are_described() -> None:
    engine = played(0, revive=True)
    assert features(engine)["after_gain"].shape == (4, FINISH + 1, 3)
    rng = np.random.default_rng(3)
    while not (engine.mask[:, REVIVE] & ~engine.terminated).any():
        engine.step((engine.mask * rng.random(engine.mask.shape)).argmax(axis=1))
    seen = features(engine)
    game = int(np.flatnonzero(engine.mask[:, REVIVE] & ~engine.terminated)[0])
    alone = counted(quilt_of(engine, game))
    for name, value in alone.items():
        assert seen[name][game, REVIVE].tolist() == value, name
    assert seen["after_left"][game, REVIVE].tolist() == [3, 0, 0]
    assert seen["after_left"][game, FINISH].tolist() == [0, 0, 0]
    assert seen["after_lines"][game, FINISH].tolist() == alone["after_lines"]
    assert not seen["after_fits"][game, FINISH].any()
