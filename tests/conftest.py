"""Settings shared by the whole suite, and the count of conformance checks at its end."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

from quiltrail.envs import AEC_ENVS, GAMES

# Kernels compile inside the first example, so a deadline would only measure the compiler.
settings.register_profile("quiltrail", deadline=None)
settings.load_profile("quiltrail")

_CONFORMANCE = "tests/conformance/"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many (check, id) pairs of the conformance suite have passed."""
    pairs = {
        (name, one)
        for report in terminalreporter.stats.get("passed", [])
        if report.nodeid.startswith(_CONFORMANCE)
        for name, one in [_pair_of(report.nodeid)]
        if one
    }
    if pairs:
        ids = {one for _, one in pairs}
        checks = {name for name, _ in pairs}
        terminalreporter.write_line(
            f"conformance: {len(pairs)} (check, id) pairs passed, "
            f"{len(checks)} checks, {len(ids)} ids"
        )


def _pair_of(nodeid: str) -> tuple[str, str]:
    """Return a test's name and the id it was run for, "" if it is for no id alone."""
    name, _, parameters = nodeid.partition("[")
    ids = [*(spec.id for spec in GAMES), *AEC_ENVS]
    longest_first = sorted(ids, key=len, reverse=True)
    return name, next((one for one in longest_first if one in parameters), "")
