"""A planning problem from the command line: `flexblocks plan MODEL --goal NAME=VALUE ...`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import typer

from flexblocks.assemble import assemble
from flexblocks.cli.arguments import number, numbers, pairs
from flexblocks.cli.catalog import model_named
from flexblocks.cli.planning.request import Request


def request_from_arguments(
    model: str,
    settings: Iterable[str] | None,
    types: Iterable[type],
    locked: Mapping[str, float],
    goal: Iterable[str] | None,
    start: Iterable[str] | None,
    duration: str | None,
    objective: str | None,
    limit: Iterable[str] | None,
) -> Request:
    """Return the rest-to-rest plan that the arguments describe.

    Raises
    ------
    typer.BadParameter
        No goal, or text that is not of the form NAME=VALUE.
    FlexblocksError
        The model or the problem is refused.
    """
    from flexblocks import optim

    arm, goals, starts = model_named(model, settings, types), numbers("--goal", goal), numbers("--start", start)
    if not goals:
        raise typer.BadParameter("is missing; give a coordinate and its final value, NAME=VALUE.", param_hint="--goal")
    # Coordinates of the goal start where the model does, unless --start says otherwise.
    dae = assemble(arm, locked=locked)
    rest = {name: float(dae.x.start[dae.x.index(name)]) for name in goals}
    problem = optim.RestToRest(
        start=rest | starts,
        goal=goals,
        duration=_duration(duration),
        objective=objective or "effort",
        limits={name: _range("--limit", name, text) for name, text in pairs("--limit", limit).items()},
    )
    return Request(arm, problem, locked=locked)


def _duration(text: str | None) -> Any:
    """Return seconds, a range, or "free"; 2 s by default."""
    return text if text == "free" else 2.0 if text is None else _range("--duration", "duration", text)


def _range(option: str, name: str, text: str) -> float | tuple[float, float]:
    """Return VALUE or (LOW, HIGH) from text."""
    bounds = [number(option, name, part) for part in text.split(",")]
    if len(bounds) > 2:
        raise typer.BadParameter(f"{name} = '{text}'; must be a number or LOW,HIGH.", param_hint=option)
    return bounds[0] if len(bounds) == 1 else (bounds[0], bounds[1])
