"""What keeps Windows and macOS possible, as far as Linux can tell."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib")

from quiltrail.envs import GAMES
from quiltrail.train.config import config_names, load_config
from quiltrail.train.files import read_json, write_json
from quiltrail.train.sweep import Sweep
from tests.train.small import small_config

ROOT = Path(__file__).resolve().parents[2]
RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$")
FORBIDDEN = re.compile(r'[<>:"\\|?*\x00-\x1f]|[. ]$')


def tracked() -> list[Path]:
    """Return the files of the checkout; skip where it is none."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no checkout")
    return [Path(line) for line in listed.stdout.splitlines()]


def test_no_two_files_differ_by_case_alone() -> None:
    names = [str(path).lower() for path in tracked()]
    assert len(set(names)) == len(names)
    assert len({name.lower() for name in config_names()}) == len(config_names())


def test_every_file_name_is_allowed_on_windows() -> None:
    parts = {part for path in tracked() for part in path.parts}
    assert not [part for part in parts if FORBIDDEN.search(part) or RESERVED.match(part)]


def test_nothing_is_a_symbolic_link() -> None:
    assert not [path for path in tracked() if (ROOT / path).is_symlink()]


def test_configs_with_crlf_or_a_byte_order_mark_read_the_same(tmp_path: Path) -> None:
    for name in config_names():
        config = load_config(name)
        text = config.to_yaml()
        for number, changed in enumerate((text.replace("\n", "\r\n"), "\ufeff" + text)):
            path = tmp_path / f"{name}-{number}.yaml"
            path.write_bytes(changed.encode())
            assert load_config(str(path)) == config


@pytest.mark.parametrize(
    "name", ["..", "../../out", "/etc/passwd", "a\\b", "CON", "x\x00y", "é" * 90]
)
def test_no_name_of_a_run_or_trial_leads_out_of_the_sweep(name: str, tmp_path: Path) -> None:
    grid = {"description": [name, name.upper() + ".", "other"]}
    sweep = Sweep(tmp_path, small_config().model_dump(mode="json") | {"name": name}, grid, [0])
    folders = [trial.folder for trial in sweep.trials()]
    for trial in sweep.trials():
        assert trial.folder.resolve().is_relative_to(tmp_path)
        assert trial.error_file.resolve().is_relative_to(tmp_path)
        parts = trial.folder.relative_to(tmp_path).parts
        assert not [part for part in parts if FORBIDDEN.search(part) or RESERVED.match(part)]
    lowered = {str(folder).lower() for folder in folders}
    assert len(lowered) == len(folders), "values that differ by case alone get folders of their own"


def test_a_file_is_replaced_while_nobody_holds_it_open(tmp_path: Path) -> None:
    """Windows cannot rename over an open file: ours is closed before."""
    path = tmp_path / "status.json"
    for steps in range(3):
        write_json(path, {"steps": steps})
        assert read_json(path) == {"steps": steps}
    assert [one.name for one in tmp_path.iterdir()] == ["status.json"]


_SPAWNED = """
import multiprocessing
from quiltrail.envs import GAMES

def play(env_id):
    import gymnasium, quiltrail
    env = gymnasium.make(env_id)
    return env.reset(seed=3)[1]["score"] + env.step(0)[1]

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    with multiprocessing.Pool(1) as pool:
        print(len(pool.map(play, [spec.id for spec in GAMES])))
"""


def test_everything_starts_in_spawned_processes(tmp_path: Path) -> None:
    script = tmp_path / "spawned.py"
    script.write_text(_SPAWNED)
    said = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert said.stdout.split() == [str(len(GAMES))]


def test_no_code_of_ours_forks_or_takes_a_module_that_only_unix_has() -> None:
    sources = {
        path: path.read_text(encoding="utf-8") for path in (ROOT / "quiltrail").rglob("*.py")
    }
    assert not [path for path, text in sources.items() if re.search(r"os\.fork|\"fork\"", text)]
    unix_only = re.compile(r"^(?:import|from) (fcntl|resource|pwd|grp|termios)\b", re.MULTILINE)
    assert not [path for path, text in sources.items() if unix_only.search(text)]
