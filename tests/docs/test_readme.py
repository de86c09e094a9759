"""The README's links lead somewhere, its rates are as measured, its pictures small."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_PICTURE_BYTES = 2_000_000


def test_links_and_pictures_exist() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'src="([^"]+)"', README)
    missing = [one for one in targets if "://" not in one and not (ROOT / one).exists()]
    assert not missing


#: Column of the table of rates -> (face, num_envs, threads, what is told).
RATES = [
    ("vector, live", 64, 1, "steps_per_cpu_second"),
    ("vector, live", 4096, 1, "steps_per_cpu_second"),
    ("vector", 4096, 1, "steps_per_cpu_second"),
    ("vector, live", 16_384, 2, "steps_per_second"),
    ("single", 1, 1, "steps_per_cpu_second"),
]


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("Sunpleat", "Sunpleat"),
        ("Patchwork", "Patchwork"),
        ("Patchrook", "Patchrook"),
        ("Tinrail, self-play", "Tinrail self-play"),
        ("Tinrail, against Wise G-Bot", "Tinrail"),
    ],
)
def test_rates_are_those_of_the_benchmarks(line: str, subject: str) -> None:
    text = (ROOT / "docs" / "benchmarks.json").read_text(encoding="utf-8")
    rows = {
        (row["subject"], row["face"], row["num_envs"], row["threads"]): row
        for row in json.loads(text)["ours"]["rows"]
    }
    rows[("Tinrail self-play", "single", 1, 1)] = rows[("tinrail-v0 (AEC)", "AEC", 1, 1)]
    told = re.search(rf"^\| {line} \|((?: [\d.]+ \|)+)$", README, re.MULTILINE)
    assert told is not None
    for cell, (*row, unit) in zip(told[1].split(" |")[:-1], RATES, strict=True):
        digits = len(cell.partition(".")[2])
        assert round(rows[(subject, *row)][unit] / 1e6, digits) == float(cell)


def test_pictures_are_small() -> None:
    pictures = list((ROOT / "docs" / "gallery").glob("*.gif"))
    assert len(pictures) >= 4
    assert sum(path.stat().st_size for path in pictures) < MOST_PICTURE_BYTES
