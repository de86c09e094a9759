"""The command line: what it prints, and one sentence with exit code 2 for each mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("typer")

from quiltrail.__main__ import main
from quiltrail.cli.values import parse_seeds, parse_settings
from quiltrail.core.errors import ConfigError
from tests.train.small import SMALL

TINY = [f"--set={one}" for one in (*SMALL, "training.total_steps=2048")]


@dataclass
class Said:
    returncode: int
    stdout: str
    stderr: str


@dataclass
class CommandLine:
    """``quiltrail`` in this process, which spares each test seconds of imports."""

    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def __call__(self, *arguments: str) -> Said:
        self.capsys.readouterr()
        self.monkeypatch.setattr(sys, "argv", ["quiltrail", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        said = self.capsys.readouterr()
        return Said(int(ended.value.code or 0), said.out, said.err)


@pytest.fixture
def quiltrail(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def test_the_module_is_the_command() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "quiltrail", "list"], capture_output=True, text=True, check=True
    )
    for name in ("quiltrail/Sunpleat-v0", "sunpleat-solver", "qr_dqn", "sunpleat_maskable_ppo"):
        assert name in said.stdout


def test_an_agent_is_evaluated_and_written_as_json(quiltrail: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    said = quiltrail(
        *("evaluate", "--env", "sunpleat", "--agent", "sunpleat-solver", "--seeds", "0-1"),
        *("--json", str(path)),
    )
    assert said.returncode == 0, said.stderr
    assert "9,920.0 [9,920.0, 9,920.0]" in said.stdout
    assert "refusals 0" in said.stdout
    written = json.loads(path.read_text())
    assert written["references"]["agent"] == "sunpleat-solver"
    assert [one["normalised"] for one in written["sunpleat-solver"]] == [1.0]


def test_several_seeds_are_trained_evaluated_and_compared(
    quiltrail: CommandLine, tmp_path: Path
) -> None:
    folder = tmp_path / "runs"
    said = quiltrail("train", "sunpleat", *TINY, "--seeds", "3,5", "--out", str(folder), "--quiet")
    assert said.returncode == 0, said.stderr
    assert {path.name for path in folder.iterdir()} == {
        *("seed-3", "seed-5", "COMPARISON.md", "comparison.csv", "curves-0.png", "profiles.png")
    }
    said = quiltrail("train", "--resume", str(folder))
    assert said.stdout.replace("\n", "").count("is finished") == 2

    models = [f"--model={folder / name}" for name in ("seed-3", "seed-5")]
    said = quiltrail("evaluate", "--env", "sunpleat", *models, "--seeds", "0-3")
    assert said.returncode == 0, said.stderr
    assert "deterministic, 2 models, 4 episodes" in said.stdout
    assert "sampled, 2 models, 4 episodes" in said.stdout
    assert "normalised" in said.stdout

    said = quiltrail("compare", str(folder), "--out", str(tmp_path / "comparison"))
    assert said.returncode == 0, said.stderr
    assert "| sunpleat_maskable_ppo | 2 |" in said.stdout
    assert (tmp_path / "comparison" / "COMPARISON.md").is_file()


@pytest.mark.slow
def test_a_sweep_reports_its_failures_and_exits_with_1(
    quiltrail: CommandLine, tmp_path: Path
) -> None:
    folder = tmp_path / "sweep"
    grid = "--grid=evaluation.reference_agent=sunpleat-solver,oracle"
    said = quiltrail("sweep", "sunpleat", *TINY, grid, "--jobs=2", "--out", str(folder), "--quiet")
    assert said.returncode == 1
    assert "failed: 001-evaluation.reference_agent=oracle/seed-0: UnknownNameError" in said.stdout
    assert (folder / "COMPARISON.md").is_file()
    assert (folder / "errors").is_dir()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["train"], "name a config"),
        (["train", "sunpleet"], "did you mean sunpleat"),
        (["train", "sunpleat", "--set", "training.sed=1"], "training.seed"),
        (["train", "sunpleat", "--set", "training.algorithm=pppo"], "did you mean ppo"),
        (["train", "sunpleat", "--seed", "1", "--seeds", "0-4"], "either --seed or --seeds"),
        (["train", "sunpleat", "--resume", "x"], "--resume takes everything"),
        (["train", "--resume", "nowhere"], "no run in nowhere"),
        (["evaluate", "--env", "sunpleet", "--agent", "random"], "quiltrail/Sunpleat-v0"),
        (["evaluate", "--env", "sunpleat", "--agent", "radnom"], "random"),
        (["evaluate", "--env", "sunpleat"], "--agent or a --model"),
        (["evaluate", "--env", "sunpleat", "--agent", "random", "--seeds", "9-3"], "0-99"),
        (["evaluate", "--env", "sunpleat", "--model", "nowhere"], "no run folder"),
        (["evaluate", "--env", "sunpleat", "--agent", "random", "--set", "x"], "key=value"),
        (["evaluate", "--env", "sunpleat", "--agent", "random", "--reference", "x"], "agent 'x'"),
        (["compare", "nowhere"], "no run in nowhere"),
        (["sweep"], "name a config"),
        (["sweep", "sunpleat", "--grid", "x"], "a grid is written"),
        (["sweep", "sunpleat", "--jobs", "0"], "jobs"),
        (["sweep", "--resume", "nowhere"], "no sweep"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    arguments: list[str], says: str, quiltrail: CommandLine, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    said = quiltrail(*arguments)
    assert said.returncode == 2
    assert says in said.stderr
    assert len(said.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir()), "a mistake leaves nothing behind"


def test_seeds_are_read_as_ranges_and_lists() -> None:
    assert parse_seeds("3-5") == [3, 4, 5]
    assert parse_seeds("1,5,9") == [1, 5, 9]
    for text in ("", "x", "1-", "1,,2", "1,1"):
        with pytest.raises(ConfigError, match="0-99"):
            parse_seeds(text)


def test_settings_are_read_as_yaml() -> None:
    assert parse_settings(["a=1", "b=[x]"]) == {"a": 1, "b": ["x"]}
    for text in ("x", "=1", "a=[1"):
        with pytest.raises(ConfigError):
            parse_settings([text])
