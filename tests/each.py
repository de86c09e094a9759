"""Run a test once for each registered id, given the id or what is registered under it."""

from __future__ import annotations

import pytest

from quiltrail.envs import GAMES

IDS = [spec.id for spec in GAMES]
each_id = pytest.mark.parametrize("env_id", IDS)
each_game = pytest.mark.parametrize("spec", GAMES, ids=lambda spec: spec.name)
