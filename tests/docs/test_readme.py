"""The README's examples run, its links lead somewhere, and its pictures stay small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_PICTURE_BYTES = 2_000_000

#: What an example does longer than a test needs.
SHORTER = {"learn(20_000)": "learn(64)", "num_envs=64": "num_envs=2", "n_steps=64": "n_steps=32"}


@pytest.mark.parametrize("number", range(len(re.findall(r"```python\n", README))))
def test_examples_run(number: int) -> None:
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[number]
    for long, short in SHORTER.items():
        code = code.replace(long, short)
    exec(compile(code, f"README example {number}", "exec"), {})


def test_links_and_pictures_exist() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'src="([^"]+)"', README)
    missing = [one for one in targets if "://" not in one and not (ROOT / one).exists()]
    assert not missing


def test_pictures_are_small() -> None:
    pictures = list((ROOT / "docs" / "gallery").glob("*.gif"))
    assert len(pictures) >= 4
    assert sum(path.stat().st_size for path in pictures) < MOST_PICTURE_BYTES
