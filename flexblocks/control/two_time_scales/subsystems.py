"""Slow and fast subsystem of an arm, and its quasi-static motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexblocks.control.references.reference import reference
from flexblocks.control.two_time_scales.fast_subsystem import deformation_names, fast_subsystem
from flexblocks.control.two_time_scales.rigid_motion import RigidMotion
from flexblocks.control.two_time_scales.slow_manifold import slow_manifold
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion
from flexblocks.linear.linear_model import LinearModel


@dataclass(frozen=True, eq=False)
class SingularPerturbation:
    """An arm split into slow and fast subsystem, q = N theta + P xi: slow theta, fast xi.

    Attributes
    ----------
    dae : DAE
        The arm.
    motion : RigidMotion
        Rigid motion and deformation: N, P, and which coordinates are slow and fast.
    slow : DAE
        The arm with its stiff blocks rigid, with the same inputs and outputs: a model for
        ``ComputedTorque(kp, kd, model=split.slow)``.
    """

    dae: DAE
    motion: RigidMotion
    slow: DAE

    @property
    def stiff(self) -> tuple[str, ...]:
        """The blocks considered stiff."""
        return self.motion.stiff

    @cached_property
    def deformations(self) -> tuple[str, ...]:
        """Names of xi: ``link1.bending_y[1]``, and ``rotor1.angle - joint1.angle`` for a spring."""
        return deformation_names(self.dae, self.motion)

    def fast(self, at: Mapping[str, float] | None = None) -> LinearModel:
        """Return the fast subsystem A_f, B_f at a posture: a LinearModel in physical time, with modes by block.

        Parameters
        ----------
        at : dict, optional
            Slow coordinates and symbolic parameters by name; the rest at their start values.

        Raises
        ------
        NameUnknownError
            The arm has no slow coordinate or parameter of that name.
        """
        theta, p = self.posture(at)
        return fast_subsystem(self.dae, self.motion, theta, p)

    def posture(self, at: Mapping[str, float] | None) -> tuple[np.ndarray, np.ndarray]:
        """Return theta (n_s,) and p from values by name.

        Raises
        ------
        NameUnknownError
            The arm has no slow coordinate or parameter of that name.
        """
        at = dict(at or {})
        known = (*self.slow.q_names, *self.dae.p.names)
        for name in at:
            if name not in known:
                raise NameUnknownError(
                    f"singular_perturbation: there is no slow coordinate or parameter '{name}'{suggestion(name, known)}"
                )
        n = self.slow.tree.size
        x = self.slow.x.values({name: at[name] for name in at if name in self.slow.x})
        return x[:n], self.dae.p.values({name: at[name] for name in at if name in self.dae.p})

    def quasi_static(self, wanted: Mapping[str, Any], t: Any) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Return the quasi-static motion of all coordinates: slow ones on references, the rest on the slow manifold.

        Parameters
        ----------
        wanted : dict
            Motion of each slow coordinate by name, in any form that `reference` takes.
        t : array (k,)
            Times [s].

        Returns
        -------
        dict
            Pairs (t, values) by coordinate, as `follow` takes them.

        Raises
        ------
        ParameterError
            `wanted` does not name the slow coordinates, or there are not as many inputs.
        """
        names, t = self.slow.q_names, np.asarray(t, dtype=float)
        if set(wanted) != set(names):
            raise ParameterError(
                f"quasi_static: wanted: {listing(map(str, wanted))}; must be the slow coordinates {listing(names)}."
            )
        motions = [reference(wanted[name]) for name in names]
        parts: list[Any] = [motion.derivative(order) for order in range(3) for motion in motions]
        samples = np.array([[float(part(moment)) for moment in t] for part in parts])
        theta, xi = slow_manifold(self.dae, self.motion, self.slow).map(len(t))(samples, self.dae.p.start)
        q = self.motion.N @ theta.full() + self.motion.P @ xi.full()
        return {name: (t, row) for name, row in zip(self.dae.q_names, q, strict=True)}

    def __repr__(self) -> str:
        slow, fast = listing(self.slow.q_names), listing(self.deformations)
        return f"SingularPerturbation({self.dae.name!r}: slow {slow}; fast {fast})"
