"""Pictures of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from quiltrail.train.progress import CurvePoint

_BLUE, _ORANGE = "#0072B2", "#D55E00"  # Okabe and Ito: apart for every kind of colour vision


def plot_curve(
    curve: Sequence[CurvePoint], reference: float | None, title: str, path: Path
) -> None:
    """Write the learning curve, score on the plain game over training steps, as a PNG."""
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.plot([one.steps for one in curve], [one.score for one in curve], color=_BLUE, marker=".")
    if reference is not None:
        axes.axhline(reference, color=_ORANGE, linestyle="--", label="reference")
        axes.legend(loc="lower right")
    axes.set(xlabel="training steps", ylabel="score on the plain game", title=title)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
