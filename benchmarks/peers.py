"""Time this package and the nearest public environments in one run, and publish both.

    python -m benchmarks.peers [--peers NAME ..] [--keep ours|peers] [--out docs]

Every peer is installed from PyPI into a virtual environment of its own, kept for the next run, and
timed there by a script of `benchmarks.peer_cases` with the clock that times ours. A peer that
cannot be installed or run is skipped by name, with the reason. One process at a time, on one core;
steps per second of CPU time. Writes benchmarks.json, benchmarks.md and benchmarks.svg.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.nearest import compare
from benchmarks.page import publish
from quiltrail.bench import clock
from quiltrail.bench.rows import Plan, document, printed
from quiltrail.bench.subjects import SUBJECTS

ROOT = Path(__file__).resolve().parents[1]
CASES = Path(__file__).parent / "peer_cases"
_FOLDER = ROOT / ".venv-peers"
_JSON = "benchmarks.json"
_INSTALLED = "installed.txt"
_ONE_THREAD = {
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Peer:
    """A package to compare with.

    Attributes:
        name: in the tables.
        script: in `benchmarks.peer_cases`.
        requirements: what pip installs; nothing is built from source, so that a foreign build
            cannot fetch or run what it likes.
    """

    name: str
    script: str
    requirements: tuple[str, ...]


PEERS = (
    Peer("Jumanji", "jumanji_peer.py", ("jumanji==1.1.2", "jax==0.10.2")),
    Peer("pgx", "pgx_peer.py", ("pgx==2.6.0", "jax==0.10.2")),
    Peer("EnvPool", "envpool_peer.py", ("envpool==1.2.5",)),
    Peer("PufferLib", "pufferlib_peer.py", ("pufferlib==3.0.0",)),
    Peer("OpenSpiel", "open_spiel_peer.py", ("open-spiel==2.0.2",)),
    Peer("PettingZoo", "pettingzoo_peer.py", ("pettingzoo[classic]==1.27.0",)),
    Peer("Gymnasium", "gymnasium_peer.py", ("gymnasium==1.4.0",)),
)


@dataclass
class Answer:
    """What became of a peer: its rows, and why there are none or no more, if that is so."""

    name: str
    requirements: tuple[str, ...]
    rows: list[dict[str, Any]] = field(default_factory=list)
    trouble: str = ""


class PeerError(Exception):
    """A peer cannot be installed or run; the message says why."""


def install(peer: Peer, folder: Path) -> Path:
    """Return the Python of a peer's environment, made if it is not there as wanted.

    Raises:
        PeerError: if pip cannot install it; with pip's last line.
    """
    place = folder / peer.script.removesuffix("_peer.py")
    python, stamp = place / "bin" / "python", place / _INSTALLED
    wanted = "\n".join(peer.requirements)
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    _call([sys.executable, "-m", "venv", str(place)])
    pip = [str(python), "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    _call([*pip, *peer.requirements])
    stamp.write_text(wanted)
    return python


def _install_all(peers: Iterable[Peer], folder: Path) -> None:
    """Install peers and say what became of each."""
    for peer in peers:
        try:
            print(f"{peer.name}: {install(peer, folder)}", flush=True)
        except PeerError as error:
            print(f"{peer.name}: skipped: {error}", flush=True)


def _call(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise PeerError((errors or done.stderr.splitlines() or ["no reason given"])[-1])


def run(peer: Peer, folder: Path, seconds: float, repeats: int, timeout: float) -> Answer:
    """Install and time a peer; whatever fails becomes the reason for which it is skipped."""
    answer = Answer(peer.name, peer.requirements)
    try:
        python = install(peer, folder)
        answer.rows, answer.trouble = _time(python, peer.script, (seconds, repeats), timeout)
    except (PeerError, OSError) as error:
        answer.trouble = str(error)
    return answer


def _time(
    python: Path, script: str, effort: tuple[float, int], timeout: float
) -> tuple[list[dict[str, Any]], str]:
    """Return what a script printed, and why it did not come to its end, empty if it did."""
    paths = os.pathsep.join([str(Path(clock.__file__).parent), str(CASES)])
    command = [str(python), str(CASES / script), "--seconds", str(effort[0])]
    env = {**os.environ, **_ONE_THREAD, "PYTHONPATH": paths}
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        trouble = ""
        try:
            done = subprocess.run(
                [*command, "--repeats", str(effort[1])],
                stdout=output,
                stderr=errors,
                timeout=timeout,
                env=env,
            )
        except subprocess.TimeoutExpired:
            trouble = f"it took more than {timeout:.0f} s"
        else:
            if done.returncode:
                errors.seek(0)
                last = (errors.read().splitlines() or ["it said nothing"])[-1]
                trouble = f"status {done.returncode}: {last}"
        output.seek(0)
        return [json.loads(line) for line in output if line.startswith("{")], trouble


def time_peers(
    peers: Iterable[Peer], folder: Path, seconds: float, repeats: int, timeout: float
) -> list[Answer]:
    """Run peers one after another, printing a line for each row."""
    answers = []
    for peer in peers:
        answer = run(peer, folder, seconds, repeats, timeout)
        answers.append(answer)
        if answer.trouble:
            became = "cut short" if answer.rows else "skipped"
            print(f"{peer.name}: {became}: {answer.trouble}", flush=True)
        for row in answer.rows:
            said = f"{1e9 / row['cpu_ns']:,.0f}" if "cpu_ns" in row else row["failed"]
            print(f"{peer.name} {row['env']} {row['face']} {row['num_envs']}: {said}", flush=True)
    return answers


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [peer.name for peer in PEERS]
    parser.add_argument("--peers", nargs="*", choices=names, default=names)
    parser.add_argument("--folder", type=Path, default=_FOLDER, help="of virtual environments")
    parser.add_argument("--out", type=Path, default=ROOT / "docs")
    parser.add_argument("--keep", choices=("ours", "peers"), help="rows of the last run, untimed")
    parser.add_argument("--install-only", action="store_true", help="time nothing")
    parser.add_argument("--seconds", type=float, default=0.1, help="of CPU time, a repeat")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=600, help="wall seconds of one peer")
    return parser.parse_args()


def main() -> None:
    """Time, print ratios, write the files."""
    given = _arguments()
    chosen = [peer for peer in PEERS if peer.name in given.peers]
    if given.install_only:
        _install_all(chosen, given.folder)
        return
    effort = (given.seconds, given.repeats)
    last = json.loads((given.out / _JSON).read_text(encoding="utf-8")) if given.keep else {}
    if given.keep == "ours":
        ours = last["ours"]
    else:
        plan = Plan(SUBJECTS, seconds=given.seconds, repeats=given.repeats)
        ours = document(printed(plan), plan)
    if given.keep == "peers":
        answers = [Answer(**one) for one in last["peers"]]
    else:
        answers = time_peers(chosen, given.folder, *effort, given.timeout)
    comparisons = compare(ours["rows"], {one.name: one.rows for one in answers})
    for one in comparisons:
        ratio = "" if one.best_ratio is None else f"{one.best_ratio:.1f} times as fast as"
        print(f"{one.game}: {ratio} {one.peer} {one.env}")
    publish(given.out, ours, [vars(one) for one in answers], comparisons)


if __name__ == "__main__":
    main()
