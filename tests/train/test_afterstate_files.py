"""Files of after-state values: what is saved is loaded, what is damaged or wrong is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quiltrail.core.errors import ModelMismatchError
from quiltrail.train.afterstate.patchwork_features import NUM_ENTRIES
from quiltrail.train.afterstate.value import load_value
from tests.train.afterstates import (
    filled_tables,
    some_nodes,
    value,
)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "value.npz"
    value(filled_tables().weights).save(path)
    return path


def test_a_saved_value_is_loaded_as_it_was(saved: Path) -> None:
    before, after = value(filled_tables().weights), load_value(saved)
    np.testing.assert_array_equal(after.weights, before.weights)
    assert (after.stage_length, after.gamma) == (before.stage_length, before.gamma)
    np.testing.assert_array_equal(after(some_nodes()), before(some_nodes()))


def test_every_cut_and_every_kind_of_damage_is_one_sentence(saved: Path) -> None:
    whole = saved.read_bytes()
    rng = np.random.default_rng(2)
    damaged = [whole[: int(cut)] for cut in rng.integers(len(whole), size=40)]
    damaged += [b"", b"PK\x03\x04", b"no archive at all", whole[100:]]
    for place_ in rng.integers(len(whole), size=40).tolist():
        damaged.append(whole[:place_] + bytes([whole[place_] ^ 0x5A]) + whole[place_ + 1 :])
    said = [_refusal(saved, content) for content in damaged]
    refused = [one for one in said if one]
    assert all(one.startswith("value.npz holds no after-state value: ") for one in refused)
    assert not any("\n" in one for one in refused)
    assert len(refused) >= len(damaged) - 8, "only bytes that mean nothing may change unseen"


def _refusal(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    try:
        load_value(path)
    except ModelMismatchError as error:
        return str(error)
    return ""


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelMismatchError, match=r"cannot read gone\.npz: No such file"):
        load_value(tmp_path / "gone.npz")


GOOD: dict[str, Any] = {
    "kind": np.array("quiltrail patchwork after-state value 1"),
    "gamma": np.array(0.9),
    "stage_length": np.array(300),
    "weights": np.zeros((1, NUM_ENTRIES), np.float32),
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": np.array("another model")}, "kind"),
        ({"kind": np.array(3)}, "kind"),
        ({"gamma": np.array(1.5)}, "gamma"),
        ({"gamma": np.array(np.nan)}, "gamma"),
        ({"gamma": np.array([0.9])}, "gamma"),
        ({"stage_length": np.array(0)}, "stage_length"),
        ({"stage_length": np.array(2.0)}, "stage_length"),
        ({"weights": np.zeros((1, NUM_ENTRIES - 1), np.float32)}, "weights"),
        ({"weights": np.zeros((0, NUM_ENTRIES), np.float32)}, "stages"),
        ({"weights": np.zeros((1, NUM_ENTRIES))}, "float32"),
        ({"weights": np.zeros(())}, "weights"),
        ({"weights": np.full((1, NUM_ENTRIES), np.inf, np.float32)}, "finite"),
        ({"weights": np.array([{}], object)}, "pickle"),
        ({"more": np.zeros(1)}, "has to hold"),
        ({"gamma": None}, "has to hold"),
    ],
)
def test_a_wrong_array_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    arrays = {name: array for name, array in {**GOOD, **change}.items() if array is not None}
    path = tmp_path / "value.npz"
    np.savez(path, **arrays)
    with pytest.raises(ModelMismatchError, match=said):
        load_value(path)


def test_a_good_file_written_by_hand_is_loaded(tmp_path: Path) -> None:
    np.savez(tmp_path / "value.npz", **GOOD)
    assert load_value(tmp_path / "value.npz").weights.shape == (1, NUM_ENTRIES)
