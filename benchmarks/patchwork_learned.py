"""Play Patchwork by a learned value on fixed seeds and publish how far it gets.

    python -m benchmarks.patchwork_learned [--model RUN/model.zip] [--only one beam-4 ..]

The value is the one that comes with the package, or that of a run of ``quiltrail train
patchwork_td``. Game seeds count from 0, games have no time limit, intervals are 95 % percentile
bootstraps over the games, time is CPU time of the whole batch. The wide beams take minutes.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from benchmarks.patchwork_calibration import HEADER, Player, row_of
from quiltrail.agents.patchwork import PatchworkBeam, PatchworkGreedy
from quiltrail.agents.patchwork_search import ValueFunction
from quiltrail.train.afterstate.value import learned_value, load_value

_NO_LIMIT = 10_000_000  # patches; the deals make sure that no game gets there


def players(value: ValueFunction) -> dict[str, Player]:
    """Return the players that use a value, by name."""
    beams = {4: 200, 16: 40, 64: 40}
    return {
        "one": Player("learned value, one patch ahead", partial(PatchworkGreedy, value), 1000),
        **{
            f"beam-{width}": Player(
                f"learned value, whole tray, beam {width}",
                partial(PatchworkBeam, width, value),
                games,
            )
            for width, games in beams.items()
        },
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="a file that a run has saved")
    parser.add_argument("--only", nargs="+", choices=players(learned_value))
    parser.add_argument("--games", type=int, help="games of each player, instead of its own number")
    arguments = parser.parse_args()
    value = load_value(arguments.model) if arguments.model else learned_value
    print(HEADER)
    for name, player in players(value).items():
        if arguments.only is None or name in arguments.only:
            print(row_of(player, arguments.games or player.games, _NO_LIMIT), flush=True)


if __name__ == "__main__":
    main()
