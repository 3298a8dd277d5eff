"""A planning problem from the command line: `flexblocks plan MODEL --goal NAME=VALUE ...`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import typer

from flexblocks.assemble import assemble
from flexblocks.cli.arguments import number, numbers, pairs, units_of
from flexblocks.cli.catalog import model_named
from flexblocks.cli.planning.request import Request


def request_from_arguments(
    model: str,
    settings: Iterable[str] | None,
    types: Iterable[type],
    lock: Iterable[str] | None,
    prescribe: Iterable[str] | None,
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

    arm = model_named(model, settings, types)
    locked, goals, starts = (
        numbers(option, texts, arm) for option, texts in (("--lock", lock), ("--goal", goal), ("--start", start))
    )
    if not goals:
        raise typer.BadParameter("is missing; give a coordinate and its final value, NAME=VALUE.", param_hint="--goal")
    # Coordinates of the goal start where the model does, unless --start says otherwise.
    prescribed, units = tuple(prescribe or ()), units_of(arm)
    dae = assemble(arm, locked=locked, prescribed=prescribed)
    rest = {name: float(dae.x.start[dae.x.index(name)]) for name in goals}
    problem = optim.RestToRest(
        start=rest | starts,
        goal=goals,
        duration=_duration(duration),
        objective=objective or "effort",
        limits={name: _range("--limit", name, text, units.get(name)) for name, text in pairs("--limit", limit).items()},
    )
    return Request(arm, problem, locked=locked, prescribed=prescribed)


def _duration(text: str | None) -> Any:
    """Return seconds, a range, or "free"; 2 s by default."""
    return text if text == "free" else 2.0 if text is None else _range("--duration", "duration", text, "s")


def _range(option: str, name: str, text: str, unit: str | None) -> float | tuple[float, float]:
    """Return VALUE or (LOW, HIGH) from text."""
    bounds = [number(option, name, part, unit) for part in text.split(",")]
    if len(bounds) > 2:
        raise typer.BadParameter(f"{name} = '{text}'; must be a number or LOW,HIGH.", param_hint=option)
    return bounds[0] if len(bounds) == 1 else (bounds[0], bounds[1])
