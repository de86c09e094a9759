"""What a finished run leaves behind: numbers by seed, pictures, a page to read."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quiltrail.core.record import GameRecord
from quiltrail.envs import find_game
from quiltrail.envs.rendering import Look, rgb_array
from quiltrail.render.png import png_bytes
from quiltrail.train.config import ExperimentConfig
from quiltrail.train.evaluate import Evaluation
from quiltrail.train.files import write_bytes, write_csv, write_json, write_text
from quiltrail.train.folder import CURVE, EVALUATION, RunFolder
from quiltrail.train.parts import CURRICULUM
from quiltrail.train.plots import plot_curve
from quiltrail.train.references import References
from quiltrail.train.result import CurvePoint, RunResult

_FRAMES, _COLUMNS = 8, 4
_FRAME_SIZE = 256
_GAP = 6
_WHITE = 255
_SHOWN_LENGTH = 16


def write_results(result: RunResult, config: ExperimentConfig) -> None:
    """Write evaluation, curve, replay and report into the run's folder."""
    folder = result.folder
    write_json(folder / EVALUATION, _evaluation(result, config))
    names = [field.name for field in fields(CurvePoint)]
    write_csv(folder / CURVE, names, map(asdict, result.curve))
    reference = result.references.score
    plot_curve(result.curve, reference, config.name, folder / "curve.png")
    result.report.first_game.save(folder / "replay.json")
    write_bytes(folder / "replay.png", _replay_picture(result.report.first_game, config.env.id))
    write_text(folder / "REPORT.md", _report(result, config))


def uses_solver(config: ExperimentConfig) -> bool:
    """Return whether training was helped by exact solutions."""
    shaped = any(one.name == "potential_shaping" for one in config.training.transforms)
    starts = config.training.starts
    chosen = starts is not None
    if starts is not None and starts.name == CURRICULUM:
        chosen = starts.args.get("measure") != "size"
    return shaped or chosen


def _replay_picture(game: GameRecord, env_id: str) -> bytes:
    """Return positions of a game, evenly spread from start to end, as one PNG file."""
    engine = find_game(env_id).make_engine(1, **game.settings)
    shown = np.unique(np.linspace(0, len(game.actions), _FRAMES).round().astype(int)).tolist()
    frames = [
        rgb_array(engine, 0, Look(_FRAME_SIZE))
        for at, _ in enumerate(game.replay(engine))
        if at in shown
    ]
    return png_bytes(_sheet(frames))


def _sheet(frames: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return frames side by side, row by row."""
    columns = min(_COLUMNS, len(frames))
    rows = -(-len(frames) // columns)
    pitch = _FRAME_SIZE + _GAP
    sheet = np.full((rows * pitch - _GAP, columns * pitch - _GAP, 3), _WHITE, np.uint8)
    for at, frame in enumerate(frames):
        top, left = at // columns * pitch, at % columns * pitch
        sheet[top : top + _FRAME_SIZE, left : left + _FRAME_SIZE] = frame
    return sheet


def _with_normalised(evaluation: Evaluation, references: References) -> dict[str, Any]:
    """Return an evaluation as JSON values, with its normalised summary, None without a scale."""
    summaries = {
        name: references.normalised_summary(one) for name, one in evaluation.summary().items()
    }
    normalised = {name: one.to_json() for name, one in summaries.items() if one is not None}
    return {"normalised": normalised or None, **evaluation.to_json()}


def _evaluation(result: RunResult, config: ExperimentConfig) -> dict[str, Any]:
    return {
        "env_id": result.report.env_id,
        "seed": config.training.seed,
        "references": result.references.to_json(),
        "deterministic": _with_normalised(result.report, result.references),
        "sampled": _with_normalised(result.sampled, result.references),
        "selection": result.evaluation.to_json(),
        "training_steps": result.steps,
        "training_seconds": round(result.seconds, 1),
        "training_cpu_seconds": round(result.cpu_seconds, 1),
        "training_refusals": result.refusals,
        "learned_from_exact_solutions": uses_solver(config),
        "weights_hash": result.weights_hash,
    }


def _report(result: RunResult, config: ExperimentConfig) -> str:
    training = config.training
    revision = RunFolder(result.folder).provenance.get("git_revision")
    lines = [
        f"# {config.name}, seed {training.seed}",
        "",
        config.description.strip(),
        "",
        f"`{result.report.env_id}`, {training.algorithm}, {result.steps:,} steps in "
        f"{result.seconds:,.1f} s ({result.cpu_seconds:,.1f} of CPU time) on "
        f"{training.threads} thread(s).",
        "",
        *_score_table(result),
        "",
        _scale(result),
        *_rates(result),
        f"While training, the game refused {result.refusals:,} actions.",
        *(
            ["Training was helped by exact solutions; evaluation is the plain game."]
            if uses_solver(config)
            else []
        ),
        "",
        "![learning curve](curve.png)",
        "",
        f"![a game](replay.png)\n\nGame seed {result.report.first_game.seed}: positions from its "
        "start to its end. `replay.json` replays it.",
        "",
        "## To repeat it",
        "",
        "```console\nquiltrail train config.yaml\n```",
        "",
        f"Config {config.digest}, last weights {result.weights_hash[:_SHOWN_LENGTH]}, "
        f"revision {revision or 'unknown'}; versions and host are in `run.json`.",
        "",
    ]
    return "\n".join(lines)


def _score_table(result: RunResult) -> list[str]:
    lines = [
        "| player | statistic | score | normalised | steps, median | refusals |",
        "|---|---|---|---|---|---|",
    ]
    for name, evaluation in (("deterministic", result.report), ("sampled", result.sampled)):
        length = float(np.median(evaluation.lengths))
        for statistic, summary in evaluation.summary().items():
            normalised = result.references.normalised_summary(summary)
            share = "-" if normalised is None else normalised.text(".3f")
            lines.append(
                f"| {name} | {statistic} | {summary} | {share} | {length:,.0f} "
                f"| {evaluation.refusals:,} |"
            )
    return lines


def _rates(result: RunResult) -> list[str]:
    """Return lines about successes; none where the game has no such notion."""
    return [
        f"{name}, {rate}: {share.text('.3f')}."
        for name, evaluation in (("deterministic", result.report), ("sampled", result.sampled))
        for rate, share in evaluation.rates().items()
    ]


def _scale(result: RunResult) -> str:
    report, references = result.report, result.references
    text = (
        f"{len(report.seeds)} games, seeds {report.seeds[0]} to {report.seeds[-1]}, which chose "
        "nothing; 95 % intervals by bootstrap over games. Random play scores "
        f"{references.random:,.1f} there"
    )
    if references.score is None:
        return text + "."
    return text + f" (0 of the scale), {references.agent} {references.score:,.1f} (1)."
