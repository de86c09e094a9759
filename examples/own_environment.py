"""Build a virtual environment for a library that cannot live beside the others, and run in it.

    python examples/own_environment.py torchrl                     # builds .venv-torchrl
    python examples/own_environment.py torchrl examples/torchrl_reinforce.py --steps 4000

Versions that were run together are in `VERSIONS`; Ray's environment is made by `make ray`.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: torch comes first and alone: its version decides how large the download is.
TORCH = "torch==2.13.0"
VERSIONS = {
    "torchrl": ["torchrl==0.14.1", "tensordict==0.14.3", "gymnasium==1.4.0"],
}


def build(name: str) -> Path:
    """Return the interpreter of an environment, built if it is not there."""
    folder = ROOT / f".venv-{name}"
    python = folder / "bin" / "python"
    done = folder / ".installed"
    if not done.exists():
        venv.create(folder, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, TORCH], check=True)
        subprocess.run([*install, TORCH, *VERSIONS[name], "-e", str(ROOT)], check=True)
        done.touch()
    return python


def main() -> None:
    """Build, and run the rest of the command line in the environment."""
    if len(sys.argv) < 2 or sys.argv[1] not in VERSIONS:
        sys.exit(f"usage: own_environment.py {{{','.join(VERSIONS)}}} [script [arguments]]")
    python = build(sys.argv[1])
    if sys.argv[2:]:
        sys.exit(subprocess.run([str(python), *sys.argv[2:]], check=False).returncode)
    print(python)


if __name__ == "__main__":
    main()
