"""Patchrook for Gymnasium, single and vectorised."""

from __future__ import annotations

from typing import Any, Unpack

from quiltrail.envs.patchrook.engine import PatchrookEngine
from quiltrail.envs.rendering import EnvOptions
from quiltrail.envs.single import GameEnv
from quiltrail.envs.vector import GameVectorEnv


class PatchrookEnv(GameEnv):
    """Exact cover: lay every patch on the quilt, no gap, no overlap; lift and restart for free.

    ## Description
    A quilt of at most 5 x 5 squares, some of them perhaps cut out, and 3 to 6 patches of 3 to 5
    squares that together have its area. Patches may be turned and mirrored. A placement names the
    square on which the patch's button lies: the leftmost square of its topmost row. Covering the
    whole quilt earns its award; next brings another quilt. Nothing is ever lost: only bank ends a
    run. Quilt 1 is a 3 x 3 lesson, quilts 2 to 5 grow, and from quilt 6 on two full 5 x 5 quilts
    and one without a corner alternate for ever. From quilt 2 on, turns of the board, letters,
    tray order and initial orientations vary with the seed.

    The rules are those of Patchrook, published by gameboard.gg; this package is independent of it.
    Ours are the shapes of the patches (the rules publish only squares, patches and awards) and the
    order of the random draws: the same seed plays differently there.

    ## Action Space
    `Discrete(1209)`:

    | action | JSON type and fields | legal when |
    |---|---|---|
    | ((patch * 8 + orientation) * 5 + y) * 5 + x | `place`: `patchId`, `orientation`, `x`, `y` |
    playing, patch in the tray, every square usable and empty |
    | 1200 + patch | `lift`: `patchId` | playing, patch on the quilt |
    | 1206 | `restart` | playing, a patch on the quilt |
    | 1207 | `next` | cleared |
    | 1208 | `bank` | not ended |

    Patches are A to F, 0 to 5. The first 1200 actions are also 48 planes of 5 x 5, one for each
    patch and orientation. `quiltrail.wrappers.CanonicalOrder` leaves 57 actions and loses no cover.

    ## Observation Space
    `Dict` of int8 arrays of zeros and ones:

    | field | shape | meaning |
    |---|---|---|
    | `board` | (8, 25) | planes of squares 5 * y + x: usable, empty, covered by A, .., F |
    | `phase` | (3,) | one-hot: playing, cleared, ended |
    | `shapes` | (48, 25) | plane 8 * patch + orientation: that orientation, top left |
    | `stage` | (8,) | one-hot: quilt 1, .., 5, then the three that repeat |
    | `tray` | (6,) | ones for the patches in the tray |

    Planes are 5 x 5, flat because Stable-Baselines3 takes fields of three dimensions for pictures.
    A board smaller than 5 x 5 lies in the top left. Planes of orientations and patches that do not
    exist are zero. Initial orientations and tray order say nothing about the future; `view()` has
    them.

    ## Starting State
    The lesson, nothing placed, score 0. `reset(options={"quilt": k})` starts a fresh run at quilt k
    of the game seed, the same one that k - 1 completed quilts lead to.

    ## Rewards
    The change of the score: 150 + 10 * (usable squares) + 20 * (patches) when a quilt is completed,
    otherwise 0; that is 300, 390, 390, 450, 450, then 500, 500, 510 for ever. The best possible
    sum is 3,490 for the first eight quilts (44 actions) and 20,100 for 256 steps.

    ## Episode End
    Terminated on bank. Truncated after 256 steps (the default of `gym.make`).

    ## Information
    `action_mask` (int8, (1209,)), `score`, `game_seed`, and `refusal` (0 = accepted; names in
    `quiltrail.core.actions.REFUSALS`). A refused action changes nothing and gives reward 0.

    ## Arguments
    `render_mode` (None, `"rgb_array"`, `"ansi"` or `"human"`), `render_size` (512: pixels of a
    picture's side), `theme` (`"light"` or `"dark"`), `on_refusal` (`"refuse"` or `"raise"`). The
    vector environment also takes `autoreset_mode`, `max_episode_steps`, `copy` and `threads`.

    ## Version History
    - v0: first version.
    """

    def __init__(self, **options: Unpack[EnvOptions]) -> None:
        super().__init__(PatchrookEngine(1), **options)


class PatchrookVectorEnv(GameVectorEnv):
    """B games of Patchrook; see `PatchrookEnv` for the game, `GameVectorEnv` for the arguments."""

    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        super().__init__(PatchrookEngine(num_envs), **kwargs)
