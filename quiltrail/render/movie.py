"""Moving pictures: frames become a GIF (pillow) or an MP4 file (imageio with ffmpeg)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.errors import OptionError
from quiltrail.core.extras import require

Frame = NDArray[np.uint8]

_DEFAULT_FPS = 4
_GIF_COLORS = 256
_PALETTE_FRAMES = 6  # enough to see every colour of a game
_MP4_QUALITY = 8  # of 10


def save_movie(
    path: str | Path, frames: Iterable[Frame], *, fps: float = _DEFAULT_FPS, hold: float = 1.5
) -> Path:
    """Write frames as a moving picture and return the file's path.

    Args:
        path: a file name that ends in .gif or .mp4.
        frames: (H, W, 3) uint8 arrays, all of one size, at least one.
        fps: frames a second.
        hold: seconds that the last frame stays.

    Raises:
        OptionError: if the ending is another one, there is no frame, or sizes differ.
        MissingExtraError: if the library that writes such files is not installed.
    """
    target = Path(path)
    writers: dict[str, Callable[[Path, Sequence[Frame], float, float], None]]
    writers = {".gif": _write_gif, ".mp4": _write_mp4}
    if target.suffix.lower() not in writers:
        raise OptionError(f"a movie's name ends in .gif or .mp4, got {target.name!r}")
    if not fps > 0:
        raise OptionError(f"fps is above 0, got {fps!r}")
    shown = [np.asarray(frame) for frame in frames]
    if not shown:
        raise OptionError("a movie needs at least one frame, got none")
    shapes = {frame.shape for frame in shown}
    if len(shapes) > 1:
        raise OptionError(f"a movie's frames have one size, got {sorted(shapes)}")
    writers[target.suffix.lower()](target, shown, fps, hold)
    return target


def _write_gif(target: Path, frames: Sequence[Frame], fps: float, hold: float) -> None:
    """Write a GIF that repeats, all frames in one palette so that nothing flickers."""
    require("render", "PIL")
    from PIL import Image

    places = np.linspace(0, len(frames) - 1, min(len(frames), _PALETTE_FRAMES)).astype(int)
    sample = Image.fromarray(np.concatenate([frames[place] for place in places]))
    palette = sample.quantize(_GIF_COLORS, dither=Image.Dither.NONE)
    images = [
        Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in frames
    ]
    durations = [round(1000 / fps)] * len(images)
    durations[-1] += round(1000 * hold)
    images[0].save(
        target, save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=False
    )


def _write_mp4(target: Path, frames: Sequence[Frame], fps: float, hold: float) -> None:
    """Write an H.264 file that every browser plays; odd sizes grow by one pixel."""
    require("render", "imageio_ffmpeg")
    ffmpeg: Any = import_module("imageio_ffmpeg")
    rows, columns = frames[0].shape[:2]
    margin = ((0, rows % 2), (0, columns % 2), (0, 0))
    size = (columns + columns % 2, rows + rows % 2)
    writer = ffmpeg.write_frames(
        str(target), size, fps=fps, quality=_MP4_QUALITY, macro_block_size=2, codec="libx264"
    )
    writer.send(None)
    for frame in (*frames, *[frames[-1]] * round(hold * fps)):
        writer.send(np.ascontiguousarray(np.pad(frame, margin, mode="edge")))
    writer.close()
