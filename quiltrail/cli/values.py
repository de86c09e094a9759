"""Values that several commands read from their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from quiltrail.core.errors import ConfigError


def parse_seeds(text: str) -> list[int]:
    """Return the seeds of "0-99" or "1,5,9".

    Raises:
        ConfigError: if the text is neither.
    """
    try:
        first, dash, last = text.partition("-")
        if dash and first:
            seeds = list(range(int(first), int(last) + 1))
        else:
            seeds = [int(one) for one in text.split(",")]
    except ValueError:
        seeds = []
    if not seeds or len(set(seeds)) != len(seeds):
        raise ConfigError(f'seeds are written "0-99" or "1,5,9", got {text!r}')
    return seeds


def parse_settings(settings: Sequence[str] | None) -> dict[str, Any]:
    """Return settings written key=value, the values in YAML.

    Raises:
        ConfigError: if one is not.
    """
    values: dict[str, Any] = {}
    for setting in settings or []:
        key, sign, text = setting.partition("=")
        if not sign or not key:
            raise ConfigError(f"a setting is written key=value, got {setting!r}")
        try:
            values[key] = yaml.safe_load(text)
        except yaml.YAMLError:
            raise ConfigError(f"the value of {setting!r} is not valid YAML") from None
    return values
