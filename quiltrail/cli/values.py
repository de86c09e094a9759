"""Values that several commands read from their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quiltrail.core.errors import ConfigError, shown
from quiltrail.train.yaml_values import parse_setting

_MOST_SEEDS = 100_000


def parse_seeds(text: str) -> list[int]:
    """Return the seeds of "0-99" or "1,5,9".

    Raises:
        ConfigError: if the text is neither, or names too many.
    """
    try:
        first, dash, last = text.partition("-")
        if dash and first:
            seeds: Sequence[int] = range(int(first), int(last) + 1)
        else:
            seeds = [int(one) for one in text.split(",")]
    except ValueError:
        seeds = []
    if seeds and seeds[-1] - seeds[0] >= _MOST_SEEDS and isinstance(seeds, range):
        raise ConfigError(f"at most {_MOST_SEEDS:,} seeds are taken at once, got {shown(text)}")
    if not seeds or len(set(seeds)) != len(seeds):
        raise ConfigError(f'seeds are written "0-99" or "1,5,9", got {shown(text)}')
    return list(seeds)


def parse_settings(settings: Sequence[str] | None) -> dict[str, Any]:
    """Return settings written key=value, the values in YAML.

    Raises:
        ConfigError: if one is not.
    """
    return dict(parse_setting(one, "key=value") for one in settings or [])
