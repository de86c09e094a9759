"""Sunpleat over procedural garlands for Gymnasium, single and vectorised."""

from __future__ import annotations

from typing import Any

from quiltrail.core.arguments import settings_of
from quiltrail.envs.single import GameEnv
from quiltrail.envs.sunpleat.levels import SunpleatLevelsEngine
from quiltrail.envs.vector import GameVectorEnv


class SunpleatLevelsEnv(GameEnv):
    """Sunpleat over endless random garlands of 2 to 10 pennants, with exact pars.

    ## Description
    The phases, actions and awards are those of `quiltrail/Sunpleat-v0`; the garlands are others. A
    level is an integer that stands for one garland for ever: a signed permutation drawn uniformly,
    or, with `distance`, one at an exact distance from the target. The move budget is the exact par
    (the fewest flips) plus `slack`. Which levels a run meets depends on its seed.

    The rules of play are those of Sunpleat, published by gameboard.gg; this package is independent
    of it, and the levels are ours.

    ## Action Space
    `Discrete(n + 4)`, with the default n = 5:

    | action | JSON | legal when |
    |---|---|---|
    | 0 to n - 1 | `{"type": "flip", "count": action + 1}` | playing |
    | n | `{"type": "next"}` | cleared |
    | n + 1 | `{"type": "retry"}` | retry |
    | n + 2 | `{"type": "restart"}` | playing; costs a leaf |
    | n + 3 | `{"type": "bank"}` | not ended |

    ## Observation Space
    `Dict` of int8 arrays of zeros and ones; the shapes are those of n = 5, in general `garland` and
    `start` are (n, 2 n) and `moves` has the largest budget plus one:

    | field | shape | meaning |
    |---|---|---|
    | `garland` | (5, 10) | one-hot per place: column v - 1 for sun v, n + v - 1 for moon v |
    | `leaves` | (3,) | ones for the leaves left |
    | `moves` | (15,) | one-hot of the remaining moves, 0 to 14 |
    | `n` | (5,) | always ones |
    | `phase` | (4,) | one-hot: playing, cleared, retry, ended |
    | `start` | (5, 10) | the garland this board starts with, coded like `garland` |

    `start` decides what a restart brings back. The budget tells how far the start is from the
    target, as the published rules have it; nothing tells how far the garland at hand is.

    ## Starting State
    The garland of the first wanted level that the stream of the game seed chooses, three leaves,
    score 0. `reset(options={"level": k})` starts with that level's garland. A level has to be one
    of the set and of the split.

    ## Rewards
    The change of the score: 100 + 25 n + 10 (remaining moves) on each clear, otherwise 0.

    ## Episode End
    Terminated when the third leaf is spent, on bank, and with `one_board=True` at the first clear.
    Truncated after 256 steps (the default of `gym.make`).

    ## Information
    `action_mask` (int8, (n + 4,)), `score`, `game_seed`, and `refusal` (0 = accepted; names in
    `quiltrail.core.actions.REFUSALS`). With `one_board=True` also `is_success` at the end: whether
    the garland was cleared. A refused action changes nothing and gives reward 0. `view()` has
    `level` in place of the published `templateIndex`.

    ## Arguments
    `n` (5: pennants, 2 to 10), `slack` (4: moves beyond par, 0 to 16), `distance` (None, an int or
    (lowest, highest): exact pars, drawn uniformly from the range; up to the diameter for n <= 7,
    up to 13, 14, 15 for n = 8, 9, 10), `start_level` (0), `num_levels` (0: all 2**32), `split`
    (None, `"train"` or `"test"`; parted by the garland itself, one in five is test; levels of the
    other part are passed over), `one_board` (False).

    `render_mode` (None, `"rgb_array"`, `"ansi"` or `"human"`), `render_size` (512: pixels of a
    picture's side), `theme` (`"light"` or `"dark"`), `on_refusal` (`"refuse"` or `"raise"`). The
    vector environment also takes `autoreset_mode`, `max_episode_steps`, `copy` and `threads`.

    ## Version History
    - v0: first version.
    """

    def __init__(self, **options: Any) -> None:
        settings, others = settings_of(SunpleatLevelsEngine, options)
        super().__init__(SunpleatLevelsEngine(1, **settings), **others)


class SunpleatLevelsVectorEnv(GameVectorEnv):
    """B games; see `SunpleatLevelsEnv` for the game, `GameVectorEnv` for the other arguments."""

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        settings, others = settings_of(SunpleatLevelsEngine, options)
        super().__init__(SunpleatLevelsEngine(num_envs, **settings), **others)
