"""Patchwork for Gymnasium, single and vectorised."""

from __future__ import annotations

from typing import Any, Unpack

from quiltrail.envs.patchwork.engine import PatchworkEngine
from quiltrail.envs.rendering import EnvOptions
from quiltrail.envs.single import GameEnv
from quiltrail.envs.vector import GameVectorEnv


class PatchworkEnv(GameEnv):
    """A block puzzle: sew patches on a 9 by 9 quilt and stitch full units away.

    ## Description
    The quilt has 9 by 9 squares in nine 3 by 3 blocks; the tray holds three patches. A patch is
    sewn on empty squares, never rotated: each of the 37 orientations is a shape of its own. Every
    row, column and block that is full is then emptied at once. When all three patches are sewn,
    three new ones are dealt: up to 20 sets are tried, until one has a patch with a place on the
    quilt. The game ends when no patch of the tray has a place, in the middle of a tray too.

    Small patches are frequent at first and big ones later. After `sewn` patches a shape of 1 to 3
    squares has weight 8, one of 4 squares weight 4, one of 5 and more 1 + sewn // 100; there is no
    upper limit, so every game ends.

    The rules are those of the published 9 x 9 block puzzle; this package is independent of its
    publisher. The weights of the deal, the order of its draws and the numbering of the shapes are
    not published and are ours, so that the same seed plays differently there.

    ## Action Space
    `Discrete(243)`; with `revive=True` `Discrete(245)`:

    | action | JSON | legal when |
    |---|---|---|
    | (slot * 9 + row) * 9 + col | `{"type": "place", "slot": .., "row": .., "col": ..}` | it fits |
    | 243 | `{"type": "revive"}` | no patch fits and the revive is unused |
    | 244 | `{"type": "finish"}` | likewise; ends the game |

    (row, col) is the square under the top-left corner of the patch's box, which for eight of the
    shapes the patch does not cover. A revive replaces the tray by three patches of at most three
    squares, each of which has a place; it comes once a game.

    ## Observation Space
    `Dict` of int8 arrays of zeros and ones:

    | field | shape | meaning |
    |---|---|---|
    | `phase` | (3,) | one-hot: playing, stuck, ended |
    | `quilt` | (9, 9) | ones for the filled squares |
    | `revive` | (1,) | 1 while the revive can still come; always 0 without the option |
    | `sewn` | (5, 9) | patches sewn, on an abacus |
    | `streak` | (2, 9) | patches in a row that stitched something away, on an abacus |
    | `tray` | (3, 25) | per slot its patch in 5 by 5 squares, row by row; zeros if it is sewn |

    A patch lies in the top-left corner of its 5 by 5 squares. On an abacus, row d has as many ones,
    from the left, as the decimal digit of 10^d says; the largest number that shows is 99,999 or 99.
    So the weight of the big shapes is 1 plus the ones of row 2 of `sewn`, plus 10 times those of
    row 3, plus 100 times those of row 4: a linear function. The whole future depends on the
    observation and on the deals.

    ## Starting State
    An empty quilt and a tray dealt from the seed. `reset(options={"sewn": n})` starts, for
    training, as late in the dealing schedule as after n patches (ours).

    ## Rewards
    The change of the score. A patch earns its number of squares; if it fills k units it earns
    20 k^2 more, and 10 (n - 1) k more as the n-th patch in a row that fills any.

    ## Episode End
    Terminated when no patch fits (and, with `revive=True`, the revive is used or declined).
    Truncated after 20,000 steps (the default of `gym.make`).

    ## Information
    `action_mask` (int8, (243,) or (245,)), `score`, `game_seed`, and `refusal` (0 = accepted; names
    in `quiltrail.core.actions.REFUSALS`). A refused action changes nothing and gives reward 0.

    ## Arguments
    `revive` (False), `render_mode` (None, `"rgb_array"`, `"ansi"` or `"human"`), `render_size`
    (512: pixels of a picture's side), `theme` (`"light"` or `"dark"`), `on_refusal` (`"refuse"` or
    `"raise"`). The vector environment also takes `autoreset_mode`, `max_episode_steps`, `copy` and
    `threads`.

    ## Version History
    - v0: first version.
    """

    def __init__(self, *, revive: bool = False, **options: Unpack[EnvOptions]) -> None:
        super().__init__(PatchworkEngine(1, revive=revive), **options)


class PatchworkVectorEnv(GameVectorEnv):
    """B games of Patchwork; see `PatchworkEnv` for the game, `GameVectorEnv` for the arguments."""

    def __init__(self, num_envs: int = 1, *, revive: bool = False, **kwargs: Any) -> None:
        super().__init__(PatchworkEngine(num_envs, revive=revive), **kwargs)
