"""Build the wheel, install it outside the checkout and use it from there.

Makes every id, lists the configs and reads the package data, so that nothing works only because
the checkout is at hand.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]

_USE_IT = """
import sys, gymnasium, quiltrail
from pathlib import Path
home = Path(sys.argv[1]).resolve()
assert Path(quiltrail.__file__).resolve().is_relative_to(home), quiltrail.__file__
from quiltrail.envs import GAMES
for spec in GAMES:
    env = gymnasium.make(f"quiltrail:{spec.id}", render_mode="rgb_array")
    env.reset(seed=1)
    env.step(0)
    assert env.render().ndim == 3
    gymnasium.make_vec(spec.id, num_envs=2).reset(seed=1)
from quiltrail.train.config import config_names, load_config
assert [load_config(name).name for name in config_names()]
assert (Path(quiltrail.__file__).parent / "py.typed").is_file()
assert (Path(quiltrail.__file__).parent / "protocol" / "page" / "index.html").is_file()
print(f"wheel {quiltrail.__version__}: {len(GAMES)} ids, {len(config_names())} configs")
"""


def main() -> None:
    """Exit with an error unless the installed wheel works on its own."""
    with tempfile.TemporaryDirectory() as folder:
        dist, site = Path(folder) / "dist", Path(folder) / "site"
        build = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(dist), str(_ROOT)]
        _python(*build, cwd=_ROOT, quiet=True)
        (wheel,) = dist.glob("quiltrail-*.whl")
        install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site)]
        _python(*install, str(wheel), cwd=_ROOT)
        environment = {**os.environ, "PYTHONPATH": str(site)}
        _python("-c", _USE_IT, str(site), cwd=Path(folder), env=environment)
        _python("-m", "quiltrail", "list", cwd=Path(folder), env=environment, quiet=True)


def _python(
    *arguments: str, cwd: Path, env: dict[str, str] | None = None, quiet: bool = False
) -> None:
    out = subprocess.DEVNULL if quiet else None
    subprocess.run([sys.executable, *arguments], cwd=cwd, env=env, check=True, stdout=out)


if __name__ == "__main__":
    main()
