"""Shafts whose friction changes its sign sharply, and the arm in which that is rounded off."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.assemble import assemble
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.interfaces import Rounding

from ...model.trajectories import all_phase_trajectories, transcribed_problem
from ...presolve.magnitudes.characteristic_magnitudes import characteristics
from ..settings import Settings

LEAST = 0.1  # of the fastest shaft's rate: that of one that stands still, which sticks; a choice


@dataclass(frozen=True)
class Shaft:
    """A shaft whose friction changes its sign sharply.

    Attributes
    ----------
    law : Rounding
    rate : float
        The largest rate of the shaft in the first guess [rad/s].
    values : dict of float
        The parameters of its friction by name, without those that it does not have.
    """

    law: Rounding
    rate: float
    values: Mapping[str, float]

    @property
    def own(self) -> float:
        """The rate below which its law is rounded off [rad/s]; 0 if it sticks."""
        return self.values.get(self.law.rate, 0.0)

    @property
    def details(self) -> dict[str, str | float]:
        """The details that its law has, and what takes their place."""
        return {name: other for name, other in self.law.details.items() if name in self.values}

    def rounded(self, share: float, restored: Collection[str]) -> dict[str, float]:
        """Return parameters of the law that is rounded off below a share of the shaft's rate, with some details."""
        values = {self.law.rate: max(share * self.rate, self.own)}
        for name, other in self.details.items():
            instead = self.values[other] if isinstance(other, str) else other
            values[name] = self.values[name] if name in restored else instead
        return values


def sharp_shafts(model: Any, settings: Settings) -> dict[str, Shaft]:
    """Return the shafts whose friction is to be rounded off first, by friction block; none if the arm is not composed.

    Left alone is what is round enough for the motion, and friction that takes next to nothing of its energy, unless it
    sticks.

    Parameters
    ----------
    model : ConcreteModel
        With the first guess.
    settings : Settings
    """
    transcribed = transcribed_problem(model)
    dae, p = transcribed.dae, transcribed.parameters
    if dae.model is None or dae.tree.feedback is not None:
        return {}
    shafts = {}
    for body, law, rate in _shaft_rates(model):
        names = (law.rate, law.dry, law.slow, *law.details)
        known = {name: p.get(f"{body.name}.{name}", getattr(body.block.nominal, name)) for name in names}
        values = {name: value for name, value in known.items() if value is not None}
        if not values[law.dry]:
            continue
        shaft = Shaft(law, rate or values[law.slow], values)
        # What sticks is rounded off by another block in its place, which is one of the model's own
        if shaft.own < settings.round_enough * shaft.rate and (shaft.own or body.name in dae.model.blocks):
            shafts[body.name] = shaft
    if not shafts or any(not shaft.own for shaft in shafts.values()):
        return shafts
    duration = sum(t.mesh.duration for t in transcribed.first)
    lost = sum(shaft.values[shaft.law.dry] * shaft.rate for shaft in shafts.values()) * duration / 2
    kinetic = max(characteristics(t).kinetic for t in transcribed.first)
    return shafts if lost > settings.slight_loss * kinetic else {}


def rounded_arm(dae: DAE, shafts: Mapping[str, Shaft]) -> DAE:
    """Return the arm with friction that is rounded off, and with symbols for what changes on the way to the law."""
    assert dae.model is not None
    sticking = [name for name, shaft in shafts.items() if not shaft.own]
    changed = {
        name: dae.model.blocks[name].with_values({shafts[name].law.rate: shafts[name].rate}) for name in sticking
    }
    symbols = [f"{name}.{field}" for name, shaft in shafts.items() for field in shaft.rounded(1.0, ())]
    symbolic = tuple(dict.fromkeys((*dae.p.names, *symbols)))
    return assemble(dae.model.copy(changed), symbolic, dae.dynamics, dae.locked, dae.prescribed)


def _shaft_rates(model: Any) -> list[tuple[Body, Rounding, float]]:
    """Return the shafts with friction, and their largest rates in the first guess [rad/s]; 0 if all stand still."""
    trajectories = all_phase_trajectories(model)
    tree = trajectories[0].transcription.dae.tree
    shafts = [(body, body.block.rounding, *body.share.row(0)) for body in tree.bodies if body.block.rounding]
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
