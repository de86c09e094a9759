"""Drive an engine and the slow references side by side, and demand that nothing differs.

`compare_batch` plays a batch for many steps: some rows follow a guide (a strong player, so that
late phases are reached), the others choose among legal and illegal actions at random.
`find_disagreement` lets hypothesis choose, through the flat door and the JSON door.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

import hypothesis.strategies as st
import numpy as np
from hypothesis import settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from quiltrail.core.actions import REFUSALS, ActionCodec
from quiltrail.core.engine import Engine

Guide = Callable[[Engine], np.ndarray]
MakeReference = Callable[[int], Any]
Visits = Counter[str]


def same_position(engine: Engine, row: int, reference: Any) -> dict[str, Any]:
    """Demand equal views, scores, ends, and a mask that is the legal list; return the view."""
    view: dict[str, Any] = reference.view()
    assert engine.view(row) == view
    assert engine.score[row] == reference.score
    assert engine.terminated[row] == reference.ended
    legal = [_index_of(engine.codec, tuple(one.items())) for one in view["legalActions"]]
    mask = np.flatnonzero(engine.mask[row]).tolist()
    assert mask == (list(range(engine.num_actions)) if reference.ended else legal)
    return view


@cache
def _index_of(codec: ActionCodec, fields: tuple[tuple[str, Any], ...]) -> int:
    return codec.encode(dict(fields))


def compare_batch(
    make_engine: Callable[[int], Engine],
    make_reference: MakeReference,
    *,
    steps: int,
    num_games: int = 64,
    guide: Guide | None = None,
    guided_share: float = 0.9,
    describe: Callable[[dict[str, Any], str], list[str]] = lambda view, refusal: [],
    illegal_share: float = 0.05,
    seed: int = 0,
) -> Visits:
    """Play ``steps`` game steps in a batch and in references; return what was visited.

    Rows with an even index follow the guide for a share of their actions. Ended games start anew
    with fresh seeds. Every step compares reward, refusal, end and the whole view; the observation
    and legal list of a row are those of its state, so a second engine that is set to that state
    must show them too (checked now and then).
    """
    rng = np.random.default_rng(seed)
    engine = make_engine(num_games)
    seeds = rng.integers(2**32, size=num_games, dtype=np.uint64)
    engine.reset(np.arange(num_games), seeds)
    references = [make_reference(int(one)) for one in seeds]
    visits: Visits = Counter()
    for step in range(-(-steps // num_games)):
        actions = _choose(engine, rng, guide, guided_share, illegal_share)
        before = [reference.score for reference in references]
        engine.step(actions)
        for row, reference in enumerate(references):
            name = _play_flat(engine, reference, int(actions[row]))
            assert REFUSALS[int(engine.refusal[row])] == name
            assert engine.reward[row] == reference.score - before[row]
            view = same_position(engine, row, reference)
            visits.update([f"refusal {name}", *describe(view, name)])
        ended = np.flatnonzero(engine.terminated)
        visits["games ended"] += len(ended)
        fresh = rng.integers(2**32, size=len(ended), dtype=np.uint64)
        engine.reset(ended, fresh)
        for row, one in zip(ended.tolist(), fresh.tolist(), strict=True):
            references[row] = make_reference(one)
            same_position(engine, row, references[row])
        if step % 97 == 0:
            _same_when_restored(engine, make_engine(1), int(rng.integers(num_games)))
    return visits


def assert_visited(visits: Visits, expected: Collection[str]) -> None:
    """Demand that play came to all that is expected of it, so that agreement says something."""
    missed = sorted(name for name in expected if visits[name] == 0)
    assert not missed, f"play never came to {missed}"


def _choose(
    engine: Engine,
    rng: np.random.Generator,
    guide: Guide | None,
    guided_share: float,
    illegal_share: float,
) -> np.ndarray:
    weights = rng.random(engine.mask.shape) * (engine.mask != 0)
    actions = weights.argmax(axis=1).astype(np.int64)
    if guide is not None:
        follows = rng.random(engine.num_games) < guided_share
        guided = (np.arange(engine.num_games) % 2 == 0) & follows
        actions = np.where(guided, guide(engine), actions)
    wild = rng.random(engine.num_games) < illegal_share
    anything = rng.integers(-1, engine.num_actions + 1, engine.num_games)
    return np.where(wild, anything, actions)


def _play_flat(engine: Engine, reference: Any, action: int) -> str:
    if not 0 <= action < engine.num_actions:
        return "index-out-of-range"
    return reference.play(engine.codec.decode(action))


def _same_when_restored(engine: Engine, other: Engine, row: int) -> None:
    other.set_state(0, engine.get_state(row))
    assert other.view(0) == engine.view(row)
    for name, values in engine.observation.items():
        np.testing.assert_array_equal(other.observation[name][0], values[row], err_msg=name)
    np.testing.assert_array_equal(other.mask[0], engine.mask[row])


JSON_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 12), st.floats(), st.text(max_size=4)
)


def json_like(codec: Any) -> st.SearchStrategy[Any]:
    """Return a strategy of things that look like this game's actions, most of them malformed."""
    types = st.sampled_from([kind.type for kind in codec.kinds]) | JSON_LEAVES
    names = sorted({one.name for kind in codec.kinds for one in kind.fields} | {"extra"})
    values = [one.values for kind in codec.kinds for one in kind.fields]
    leaves = JSON_LEAVES | st.sampled_from([leaf for group in values for leaf in group] or [0])
    shaped = st.builds(
        lambda kind, rest: {"type": kind, **rest},
        types,
        st.dictionaries(st.sampled_from(names), leaves, max_size=5),
    )
    return st.one_of(shaped, JSON_LEAVES, st.lists(JSON_LEAVES, max_size=2), st.just({}))


class AgreementMachine(RuleBasedStateMachine):
    """Engine and reference side by side, made by what `find_disagreement` fills in."""

    make_engine: Callable[[int], Engine]
    make_reference: MakeReference
    seeds = st.integers(-(2**33), 2**33)

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        seed = data.draw(self.seeds, label="seed")
        self.engine = self.make_engine(2)
        self.engine.reset(np.array([0]), np.array([seed % 2**32], np.uint64))
        self.neighbour = self.engine.get_state(1)
        self.reference = self.make_reference(seed)

    @precondition(lambda self: not self.reference.ended)
    @rule(data=st.data())
    def play_a_legal_action(self, data: st.DataObject) -> None:
        legal = self.reference.legal_actions()
        action = legal[data.draw(st.integers(0, len(legal) - 1), label="nth legal")]
        assert self.engine.submit(0, action).name == self.reference.play(action) == "accepted"

    @rule(data=st.data())
    def play_any_flat_action(self, data: st.DataObject) -> None:
        index = data.draw(st.integers(-1, self.engine.num_actions), label="index")
        self.engine.step(np.array([index]), np.array([0]))
        name = _play_flat(self.engine, self.reference, index)
        assert REFUSALS[int(self.engine.refusal[0])] == name

    @rule(data=st.data())
    def submit_something_like_json(self, data: st.DataObject) -> None:
        action = data.draw(json_like(self.engine.codec), label="action")
        verdict = self.engine.submit(0, action)
        assert verdict.name == self.reference.play(action)
        assert verdict.reason

    @rule()
    def save_and_load(self) -> None:
        state = self.engine.get_state(0)
        self.engine = self.make_engine(2)
        self.engine.set_state(0, state)

    @invariant()
    def nothing_differs(self) -> None:
        same_position(self.engine, 0, self.reference)
        assert self.engine.get_state(1) == self.neighbour


def find_disagreement(
    make_engine: Callable[[int], Engine],
    make_reference: MakeReference,
    *,
    examples: int,
    steps: int = 40,
) -> None:
    """Let hypothesis look for a line of play on which engine and reference differ.

    Args:
        make_engine: number of games -> the engine.
        make_reference: any seed -> the reference.
        examples: lines that are tried.
        steps: how long they are at the most.
    """

    class Machine(AgreementMachine):
        pass

    Machine.make_engine = staticmethod(make_engine)
    Machine.make_reference = staticmethod(make_reference)
    effort = settings(max_examples=examples, stateful_step_count=steps)
    run_state_machine_as_test(Machine, settings=effort)
