"""Tinrail for Gymnasium, single and vectorised: you against an opponent."""

from __future__ import annotations

from typing import Any, Unpack

from quiltrail.envs.rendering import EnvOptions
from quiltrail.envs.single import GameEnv
from quiltrail.envs.tinrail.opponents import OpponentLike
from quiltrail.envs.tinrail.solo import TinrailSoloEngine
from quiltrail.envs.vector import GameVectorEnv


class TinrailEnv(GameEnv):
    """Two engines on one table of rails; keep riding longer than your opponent.

    ## Description
    Each player drives an engine on a 6 x 6 table. An engine waits at a notch: an empty cell and
    the port by which it will enter it. On your turn you lay one tile of your hand, at any rotation,
    in the cell your engine faces; every engine that faces the cell then rides the rails to the
    edge of another empty cell, or off the table and out of the match. Engines that meet head on are
    both out. You win when the opponent's engine is out and yours is not, whoever placed the tile.
    There are 35 tiles, each once; a hand holds three, and you draw after you place.

    The rules are those of Tinrail, published by gameboard.gg; this package is independent of it.
    Ours are the deck of a seed, the numbering of the tiles, the policies of both bots and the
    opponent "random": the same seed plays differently there.

    A step is your placement and the opponent's reply: you always see your own turn, or the end.

    ## Action Space
    `Discrete(12)`: 4 * tileIndex + rotation, that is
    `{"type": "place", "tileIndex": 0..2, "rotation": 0..3}`. Legal is every tile you hold, at every
    rotation. The rotation is the table's, in quarter-turns clockwise.

    ## Observation Space
    `Dict` of int8 arrays, all from your own side: in the second seat the table is turned by 180
    degrees (cell -> 35 - cell, port -> port xor 4), so that you always start at cell 32, port 4.
    "Own" is row 0 and the opponent row 1 where there are two.

    | field | shape | meaning |
    |---|---|---|
    | `table` | (36, 8) | for each cell and port how far clockwise its strand leads; 0 if empty |
    | `engines` | (2, 44) | one-hot of the cell, then of the port; zeros when eliminated |
    | `hand` | (12, 8) | for each action the strands it lays, as in `table`; 0 if no tile |
    | `rides` | (12, 2) | for each action what would lie before that engine; 0 off the table |
    | `unseen` | (35,) | tiles neither on the table nor in your hand |
    | `opponent_hand` | (3,) | ones for the tiles the opponent holds |
    | `pile` | (29,) | ones for the tiles in the pile |
    | `seat` | (2,) | one-hot of your seat |

    A strand's reach is -3 to 4 ports: negative is counter-clockwise, 4 straight across. What lies
    before an engine is 1 + the ports by which it could ride on from its rest, counted on the rails
    before the tile is laid. `rides` follows from the rest and spares a small network the tracing;
    `quiltrail.wrappers.AfterstateFeatures` tells more. The opponent's hand and the order of the
    pile never enter: dealing them anew changes no byte.

    ## Starting State
    Engines at cell 32, port 4 (the first seat, which moves first) and at cell 3, port 0; the deck
    of the seed, dealt three, three and a pile of 29. In the second seat the opponent has placed
    once. If that has ended the match, reset returns the position with an all-ones mask, and the
    first step, whatever the action, returns the result.

    ## Rewards
    `reward="score"`: at the end the published score: a win 100 + 5 a tile survived, a draw 50 + 2 a
    tile, else 2 a tile, times 0.6 against "easy", rounded down; at most 275. `reward="outcome"`:
    +1, 0 or -1. Before the end 0; a truncated match pays nothing.

    ## Episode End
    Terminated when an engine is out, or when all 35 tiles lie (a draw). Truncated after 64 steps
    (the default of `gym.make`), which only refused actions can reach.

    ## Information
    `action_mask` (int8, (12,)), `score`, `game_seed`, `refusal` (0 = accepted; names in
    `quiltrail.core.actions.REFUSALS`), and at the end `is_success`: whether you won. A refused
    action changes nothing, the opponent does not reply, and the reward is 0.

    ## Arguments
    - `opponent`: `"wise"`, `"easy"`, `"random"`, a callable, or `"module:attribute"` of one. A
      callable takes (observations, masks), a dict of arrays (N, ..) and int8 (N, 12), and returns
      N legal actions; it sees the table from its own side.
    - `seat`: 0, 1 or `"random"` (drawn from the game seed).
    - `reward`: `"score"` or `"outcome"`.
    - `render_mode` (None or one of `metadata["render_modes"]`), `on_refusal` (`"refuse"` or
      `"raise"`). The vector environment also takes `autoreset_mode`, `max_episode_steps`,
      `copy` and `threads`.

    ## Version History
    - v0: first version.
    """

    def __init__(
        self,
        *,
        opponent: OpponentLike = "wise",
        seat: int | str = 0,
        reward: str = "score",
        **options: Unpack[EnvOptions],
    ) -> None:
        engine = TinrailSoloEngine(1, opponent=opponent, seat=seat, reward=reward)
        super().__init__(engine, **options)


class TinrailVectorEnv(GameVectorEnv):
    """B matches against opponents; see `TinrailEnv` for the game, `GameVectorEnv` for the rest.

    ``opponent`` may also be a sequence with one for each row.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponent: Any = "wise",
        seat: int | str = 0,
        reward: str = "score",
        **kwargs: Any,
    ) -> None:
        engine = TinrailSoloEngine(num_envs, opponent=opponent, seat=seat, reward=reward)
        super().__init__(engine, **kwargs)
