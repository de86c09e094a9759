"""The beginning of every game has as many lines of play as it had, and as its reference counts."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any

import pytest

from quiltrail.envs import GAMES, GameSpec
from tests.conformance.perft import (
    COMMAND,
    FOLDER,
    SEEDS,
    counts,
    game,
    lines,
    path_of,
    reference_counts,
    start_of,
)

each_id = pytest.mark.parametrize("spec", GAMES, ids=lambda spec: spec.id)


@each_id
def test_the_legal_tree_has_as_many_nodes_as_it_had(spec: GameSpec) -> None:
    path = path_of(spec)
    assert path.is_file(), f"{spec.id} has no counts; write them: {COMMAND} {spec.short_name}"
    assert path.read_text(encoding="utf-8").splitlines() == list(lines(spec))


def test_no_counts_are_left_of_an_id_that_is_gone() -> None:
    assert set(FOLDER.iterdir()) == set(map(path_of, GAMES))


def reference_of(spec: GameSpec) -> Callable[..., Any]:
    """Return the reference of an id's engine, which lies where the engine lies.

    That of ``SunpleatEngine`` in ``sunpleat/engine.py`` is ``SunpleatReference`` in
    ``tests/reference/sunpleat.py``; of another module, such as ``sunpleat/levels.py``, it is in
    ``sunpleat_levels.py``.
    """
    engine = type(spec.make_engine(1))
    module = engine.__module__.rpartition(".")[2]
    file = spec.folder if module == "engine" else f"{spec.folder}_{module}"
    name = f"{engine.__name__.removesuffix('Engine')}Reference"
    if find_spec(f"tests.reference.{file}") is None:
        pytest.fail(f"{spec.id} has no reference; write {name} in tests/reference/{file}.py")
    reference: Callable[..., Any] = getattr(import_module(f"tests.reference.{file}"), name)
    return reference


@each_id
def test_the_reference_counts_the_same_legal_tree(spec: GameSpec) -> None:
    reference = reference_of(spec)
    known = signature(reference).parameters
    for seed in SEEDS:
        engine = game(spec, seed, known)
        slow = reference(seed, **start_of(engine, seed, known))
        assert counts(engine, 2) == reference_counts(slow, 2)
