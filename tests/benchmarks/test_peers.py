"""Peers: a missing one is skipped by name, and what is published from the others."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("stable_baselines3")

from benchmarks import peers
from benchmarks.nearest import GAMES, NEAREST, compare
from benchmarks.page import publish
from benchmarks.peers import PEERS, Peer, PeerError, install, run
from quiltrail.bench.rows import Plan, Row, document

SCRIPT = """
from clock import Stopwatch
from reporting import PeerCase, report

def make():
    def play(watch: Stopwatch) -> int:
        with watch:
            sum(range(100))
        return 4
    return play

def broken():
    raise RuntimeError("no such level")

bad = PeerCase("Bad-v0", "single", 1, False, broken)
report([PeerCase("Toy-v0", "vector", 4, True, make), bad])
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Peer:
    """Return a peer that counts as installed and runs a script of the test's."""
    scripts = tmp_path / "cases"
    scripts.mkdir()
    (scripts / "reporting.py").write_text((peers.CASES / "reporting.py").read_text())
    (scripts / "fake_peer.py").write_text(SCRIPT)
    monkeypatch.setattr(peers, "CASES", scripts)
    place = tmp_path / "fake" / "bin"
    place.mkdir(parents=True)
    (place / "python").symlink_to(sys.executable)
    (place.parent / "installed.txt").write_text("fake==1.0")
    return Peer("Fake", "fake_peer.py", ("fake==1.0",))


def test_a_peer_is_timed_by_its_own_python_with_our_clock(fake: Peer, tmp_path: Path) -> None:
    answer = run(fake, tmp_path, 1e-6, 1, timeout=100)
    assert answer.trouble == ""
    good, bad = answer.rows
    assert (good["env"], good["face"], good["num_envs"]) == ("Toy-v0", "vector", 4)
    assert good["cpu_ns"] > 0
    assert bad["failed"] == "RuntimeError: no such level"


def test_a_peer_that_cannot_run_is_skipped_with_the_reason(fake: Peer, tmp_path: Path) -> None:
    (peers.CASES / fake.script).write_text("import a_package_that_is_not_there")
    answer = run(fake, tmp_path, 1e-6, 1, timeout=100)
    assert answer.rows == []
    assert "a_package_that_is_not_there" in answer.trouble


def test_a_peer_that_takes_too_long_keeps_the_rows_it_had(fake: Peer, tmp_path: Path) -> None:
    script = 'import time\nprint(\'{"env": "Toy"}\', flush=True)\ntime.sleep(60)'
    (peers.CASES / fake.script).write_text(script)
    answer = run(fake, tmp_path, 1e-6, 1, timeout=10)
    assert answer.rows == [{"env": "Toy"}]
    assert answer.trouble == "it took more than 10 s"


def test_a_peer_that_cannot_be_installed_is_skipped_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(command: list[str]) -> None:
        raise PeerError("ERROR: No matching distribution found for gone==1")

    monkeypatch.setattr(peers, "_call", fails)
    (answer,) = peers.time_peers([Peer("Gone", "gone_peer.py", ("gone==1",))], tmp_path, 1, 1, 1)
    assert "No matching distribution" in answer.trouble
    assert "Gone: skipped: ERROR: No matching" in capsys.readouterr().out


def test_other_requirements_install_anew(
    fake: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(peers, "_call", called.append)
    install(fake, tmp_path)
    assert called == []
    install(Peer("Fake", "fake_peer.py", ("fake==2.0", "more==1")), tmp_path)
    assert called[0][1:3] == ["-m", "venv"]
    assert called[1][-2:] == ["fake==2.0", "more==1"]
    install(Peer("Fake", "fake_peer.py", ("fake==2.0", "more==1")), tmp_path)
    assert len(called) == 2


def test_every_comparison_names_a_peer_and_a_game() -> None:
    names = {peer.name for peer in PEERS}
    for game, peer, _, why in NEAREST:
        assert game in GAMES
        assert peer in names
        assert why
    for peer_script in PEERS:
        assert (peers.CASES / peer_script.script).is_file()


def _ours(subject: str, face: str, num_envs: int, cpu_ns: float) -> Row:
    return Row(subject, face, num_envs, 1, 80, 9, 48, cpu_ns, 2 * cpu_ns, 10.0)


OURS = [
    _ours("Sunpleat", "single", 1, 10_000.0),
    _ours("Sunpleat", "vector", 64, 200.0),
    _ours("Sunpleat", "vector", 4096, 100.0),
    _ours("Sunpleat", "vector, live", 4096, 50.0),
]
PEER_ROWS: list[dict[str, Any]] = [
    {"env": "SlidingTilePuzzle-v0", "face": "vmap", "num_envs": 1, "masks": True, "failed": "x"},
    {
        **{"env": "SlidingTilePuzzle-v0", "face": "vmap", "num_envs": 4096, "masks": True},
        **{"cpu_ns": 1000.0, "wall_ns": 1500.0},
    },
]


def test_ratios_hold_our_best_default_batch_against_the_peers_best_row() -> None:
    (one,) = compare([row.to_json() for row in OURS], {"Jumanji": PEER_ROWS})
    assert one.game == "Sunpleat"
    assert one.best_ratio == pytest.approx(10.0)
    assert one.peer_single is None
    assert one.single_ratio is None


def test_one_match_is_held_against_the_same_loop() -> None:
    ours = [_ours("tinrail-v0 (AEC)", "AEC", 1, 500.0), _ours("tinrail-v0 (AEC)", "AEC, raw", 1, 1)]
    theirs = [
        {"env": "connect_four_v3", "face": face, "num_envs": 1, "cpu_ns": cpu_ns}
        for face, cpu_ns in (("AEC", 1000.0), ("AEC, raw", 100.0))
    ]
    (one,) = compare([row.to_json() for row in ours], {"PettingZoo": theirs})
    assert one.single_ratio == pytest.approx(2.0)


def test_json_page_and_chart_are_published(tmp_path: Path) -> None:
    ours = document(OURS, Plan(["Sunpleat"]))
    answers = [
        {"name": "Jumanji", "requirements": ["jumanji==1"], "rows": PEER_ROWS, "trouble": ""},
        {"name": "PufferLib", "requirements": ["p==3"], "rows": [], "trouble": "no wheel"},
    ]
    publish(tmp_path, ours, answers, compare(ours["rows"], {"Jumanji": PEER_ROWS}))
    written = json.loads((tmp_path / "benchmarks.json").read_text())
    assert written["comparisons"][0]["best_ratio"] == pytest.approx(10.0)
    assert [one["name"] for one in written["peers"]] == ["Jumanji", "PufferLib"]
    page = (tmp_path / "benchmarks.md").read_text()
    for line in (
        "- PufferLib: no wheel",
        "- Jumanji SlidingTilePuzzle-v0, B = 1: x",
        OURS[1].to_markdown(),
        "| jumanji==1 | SlidingTilePuzzle-v0 | vmap | 4,096 | yes | 1,000,000 | 666,667 |",
    ):
        assert line in page.splitlines()
    drawn = ET.fromstring((tmp_path / "benchmarks.svg").read_text())
    assert "Sunpleat (quiltrail)" in "".join(drawn.itertext())
    assert str(Path.home()) not in page
