"""The command line: what it prints, and one sentence with exit code 2 for each mistake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")

from quiltrail.cli.evaluate import parse_seeds
from quiltrail.core.errors import ConfigError


def quiltrail(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "quiltrail", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )


def test_list_names_ids_agents_and_configs() -> None:
    said = quiltrail("list")
    assert said.returncode == 0
    for name in ("quiltrail/Sunpleat-v0", "sunpleat-solver", "sunpleat_maskable_ppo"):
        assert name in said.stdout


def test_an_agent_is_evaluated_and_written_as_json(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    said = quiltrail(
        "evaluate",
        "--env",
        "sunpleat",
        "--agent",
        "sunpleat-solver",
        "--seeds",
        "0-1",
        "--json",
        str(path),
    )
    assert said.returncode == 0, said.stderr
    assert "9,920.0 [9,920.0, 9,920.0]" in said.stdout
    assert "refusals 0" in said.stdout
    assert '"scores"' in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["train", "sunpleet"], "did you mean sunpleat"),
        (["train", "sunpleat", "--set", "training.sed=1"], "training.seed"),
        (["evaluate", "--env", "sunpleet", "--agent", "random"], "quiltrail/Sunpleat-v0"),
        (["evaluate", "--env", "sunpleat", "--agent", "radnom"], "random"),
        (["evaluate", "--env", "sunpleat"], "--agent or a --model"),
        (["evaluate", "--env", "sunpleat", "--agent", "random", "--seeds", "9-3"], "0-99"),
        (["evaluate", "--env", "sunpleat", "--model", "nowhere"], "no run folder"),
        (["evaluate", "--env", "sunpleat", "--agent", "random", "--set", "x"], "key=value"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(arguments: list[str], says: str) -> None:
    said = quiltrail(*arguments)
    assert said.returncode == 2
    assert says in said.stderr
    assert len(said.stderr.strip().splitlines()) == 1


def test_seeds_are_read_as_ranges_and_lists() -> None:
    assert parse_seeds("3-5") == [3, 4, 5]
    assert parse_seeds("1,5,9") == [1, 5, 9]
    for text in ("", "x", "1-", "1,,2"):
        with pytest.raises(ConfigError, match="0-99"):
            parse_seeds(text)
