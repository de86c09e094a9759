"""Patchrook over procedural quilts for Gymnasium, single and vectorised."""

from __future__ import annotations

from typing import Any

from quiltrail.core.arguments import settings_of
from quiltrail.envs.patchrook.levels import PatchrookLevelsEngine
from quiltrail.envs.single import GameEnv
from quiltrail.envs.vector import GameVectorEnv


class PatchrookLevelsEnv(GameEnv):
    """Patchrook over endless procedural quilts, with exact difficulty and an honest split.

    ## Description
    The phases, actions and awards are those of `quiltrail/Patchrook-v0`; the quilts are others. A
    level is an integer that stands for one quilt for ever: a silhouette of at most 5 x 5 squares
    with cut-outs, cut into 3 to 6 patches by a partition drawn uniformly from all partitions of
    that silhouette. Every quilt can be completed. Which levels a run meets depends on its seed.

    The difficulty of a quilt is -log2 of the chance that a player finishes it who places at random
    among all legal placements and never lifts. It is exact. The seven published templates have
    1.4, 4.1, 4.6, 7.2, 7.5, 10.9 and 12.6.

    The rules of play are those of Patchrook, published by gameboard.gg; this package is independent
    of it, and the levels are ours.

    ## Action Space
    `Discrete(1209)`, as in `quiltrail/Patchrook-v0`:

    | action | JSON type and fields | legal when |
    |---|---|---|
    | ((patch * 8 + orientation) * 5 + y) * 5 + x | `place`: `patchId`, `orientation`, `x`, `y` |
    playing, patch in the tray, every square usable and empty |
    | 1200 + patch | `lift`: `patchId` | playing, patch on the quilt |
    | 1206 | `restart` | playing, a patch on the quilt |
    | 1207 | `next` | cleared |
    | 1208 | `bank` | not ended |

    ## Observation Space
    `Dict` of int8 arrays of zeros and ones, the same as in `quiltrail/Patchrook-v0`, so that one
    network plays both:

    | field | shape | meaning |
    |---|---|---|
    | `board` | (8, 25) | planes of squares 5 * y + x: usable, empty, covered by A, .., F |
    | `phase` | (3,) | one-hot: playing, cleared, ended |
    | `shapes` | (48, 25) | plane 8 * patch + orientation: that orientation, top left |
    | `stage` | (8,) | always zero: these quilts have no place in the published order |
    | `tray` | (6,) | ones for the patches in the tray |

    The quilt at hand is all there; nothing tells how many covers it has or how hard it is.

    ## Starting State
    The quilt of the first wanted level that the stream of the game seed chooses, nothing placed,
    score 0. `reset(options={"level": k})` starts with that level's quilt. A level has to be one of
    the set and to fit the settings.

    ## Rewards
    The change of the score: 150 + 10 * (usable squares) + 20 * (patches) when a quilt is completed,
    otherwise 0.

    ## Episode End
    Terminated on bank, and with `one_board=True` when the first quilt is completed. Truncated after
    256 steps (the default of `gym.make`).

    ## Information
    `action_mask` (int8, (1209,)), `score`, `game_seed`, and `refusal` (0 = accepted; names in
    `quiltrail.core.actions.REFUSALS`). With `one_board=True` also `is_success` at the end: whether
    the quilt was completed. A refused action changes nothing and gives reward 0. `view()` has the
    `level` beside the published fields.

    ## Arguments
    Which quilts levels stand for, each an int or (lowest, highest): `size` ((3, 5), sides of the
    box), `cutouts` ((0, 4), squares cut out of it), `patches` ((3, 6)). Which levels are wanted:
    `difficulty` (None, or at least the first number and below the second), `max_covers` (None),
    `start_level` (0), `num_levels` (0: all 2**32), `split` (None, `"train"` or `"test"`; parted by
    silhouette up to symmetry and shapes, one puzzle in five is test). Levels that are not wanted
    are passed over. `one_board` (False).

    `render_mode` (None, `"rgb_array"`, `"ansi"` or `"human"`), `render_size` (512: pixels of a
    picture's side), `theme` (`"light"` or `"dark"`), `on_refusal` (`"refuse"` or `"raise"`). The
    vector environment also takes `autoreset_mode`, `max_episode_steps`, `copy` and `threads`.

    ## Version History
    - v0: first version.
    """

    def __init__(self, **options: Any) -> None:
        settings, others = settings_of(PatchrookLevelsEngine, options)
        super().__init__(PatchrookLevelsEngine(1, **settings), **others)


class PatchrookLevelsVectorEnv(GameVectorEnv):
    """B games; see `PatchrookLevelsEnv` for the game, `GameVectorEnv` for the other arguments."""

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        settings, others = settings_of(PatchrookLevelsEngine, options)
        super().__init__(PatchrookLevelsEngine(num_envs, **settings), **others)
