"""Motions of the equivalent rigid arm from start to goal, smooth and bent through postures that can be moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from ..equilibrium import accompanying_motion, arm_units
from .rigid_arm import RigidInputs
from .waypoint_spline import Waypoint, spline_through

POSTURES = 6  # between start and goal; by trial
POINTS = 31  # along the motion, at which inputs are evaluated; by trial
STEP = 1e-5  # of finite differences [rad or lengths of the arm]


class BentMotion:
    """Quintic splines through a few postures of the driven coordinates, which move by c (count,).

    Parameters
    ----------
    dae : DAE
    start : OperatingPoint
    driven : mapping of str to float
        The coordinates that were named at the start.
    waypoints : sequence of Waypoint
        The first one the start, the last one the goal.
    duration : float
        [s]
    """

    def __init__(
        self,
        dae: DAE,
        start: OperatingPoint,
        driven: Mapping[str, float],
        waypoints: Sequence[Waypoint],
        duration: float,
    ) -> None:
        self.dae, self.start, self.driven, self.duration = dae, start, driven, duration
        self._n = n = dae.tree.size
        self.size = arm_units(dae, start)
        ways = accompanying_motion(dae, start, driven)
        self.ways = ways / np.linalg.norm(ways / self.size[:, None], axis=0)
        self.count = POSTURES * ways.shape[1]
        self._inputs = RigidInputs(dae, start, driven)
        self._shares = np.linspace(0.0, 1.0, POSTURES + 2)[1:-1]
        self._smooth = spline_through(waypoints, n, duration)
        # Each column of the splines is one posture moved by one
        still = np.zeros((POSTURES + 2, 3 * POSTURES))
        still[1:-1, :POSTURES] = np.eye(POSTURES)
        bumps = spline_through(list(zip([0.0, *self._shares.tolist(), 1.0], still, strict=True)), POSTURES, duration)
        at = np.linspace(0.0, 1.0, POINTS)
        self._along = [self._smooth(at, order)[:, :n] / duration**order for order in range(3)]
        self._moved = [bumps(at, order)[:, :POSTURES] / duration**order for order in range(3)]

    @property
    def rates(self) -> np.ndarray:
        """The largest rate of each coordinate along the smooth motion (n,)."""
        return np.max(np.abs(self._along[1]), axis=0)

    def steps(self, c: np.ndarray) -> np.ndarray:
        """Return `c` (count,), and with a step of each of its entries (1 + count, count)."""
        return np.vstack([c, c + STEP * np.eye(len(c))])

    def waypoints(self, c: np.ndarray) -> tuple[Waypoint, ...]:
        """Return the postures between start and goal, moved by `c`."""
        states = self._smooth(self._shares)
        states[:, : self._n] += c.reshape(POSTURES, -1) @ self.ways.T
        return tuple(zip(self._shares.tolist(), states, strict=True))

    def motions(self, c: np.ndarray) -> list[np.ndarray]:
        """Return coordinates, rates and accelerations (motions, points, n), for `c` (motions, count)."""
        steps = c.reshape(len(c), POSTURES, -1) @ self.ways.T
        return [
            base + np.einsum("pk,mkn->mpn", bump, steps) for base, bump in zip(self._along, self._moved, strict=True)
        ]

    def inputs(self, c: np.ndarray) -> np.ndarray:
        """Return the inputs (motions, points, nu), for `c` (motions, count)."""
        return self._inputs_along(self.motions(c))

    def inputs_of_steps(self, c: np.ndarray) -> np.ndarray:
        """Return the inputs (1 + count, points, nu) of `steps`, to the first order.

        A step of any posture moves the arm, its rates and its accelerations at a point along the same ways, so that
        derivatives by these are enough.
        """
        size = [STEP / self.duration**order for order in range(3)]
        here = self.motions(c[None])
        ways = self.ways.T[:, None]  # (k, 1, n), beside points
        near = []
        for order, part in enumerate(here):
            moved = [
                part + size[order] * ways if i == order else np.repeat(other, len(ways), 0)
                for i, other in enumerate(here)
            ]
            near.append(moved)
        u = self._inputs_along([np.concatenate([here[i], *(moved[i] for moved in near)]) for i in range(3)])
        by_way = (u[1:] - u[0]).reshape(3, len(ways), POINTS, -1)
        share = np.array([STEP / size[order] * bump for order, bump in enumerate(self._moved)])
        steps = np.einsum("opi,okpu->ikpu", share, by_way)
        return np.concatenate([u[:1], u[0] + steps.reshape(self.count, POINTS, -1)])

    def _inputs_along(self, motions: Sequence[np.ndarray]) -> np.ndarray:
        """Return the inputs (motions, points, nu) for coordinates, rates and accelerations (motions, points, n)."""
        rows = len(motions[0]) * POINTS
        q, v, a = (part.reshape(rows, self._n) for part in motions)
        u = self._inputs(q, v, np.zeros((rows, 0)), a, np.tile(self.start.z, (rows, 1)))
        return u.reshape(len(motions[0]), POINTS, -1)
