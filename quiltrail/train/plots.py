"""Pictures of runs and comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from quiltrail.train.files import ASIDE
from quiltrail.train.result import CurvePoint

# Okabe and Ito's colours: apart for every kind of colour vision.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_BLUE, _ORANGE = _COLOURS[:2]
_LINES = ("-", "--", "-.", ":")
_DPI = 120
_PALE = (0.2, 0.8)  # shares between these have a pale colour in RdBu

#: (3, T): value, low, high at each place.
Band = NDArray[np.float64]


def plot_curve(
    curve: Sequence[CurvePoint], reference: float | None, title: str, path: Path
) -> None:
    """Write the learning curve, score on the plain game over training steps, as a PNG."""
    figure, axes = _figure()
    axes.plot([one.steps for one in curve], [one.score for one in curve], color=_BLUE, marker=".")
    if reference is not None:
        axes.axhline(reference, color=_ORANGE, linestyle="--", label="reference")
        axes.legend(loc="lower right")
    axes.set(xlabel="training steps", ylabel="score on the plain game", title=title)
    axes.set_ylim(bottom=0)
    _save(figure, path)


def plot_bands(
    bands: Mapping[str, tuple[NDArray[np.float64], Band]],
    labels: tuple[str, str],
    title: str,
    path: Path,
) -> None:
    """Write lines with their intervals as a PNG.

    Args:
        bands: by name: places (T,) and the `Band` there.
        labels: of the two axes.
        title: above the picture.
        path: of the file.
    """
    figure, axes = _figure()
    for at, (name, (places, (value, low, high))) in enumerate(bands.items()):
        colour = _COLOURS[at % len(_COLOURS)]
        line = _LINES[at // len(_COLOURS) % len(_LINES)]
        axes.plot(places, value, color=colour, linestyle=line, label=name)
        axes.fill_between(places, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.set(xlabel=labels[0], ylabel=labels[1], title=title)
    axes.legend(fontsize="small")
    _save(figure, path)


def plot_payoffs(names: Sequence[str], shares: NDArray[np.float64], title: str, path: Path) -> None:
    """Write a square table of shares (P, P), NaN for none, as a PNG with a number in each cell."""
    size = 1.6 + 0.6 * len(names)
    figure = Figure(figsize=(size + 1.2, size), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.imshow(shares, cmap="RdBu", vmin=0.0, vmax=1.0)
    for (row, column), value in np.ndenumerate(shares):
        if not np.isnan(value):
            colour = "black" if _PALE[0] < value < _PALE[1] else "white"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour)
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set_yticks(range(len(names)), names)
    axes.set_title(title)
    _save(figure, path)


def _figure() -> tuple[Figure, Axes]:
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.grid(alpha=0.3)
    return figure, axes


def _save(figure: Figure, path: Path) -> None:
    aside = path.with_name(path.name + ASIDE)
    figure.savefig(aside, dpi=_DPI, format="png")
    aside.replace(path)
