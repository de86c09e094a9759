"""OpenSpiel's games from Python: apply an action, read observation tensor and legal actions."""

from __future__ import annotations

import random
from typing import Any

import pyspiel
from clock import Play, Stopwatch
from reporting import PeerCase, report

_STEPS = 500


def _play_game(name: str) -> Play:
    """Return a play of random legal games, chance moves included and not counted."""
    game = pyspiel.load_game(name)
    recorded = _record(game)

    def play(watch: Stopwatch) -> int:
        with watch:
            for actions in recorded:
                state = game.new_initial_state()
                for action, is_chance in actions:
                    state.apply_action(action)
                    if not is_chance and not state.is_terminal():
                        state.observation_tensor(0)
                        state.legal_actions()
        return sum(not is_chance for actions in recorded for _, is_chance in actions)

    return play


def _record(game: Any) -> list[list[tuple[int, bool]]]:
    chance = random.Random(0)
    recorded: list[list[tuple[int, bool]]] = []
    while sum(map(len, recorded)) < _STEPS:
        state, actions = game.new_initial_state(), []
        while not state.is_terminal():
            is_chance = state.is_chance_node()
            if is_chance:
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                action = chance.choices(outcomes, weights)[0]
            else:
                action = chance.choice(state.legal_actions())
            actions.append((action, is_chance))
            state.apply_action(action)
        recorded.append(actions)
    return recorded


if __name__ == "__main__":
    report(
        PeerCase(name, "single", 1, True, lambda name=name: _play_game(name))
        for name in ("connect_four", "othello", "2048")
    )
