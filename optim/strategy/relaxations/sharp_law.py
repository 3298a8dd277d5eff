"""Laws that change sharply along a motion, of friction and of play, and the arm in which they are rounded off."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.assemble import assemble
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.interfaces import Block, FrictionRounding, PlayRounding

from ...model.read_solution import input_polynomials, trajectory
from ...model.trajectories import all_phase_trajectories, transcribed_problem
from ...presolve.magnitudes.characteristic_magnitudes import characteristics

ROUND_ENOUGH = 0.3  # width relative to that of the motion from which on a law is planned as it is; by trial
SLIGHT_LOSS = (
    0.02  # of the largest kinetic energy, up to which losses by dry friction are planned as they are; by trial
)
LEAST = 0.1  # of the fastest shaft's rate: that of one that stands still, which sticks; a choice


@dataclass(frozen=True)
class SharpLaw:
    """A law that changes sharply.

    Attributes
    ----------
    rounding : FrictionRounding or PlayRounding
    scale : float
        The width over which it changes no more than the motion does: of friction, the largest rate of the shaft in the
        first guess [rad/s]; 1 of play, whose width is relative to it.
    values : dict of float
        The parameters of the rounding by name, without those that the block does not have.
    """

    rounding: FrictionRounding | PlayRounding
    scale: float
    values: Mapping[str, float]

    @property
    def own(self) -> float:
        """The width over which it changes; 0 if it sticks."""
        return self.values.get(self.rounding.width, 0.0)

    @property
    def details(self) -> dict[str, str | float]:
        """The details that it has, and what takes their place."""
        if not isinstance(self.rounding, FrictionRounding):
            return {}
        return {name: other for name, other in self.rounding.details.items() if name in self.values}

    def rounded(self, share: float, restored: Collection[str]) -> dict[str, float]:
        """Return parameters of the law that is rounded off over a share of the scale, with some details."""
        values = {self.rounding.width: max(share * self.scale, self.own)}
        for name, other in self.details.items():
            instead = self.values[other] if isinstance(other, str) else other
            values[name] = self.values[name] if name in restored else instead
        return values


def sharp_laws(model: Any) -> dict[str, SharpLaw]:
    """Return the laws that are to be rounded off first, by block; none if the arm is not composed.

    Left alone is what is round enough for the motion, friction that takes next to nothing of its energy, unless it
    sticks, and play that the first guess does not cross.

    Parameters
    ----------
    model : ConcreteModel
        With the first guess.
    """
    dae = transcribed_problem(model).dae
    if dae.model is None:
        return {}
    return _dry_friction(model) | _crossed_play(model)


def rounded_arm(dae: DAE, laws: Mapping[str, SharpLaw]) -> DAE:
    """Return the arm with laws that are rounded off, and with symbols for what changes on the way to them."""
    assert dae.model is not None
    changed = {
        name: dae.model[name].with_values({law.rounding.width: law.scale}) for name, law in laws.items() if not law.own
    }
    symbols = [f"{name}.{field}" for name, law in laws.items() for field in law.rounded(1.0, ())]
    symbolic = tuple(dict.fromkeys((*dae.p.names, *symbols)))
    return assemble(dae.model.copy(changed), symbolic, dae.dynamics, dae.locked, dae.prescribed)


def _dry_friction(model: Any) -> dict[str, SharpLaw]:
    """Return the friction that changes its sign sharply, all or none of it."""
    transcribed = transcribed_problem(model)
    dae = transcribed.dae
    assert dae.model is not None
    laws = {}
    for body, rounding, rate in _shaft_rates(model):
        names = (rounding.width, rounding.dry, rounding.slow, *rounding.details)
        values = _values(body, names, transcribed.parameters)
        if not values[rounding.dry]:
            continue
        law = SharpLaw(rounding, rate or values[rounding.slow], values)
        # What sticks is rounded off by another block in its place, which is one of the model's own
        if law.own < ROUND_ENOUGH * law.scale and (law.own or isinstance(dae.model.blocks.get(body.name), Block)):
            laws[body.name] = law
    if not laws or any(not law.own for law in laws.values()):
        return laws
    duration = sum(t.mesh.duration for t in transcribed.first)
    lost = sum(law.values[law.rounding.dry] * law.scale for law in laws.values()) * duration / 2
    kinetic = max(characteristics(t).kinetic for t in transcribed.first)
    return laws if lost > SLIGHT_LOSS * kinetic else {}


def _crossed_play(model: Any) -> dict[str, SharpLaw]:
    """Return the play that the first guess crosses."""
    transcribed = transcribed_problem(model)
    laws = {}
    for body in transcribed.dae.tree.bodies:
        if isinstance(rounding := body.block.rounding, PlayRounding):
            law = SharpLaw(rounding, 1.0, _values(body, (rounding.width,), transcribed.parameters))
            if law.own < ROUND_ENOUGH:
                laws[body.name] = law
    if not laws:
        return {}
    guesses = [trajectory(traj, input_polynomials(traj)) for traj in all_phase_trajectories(model)]
    across = {name: [run[f"{name}.{law.rounding.across}"] for run in guesses] for name, law in laws.items()}
    return {name: laws[name] for name, runs in across.items() if any(run.min() < 0 < run.max() for run in runs)}


def _values(body: Body, names: Collection[str], parameters: Mapping[str, float]) -> dict[str, float]:
    """Return the parameters of a block by their own names, without those that it does not have."""
    known = {name: parameters.get(f"{body.name}.{name}", getattr(body.block.nominal, name)) for name in names}
    return {name: value for name, value in known.items() if value is not None}


def _shaft_rates(model: Any) -> list[tuple[Body, FrictionRounding, float]]:
    """Return the shafts with friction, and their largest rates in the first guess [rad/s]; 0 if all stand still."""
    trajectories = all_phase_trajectories(model)
    tree = trajectories[0].transcription.dae.tree
    shafts = [
        (body, rounding, *body.share.row(0))
        for body in tree.bodies
        if isinstance(rounding := body.block.rounding, FrictionRounding)
    ]
    if not shafts:
        return []
    peak = np.zeros(tree.size)
    for traj in trajectories:
        v = np.array([variable.value for variable in traj.block.v.values()]).reshape(-1, tree.size)
        peak = np.maximum(peak, np.abs(v).max(axis=0))
    turning = max(peak[list(columns)].max(initial=0.0) for _, _, columns, _ in shafts)
    return [
        (body, law, max(float(np.abs(factors) @ peak[list(columns)]), LEAST * float(np.abs(factors).max()) * turning))
        for body, law, columns, factors in shafts
        if columns
    ]
