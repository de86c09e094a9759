"""Where a result comes from: command, versions and machine, and nothing that names anybody."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from quiltrail import __version__
from quiltrail.train.config import ExperimentConfig

_PACKAGES = ("numpy", "numba", "gymnasium", "stable-baselines3", "sb3-contrib", "torch")
_GIT_SECONDS = 5


def provenance_of(config: ExperimentConfig) -> dict[str, Any]:
    """Return what a reader needs to repeat the run; nothing that names a home folder."""
    data = {
        "config_digest": config.digest,
        "command": ["quiltrail", *sys.argv[1:]],
        "seed": config.training.seed,
        "threads": config.training.threads,
        "host": host_facts(),
        "git_revision": _git_revision(),
        "versions": package_versions(_PACKAGES),
    }
    return _without_home(data)


def package_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of quiltrail, Python and some installed packages."""
    versions = {"quiltrail": __version__, "python": platform.python_version()}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def host_facts() -> dict[str, Any]:
    """Return what kind of machine this is; nothing that names it."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "processor": _processor_name(),
        "processors": os.cpu_count(),
    }


def _processor_name() -> str:
    """Return the processor's own name, which Python knows on some systems and Linux tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _without_home(data: dict[str, Any]) -> dict[str, Any]:
    """Return JSON data with the home folder written as ~."""
    home = json.dumps(str(Path.home()))[1:-1]
    if len(home) <= 1:  # a home of "/" names nobody
        return data
    shortened: dict[str, Any] = json.loads(json.dumps(data).replace(home, "~"))
    return shortened


def _git_revision() -> str | None:
    """Return the revision of the checkout that this package runs from, None in an installation."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    try:
        said = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40"],
            capture_output=True,
            text=True,
            check=True,
            timeout=_GIT_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout.strip()
