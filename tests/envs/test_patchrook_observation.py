"""What Patchrook shows: board, tray and shape planes against the view."""

from __future__ import annotations

import numpy as np

from quiltrail.envs.patchrook.engine import PatchrookEngine
from quiltrail.envs.patchrook.solver import best_actions
from tests.engine_player import EnginePlayer


def test_planes_show_board_and_tray() -> None:
    player = EnginePlayer(PatchrookEngine(1))
    player.play({"type": "place", "patchId": "A", "orientation": 1, "x": 0, "y": 0})
    seen = player.engine.observation
    board = seen["board"][0].reshape(8, 5, 5)
    row = [1, 1, 1, 0, 0]
    nothing = [0] * 5
    assert board[0].tolist() == [row, row, row, nothing, nothing]
    assert board[1].tolist() == [nothing, row, row, nothing, nothing]
    assert board[2].tolist() == [row, nothing, nothing, nothing, nothing]
    assert not board[3:].any()
    assert seen["tray"][0].tolist() == [0, 1, 1, 0, 0, 0]
    assert seen["phase"][0].tolist() == [1, 0, 0]
    assert seen["stage"][0].tolist() == [1] + [0] * 7


def test_shape_planes_show_every_orientation_and_nothing_else() -> None:
    engine = PatchrookEngine(4)
    engine.reset(np.arange(4), np.arange(4, dtype=np.uint64), quilt=np.array([1, 2, 8, 1]))
    engine.reset(np.array([2]), np.array([9], np.uint64))  # a smaller quilt after a larger one
    for row in range(4):
        planes = engine.observation["shapes"][row].reshape(48, 5, 5)
        drawn = np.zeros((48, 5, 5), np.int8)
        for patch, shape in enumerate(engine.view(row)["patches"].values()):
            for orientation, cells in enumerate(shape["orientations"]):
                for x, y in cells:
                    drawn[8 * patch + orientation, y, x] = 1
        np.testing.assert_array_equal(planes, drawn)


def test_a_place_action_is_a_square_of_its_plane() -> None:
    engine = PatchrookEngine(1)
    for index in engine.legal_indices(0)[:-1]:
        action = engine.codec.decode(index)
        plane, square = divmod(index, 25)
        assert plane == 8 * "ABCDEF".index(action["patchId"]) + action["orientation"]
        assert square == 5 * action["y"] + action["x"]


def test_copied_rows_go_on_showing_their_own_quilt() -> None:
    engine = PatchrookEngine(3)
    engine.reset(np.arange(3), np.arange(3, dtype=np.uint64), quilt=np.array([1, 5, 8]))
    engine.clone_rows(np.array([2]), np.array([0]))
    branch = engine.branch(np.array([1, 0, 0, 1, 2]))
    for _ in range(8):
        branch.step(best_actions(branch))
    fresh = PatchrookEngine(5)
    fresh.restore(np.arange(5), list(branch.state))
    for name, value in branch.observation.items():
        np.testing.assert_array_equal(value, fresh.observation[name], err_msg=name)
