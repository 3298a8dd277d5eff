"""Homotopy in the stiffness: the arm with stiffer springs and beams."""

from __future__ import annotations

import dataclasses
from typing import Any

from flexblocks.assemble import assemble
from flexblocks.dae.dae import DAE

from ..presolve.transcribed_problem import TranscribedProblem

STIFFNESSES = ("flexural_rigidity", "flexural_rigidity_z", "stiffness")


def stiffened_arm(transcribed: TranscribedProblem, factor: float) -> tuple[DAE, dict[str, float]] | None:
    """Return an arm with `factor` times the stiffness of every spring and beam, and its parameters by name.

    None if the model has no flexible elements or is unknown, or if phases, scenarios or the design vary stiffnesses.
    """
    dae, p = transcribed.dae, transcribed.parameters
    if dae.model is None or any(name.rpartition(".")[2] in STIFFNESSES for name in _varied(transcribed)):
        return None
    changed = {}
    for name, block in dae.model.blocks.items():
        names = [field.name for field in dataclasses.fields(block) if field.name in STIFFNESSES]
        values: dict[str, Any] = {one: getattr(block, one) for one in names if getattr(block, one) is not None}
        if values:
            changed[name] = block.with_values({one: factor * value for one, value in values.items()})
    if not changed:
        return None
    scaled = {name: value * (factor if name.rpartition(".")[2] in STIFFNESSES else 1.0) for name, value in p.items()}
    return assemble(dae.model.copy(changed), dae.p.names, dae.dynamics, dae.locked, dae.prescribed), scaled


def _varied(transcribed: TranscribedProblem) -> set[str]:
    problem = transcribed.problem
    overrides = [problem.design, *problem.scenarios, *(phase.p for phase in problem.phases)]
    return {name for values in overrides for name in values}
