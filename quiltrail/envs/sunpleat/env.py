"""Sunpleat for Gymnasium, single and vectorised."""

from __future__ import annotations

from typing import Any, Unpack

from quiltrail.envs.rendering import EnvOptions
from quiltrail.envs.single import GameEnv
from quiltrail.envs.sunpleat.engine import SunpleatEngine
from quiltrail.envs.vector import GameVectorEnv


class SunpleatEnv(GameEnv):
    """Signed prefix reversal ("burnt pancakes") under a move budget.

    ## Description
    A garland hangs n pennants, numbered 1 to n, each showing its sun (+) or its moon (-). A flip of
    count k reverses the first k pennants and turns each of them over. Bring every board to
    1, 2, .., n with all suns showing before its move budget, the exact optimum (par) plus four, is
    spent. Running out of moves costs a leaf; the third leaf ends the run, and so does banking.
    Boards 1 to 8 are eight fixed templates; from board 9 on, templates 5, 6, 7, 8 repeat for ever.

    The rules are those of Sunpleat, published by gameboard.gg; this package is independent of it.

    ## Action Space
    `Discrete(9)`:

    | action | JSON | legal when |
    |---|---|---|
    | 0 to 4 | `{"type": "flip", "count": action + 1}` | playing, count at most n |
    | 5 | `{"type": "next"}` | cleared |
    | 6 | `{"type": "retry"}` | retry |
    | 7 | `{"type": "restart"}` | playing; costs a leaf |
    | 8 | `{"type": "bank"}` | not ended |

    ## Observation Space
    `Dict` of int8 arrays of zeros and ones:

    | field | shape | meaning |
    |---|---|---|
    | `garland` | (5, 10) | one-hot per place: column v - 1 for sun v, v + 4 for moon v |
    | `leaves` | (3,) | ones for the leaves left |
    | `moves` | (12,) | one-hot of the remaining moves, 0 to 11 |
    | `n` | (5,) | ones for the first n places |
    | `phase` | (4,) | one-hot: playing, cleared, retry, ended |
    | `start` | (5, 10) | the garland this board starts with, coded like `garland` |

    Places behind the last pennant are zero. `start` decides what a restart brings back and which
    board comes next, so that the observation says all that the future depends on.

    ## Starting State
    Board 1, three leaves, score 0, whatever the seed: the rules have no chance in them.
    `reset(options={"board": k})` starts a fresh run at board k.

    ## Rewards
    The change of the score: 100 + 25 n + 10 (remaining moves) on each clear, otherwise 0. The best
    possible sum is 1,970 for the first eight boards and 9,920 for 256 steps.

    ## Episode End
    Terminated when the third leaf is spent or on bank. Truncated after 256 steps (the default of
    `gym.make`).

    ## Information
    `action_mask` (int8, (9,)), `score`, `game_seed`, and `refusal` (0 = accepted; names in
    `quiltrail.core.actions.REFUSALS`). A refused action changes nothing and gives reward 0.

    ## Arguments
    `render_mode` (None, `"rgb_array"`, `"ansi"` or `"human"`), `render_size` (512: pixels of a
    picture's side), `theme` (`"light"` or `"dark"`), `on_refusal` (`"refuse"` or `"raise"`). The
    vector environment also takes `autoreset_mode`, `max_episode_steps`, `copy` and `threads`.

    ## Version History
    - v0: first version.
    """

    def __init__(self, **options: Unpack[EnvOptions]) -> None:
        super().__init__(SunpleatEngine(1), **options)


class SunpleatVectorEnv(GameVectorEnv):
    """B games of Sunpleat; see `SunpleatEnv` for the game, `GameVectorEnv` for the arguments."""

    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        super().__init__(SunpleatEngine(num_envs), **kwargs)
