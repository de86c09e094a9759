"""Experiments as data: YAML files, checked into frozen models.

A config names everything that decides a run. `load_config` reads one by name (those in
``quiltrail/configs``) or by path; unknown keys are errors that list near names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BaseModel, Field, ValidationError

from quiltrail.core.errors import ConfigError, shown, unknown_name_text
from quiltrail.train.learners import ALGORITHMS
from quiltrail.train.sections import Count, NonNegative, Section, Seed, digest_of
from quiltrail.train.tuning import Range, SweepSection
from quiltrail.train.yaml_values import YamlError, parse_setting, parse_yaml

_USUAL_ALGORITHM = "maskable_ppo"  # of a game that is named alone
_FORM = "section.key=value"  # of an override
_NO_PART_OF_A_RUN = {"description", "checkpoints", "sweep"}  # changes nothing about what is learned


def _known_algorithm(name: str) -> str:
    if name not in ALGORITHMS:
        raise ValueError(unknown_name_text("algorithm", name, ALGORITHMS))
    return name


Algorithm = Annotated[
    str, AfterValidator(_known_algorithm), Field(json_schema_extra={"enum": sorted(ALGORITHMS)})
]


class EnvSection(Section):
    """Which environment is trained on."""

    id: str
    num_envs: Count = 64
    max_episode_steps: Count | None = None  # None: the id's own limit
    settings: dict[str, Any] = Field(default_factory=dict)


class Schedule(Section):
    """A number that stays, then falls in a straight line: fractions of the run's steps."""

    initial: NonNegative
    final: NonNegative
    hold_until: Annotated[float, Field(ge=0, le=1)] = 0.0
    reach_at: Annotated[float, Field(gt=0, le=1)] = 1.0

    def at(self, progress: float) -> float:
        """Return the value after a fraction ``progress`` of the run."""
        span, passed = self.reach_at - self.hold_until, progress - self.hold_until
        fallen = passed / span if span > 0 else float(passed > 0)
        return self.initial + (self.final - self.initial) * min(1.0, max(0.0, fallen))


class TransformSection(Section):
    """One wrapper: its name and its arguments."""

    name: str
    args: dict[str, Any] = Field(default_factory=dict)


class StartsSection(Section):
    """Where training episodes begin; evaluation always begins as the rules do."""

    name: str
    args: dict[str, Any] = Field(default_factory=dict)


class TrainingSection(Section):
    """How the agent learns."""

    algorithm: Algorithm = _USUAL_ALGORITHM
    total_steps: Count
    seed: Seed = 0
    threads: Count = 1
    policy: str = "MultiInputPolicy"
    net_arch: list[Count] = Field([64, 64])  # of SB3's own policies and puzzle_value's network
    policy_args: dict[str, Any] = Field(default_factory=dict)
    learning_rate: Schedule
    entropy: Schedule | None = None  # the weight of the entropy bonus: every PPO, a2c
    exploration: Schedule | None = None  # the share of random actions: dqn, qr_dqn, puzzle_value
    hyperparameters: dict[str, Any] = Field(default_factory=dict)
    transforms: list[TransformSection] = Field(default_factory=list)
    starts: StartsSection | None = None


class EvaluationSection(Section):
    """How it is judged: the plain game on fixed seeds.

    The seeds from ``first_seed`` on choose the best model along the way; those from
    ``report_first_seed`` on, which nothing was chosen by, judge it in the end.
    """

    every_steps: Count
    first_seed: Seed = 1_000_000
    episodes: Count = 10
    report_first_seed: Seed = 2_000_000
    report_episodes: Count = 100
    max_episode_steps: Count | None = None  # None: the id's own limit
    #: replace those of env, for example by a test split of levels
    settings: dict[str, Any] = Field(default_factory=dict)
    reference_agent: str | None = None  # its score counts as 1, that of random play as 0
    stop_at_reference: bool = False

    @property
    def seeds(self) -> range:
        """The game seeds that choose the best model along the way."""
        return range(self.first_seed, self.first_seed + self.episodes)

    @property
    def report_seeds(self) -> range:
        """The game seeds of the final evaluation."""
        return range(self.report_first_seed, self.report_first_seed + self.report_episodes)


class CheckpointSection(Section):
    """How often a run is saved; it changes nothing about what is learned."""

    every_seconds: NonNegative = 30.0  # 0: at every boundary
    keep: Count = 2


class ExperimentConfig(Section):
    """A whole experiment."""

    name: str
    description: str = ""
    env: EnvSection
    training: TrainingSection
    evaluation: EvaluationSection
    checkpoints: CheckpointSection = CheckpointSection()
    sweep: SweepSection | None = None  # of `quiltrail sweep --backend ray`

    @property
    def digest(self) -> str:
        """A hash of everything that decides the run, 12 hex digits."""
        return digest_of(self.model_dump(mode="json", exclude=_NO_PART_OF_A_RUN))

    @property
    def method_digest(self) -> str:
        """The same without the seed: runs that share it are repetitions of one experiment."""
        data = self.model_dump(mode="json", exclude=_NO_PART_OF_A_RUN)
        del data["training"]["seed"]
        return digest_of(data)

    def to_yaml(self) -> str:
        """Return the resolved config of a run as YAML; how a sweep goes about it is left out."""
        return yaml.safe_dump(self.model_dump(mode="json", exclude={"sweep"}), sort_keys=False)


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of a config file, for editors and other programs."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **ExperimentConfig.model_json_schema(),
    }


def config_names() -> list[str]:
    """Return the names of the configs that come with the package."""
    names = (one.name for one in files("quiltrail.configs").iterdir())
    return sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml"))


def load_config(name: str, overrides: Sequence[str] = ()) -> ExperimentConfig:
    """Return a checked config.

    Args:
        name: the name of a shipped config, a game ("sunpleat") for its MaskablePPO config or its
            only one, or a YAML file.
        overrides: settings such as "training.total_steps=1000", values in YAML.

    Raises:
        ConfigError: one sentence that says what is wrong and what is allowed.
    """
    return configure(_read(name), dict(parse_setting(one, _FORM) for one in overrides))


def configure(data: dict[str, Any], overrides: Mapping[str, Any]) -> ExperimentConfig:
    """Return a checked config from data with values by dotted key put in.

    Raises:
        ConfigError: one sentence that says what is wrong and what is allowed.
    """
    data = deepcopy(data)
    for key, value in overrides.items():
        _override(data, key, value)
    try:
        return ExperimentConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigError(_in_one_sentence(error)) from None


def _read(name: str) -> dict[str, Any]:
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"cannot read the config {path.name}: {error}") from None
    else:
        text = files("quiltrail.configs").joinpath(f"{_shipped(name)}.yaml").read_text("utf-8")
    try:
        data = parse_yaml(text)
    except YamlError as error:
        raise ConfigError(f"{name} is not valid YAML: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{name} has to hold a mapping, got {type(data).__name__}")
    return data


def _shipped(name: str) -> str:
    names = config_names()
    if name in names:
        return name
    of_game = [one for one in names if one.startswith(f"{name}_")]
    usual = f"{name}_{_USUAL_ALGORITHM}"
    if usual in of_game:
        return usual
    if len(of_game) == 1:
        return of_game[0]
    if of_game:
        raise ConfigError(f"{shown(name)} could be any of {', '.join(of_game)}; name one")
    allowed = {*names, *(one.partition("_")[0] for one in names)}
    raise ConfigError(unknown_name_text("config", name, allowed) + "; or a path ending in .yaml")


def _override(data: dict[str, Any], key: str, value: Any) -> None:
    *sections, last = key.split(".")
    place = data
    for section in sections:
        place = place.setdefault(section, {})
        if not isinstance(place, dict):
            raise ConfigError(f"{shown(key)} goes through {shown(section)}, which holds no section")
    place[last] = value


def _in_one_sentence(error: ValidationError) -> str:
    """Return the first fault of a config in words, and how many more there are."""
    # A misspelt key is the likely cause of a missing one, so it comes first.
    faults = sorted(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    first = faults[0]
    where = ".".join(part for part in map(str, first["loc"]) if not _is_branch(part))
    if first["type"] == "extra_forbidden":
        text = unknown_name_text("config key", where, _keys_beside(first["loc"]))
    else:
        said = first["msg"].removeprefix("Value error, ")
        text = f"config key {where}: {said}, got {first['input']!r:.80}"
    return text + (f" (and {len(faults) - 1} more)" if len(faults) > 1 else "")


def _is_branch(part: str) -> bool:
    """Return whether a part of a location is no key but pydantic's name for a kind of value."""
    return part == Range.__name__ or "[" in part


def _keys_beside(location: tuple[int | str, ...]) -> Iterable[str]:
    """Return the dotted keys that are allowed where an unknown one was found."""
    section: Any = ExperimentConfig
    for part in location[:-1]:
        if part in section.model_fields:
            section = _section_in(section.model_fields[part].annotation)
    prefix = ".".join(part for part in map(str, location[:-1]) if not _is_branch(part))
    return [f"{prefix}.{name}" if prefix else name for name in section.model_fields]


def _section_in(annotation: Any) -> Any:
    """Return the section class inside an annotation such as ``list[Section]``, or None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = map(_section_in, getattr(annotation, "__args__", ()))
    return next((one for one in inner if one is not None), None)
