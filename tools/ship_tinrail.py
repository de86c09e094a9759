"""Put the network of a league run, without its snapshots, where the package finds it.

    python -m tools.ship_tinrail RUN

RUN is a folder of ``quiltrail train tinrail_league``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import quiltrail.agents
from quiltrail.agents.tinrail_network import SHIPPED, Network, load_networks, save_networks
from quiltrail.train.folder import RunFolder


def main() -> None:
    """Copy the run's first network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    network, steps = load_networks(RunFolder(parser.parse_args().run).model)
    target = Path(quiltrail.agents.__file__).with_name(SHIPPED)
    save_networks(target, Network(*(weights[:1] for weights in network)), steps[:1])
    print(f"{target.name}: learned from {steps[0]:,} placements, {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
