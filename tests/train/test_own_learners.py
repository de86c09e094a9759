"""What the package's own algorithms have in common: seeds decide, what does not fit is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib")

from quiltrail.core.errors import ModelMismatchError, QuiltrailError
from quiltrail.train.learners.base import find_learner
from quiltrail.train.randomness import borrowed_randomness
from quiltrail.train.run import weights_hash
from tests.train.small import OWN, small_own


@pytest.mark.usefixtures("short_chunks")
@pytest.mark.parametrize("name", OWN)
def test_another_seed_learns_something_else_and_the_same_seed_the_same(name: str) -> None:
    def hash_of(seed: int) -> str:
        config = small_own(name, f"training.seed={seed}")
        with borrowed_randomness(seed):
            learner = find_learner(config.training.algorithm)(config)
            learner.learn_chunk()
        return weights_hash(learner.weights())

    assert hash_of(0) == hash_of(0) != hash_of(1)


@pytest.mark.parametrize(
    ("name", "override", "said"),
    [
        ("patchwork_td", "training.hyperparameters.gamma=1.5", "gamma"),
        ("patchwork_td", "training.hyperparameters.gamma=yes", "gamma"),
        ("patchwork_td", "training.hyperparameters.stages=0", "stages"),
        ("patchwork_td", "training.hyperparameters.stage_length=2.5", "stage_length"),
        ("patchwork_td", "training.hyperparameters.latest_start=-1", "latest_start"),
        ("patchwork_td", "training.hyperparameters.gama=0.9", "gama"),
        ("patchwork_td", "training.transforms=[{name: reward_scale}]", "transforms"),
        ("patchwork_td", "training.entropy={initial: 1, final: 0}", "entropy"),
        ("patchwork_td", "env.id=sunpleat", "after-states can be learned of patchwork"),
        ("patchwork_td", "env.settings={revive: true}", "revive"),
        ("tinrail_league", "training.hyperparameters.hidden=0", "hidden"),
        ("tinrail_league", "training.hyperparameters.batch_size=yes", "batch_size"),
        ("tinrail_league", "training.hyperparameters.epsilon=1.5", "epsilon"),
        ("tinrail_league", "training.hyperparameters.decay=1", "decay"),
        ("tinrail_league", "training.hyperparameters.league_share=-0.5", "league_share"),
        ("tinrail_league", "training.hyperparameters.snapshot=3", "snapshot"),
        ("tinrail_league", "training.transforms=[{name: reward_scale}]", "transforms"),
        ("tinrail_league", "env.id=sunpleat", "Tinrail"),
        ("patchrooklevels_value", "training.hyperparameters.batch_size=0", "batch_size"),
        ("patchrooklevels_value", "training.hyperparameters.attempts=true", "attempts"),
        ("patchrooklevels_value", "training.hyperparameters.greed=-1", "greed"),
        ("patchrooklevels_value", "training.hyperparameters.scrambled=1.5", "scrambled"),
        ("patchrooklevels_value", "training.hyperparameters.gred=1", "gred"),
        ("patchrooklevels_value", "training.transforms=[{name: reward_scale}]", "transforms"),
        ("patchrooklevels_value", "training.entropy={initial: 1, final: 0}", "entropy"),
        ("patchrooklevels_value", "training.starts={name: sunpleat_winnable}", "curriculum"),
        ("patchrooklevels_value", "env.settings.one_board=false", "one_board"),
        ("patchrooklevels_value", "training.hyperparameters.scrambled=0.5", "backwards"),
    ],
)
def test_what_it_does_not_have_is_one_sentence(name: str, override: str, said: str) -> None:
    config = small_own(name, override)
    with pytest.raises(QuiltrailError, match=said):
        find_learner(config.training.algorithm)(config)


@pytest.mark.parametrize("content", [b"", b"no model", b"PK\x05\x06" + bytes(18)])
@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("patchwork_td", "after-state value"),
        ("tinrail_league", "Tinrail networks"),
        ("sunpleatlevels_value", "value of sunpleat_3"),
    ],
)
def test_a_model_of_something_else_is_refused(
    tmp_path: Path, name: str, missing: str, content: bytes
) -> None:
    path, config = tmp_path / "model.zip", small_own(name)
    path.write_bytes(content)
    with pytest.raises(ModelMismatchError, match=rf"^model\.zip holds no {missing}"):
        find_learner(config.training.algorithm).load_player(path, config)
