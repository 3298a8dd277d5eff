"""Planar four-bar linkages: as models, and by hand in the angle of the crank alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import casadi as ca
import numpy as np

import flexblocks as fb
from flexblocks.constraints.closed_state import closed_state

G = 9.81
NORMAL = ca.DM([[0, -1], [1, 0]])


@dataclass(frozen=True)
class FourBar:
    """Lengths [m] and masses [kg] of uniform rods; the ground from (0, 0) to (ground, 0).

    `rigidity` is that of a coupler that bends [N m2]; None for a rigid one.
    """

    crank: float = 0.1
    coupler: float = 0.3
    rocker: float = 0.25
    ground: float = 0.28
    crank_mass: float = 0.5
    coupler_mass: float = 0.39
    rocker_mass: float = 0.6
    rigidity: float | None = None
    gravity: float = G

    def model(self, discretization=None, base: fb.FixedTransform | None = None, gravity=None) -> fb.Model:
        """Return the linkage, motor on the crank; on a `base` if that is given."""
        model = fb.Model("four-bar", gravity or (0.0, -self.gravity, 0.0))
        link = fb.RigidLink("coupler", self.coupler, self.coupler_mass)
        if self.rigidity:
            density = self.coupler_mass / self.coupler
            shapes = discretization or fb.AssumedModes(2, tip="pinned")
            link = fb.FlexibleBeam("coupler", self.coupler, density, self.rigidity, discretization=shapes, bending="y")
        blocks = (
            fb.TorqueSource("motor"),
            fb.Revolute("crank_joint", start=1.0),
            fb.RigidLink("crank", self.crank, self.crank_mass),
            fb.Revolute("knee"),
            link,
            fb.FixedTransform("foot", (self.ground, 0, 0)),
            fb.Revolute("rocker_joint", start=1.5),
            fb.RigidLink("rocker", self.rocker, self.rocker_mass),
            fb.Revolute("elbow"),
        )
        place = model.add(fb.Ground("ground")).frame_b
        if base:
            model.connect(place, model.add(base).frame_a)
            place = base.frame_b
        for block in blocks:
            model.add(block)
        model.connect("motor.flange_b", "crank_joint.axis")
        model.connect(place, "crank_joint.frame_a", "foot.frame_a")
        for inner, outer in (
            ("crank_joint", "crank"),
            ("crank", "knee"),
            ("knee", "coupler"),
            ("foot", "rocker_joint"),
            ("rocker_joint", "rocker"),
            ("rocker", "elbow"),
        ):
            model.connect(f"{inner}.frame_b", f"{outer}.frame_a")
        model.connect("elbow.frame_b", "coupler.frame_b")
        return model

    def posture(self, theta):
        """Return the angles of coupler and rocker to the ground: the upper meeting point of their two circles."""
        A = self.crank * ca.vertcat(ca.cos(theta), ca.sin(theta))
        B = ca.DM([self.ground, 0])
        along = B - A
        distance = ca.norm_2(along)
        e = along / distance
        x = (distance**2 + self.coupler**2 - self.rocker**2) / (2 * distance)
        C = A + x * e + ca.sqrt(self.coupler**2 - x**2) * (NORMAL @ e)
        return tuple(ca.atan2(d[1], d[0]) for d in (C - A, C - B))

    def angles(self, theta: float) -> np.ndarray:
        """Return the joint angles by the crank's: crank, knee, rocker, elbow."""
        coupler, rocker = (float(angle) for angle in self.posture(ca.DM(theta)))
        return np.array([theta, coupler - theta, rocker, coupler - rocker])

    def lagrange(self, modes: int = 0) -> ca.Function:
        """Return the function (q, v, torque) -> accelerations, T, V, mass matrix, stiffness (Hessian of V).

        q is the crank's angle and, of a coupler that bends, the amplitudes of sines between its pins (root mean
        square 1). Rods are made of particles at Gauss points.
        """
        q, v, torque = ca.SX.sym("q", 1 + modes), ca.SX.sym("v", 1 + modes), ca.SX.sym("torque")
        coupler, rocker = self.posture(q[0])
        T, V = ca.SX(0), ca.SX(0)
        starts = (ca.DM([0, 0]), self.crank * _along(q[0]), ca.DM([self.ground, 0]))
        rods = zip(
            starts,
            (q[0], coupler, rocker),
            (self.crank, self.coupler, self.rocker),
            (self.crank_mass, self.coupler_mass, self.rocker_mass),
            (False, True, False),
            strict=True,
        )
        points, weights = np.polynomial.legendre.leggauss(16)
        for start, angle, length, mass, bends in rods:
            for xi, w in zip((points + 1) / 2, weights / 2, strict=True):
                bent = sum((np.sqrt(2) * np.sin(i * np.pi * xi) * q[i] for i in range(1, 1 + modes)), ca.SX(0))
                place = start + xi * length * _along(angle) + (bent if bends else 0) * (NORMAL @ _along(angle))
                rate = ca.jtimes(place, q, v)
                T += w * mass * ca.dot(rate, rate) / 2
                V += w * mass * self.gravity * place[1]
        for i in range(1, 1 + modes):
            V += self.rigidity * (i * np.pi / self.coupler) ** 4 * self.coupler * q[i] ** 2 / 2
        momentum = ca.gradient(T, v)
        M = ca.jacobian(momentum, v)
        force = ca.gradient(T - V, q) - ca.jtimes(momentum, q, v)
        force[0] += torque
        results = [ca.solve(M, force), T, V, M, ca.hessian(V, q)[0]]
        return ca.Function("lagrange", [q, v, torque], results)


def _along(angle):
    return ca.vertcat(ca.cos(angle), ca.sin(angle))


def parallelogram(cranks: int = 2, base: fb.Block | None = None, gravity=(0.0, -G, 0.0), mass: float = 1.0) -> fb.Model:
    """Return a beam on equal cranks of 0.2 m and 0.3 of its mass, hinged at equal distances of 0.25 m."""
    model = fb.Model("parallelogram", gravity)
    place = model.add(fb.Ground("ground")).frame_b
    if base:
        model.connect(place, model.add(base).frame_a)
        place = base.frame_b
    bar = fb.RigidLink("bar", 0.25 * (cranks - 1), mass)
    for i in range(cranks):
        foot, hinge = fb.FixedTransform(f"foot{i}", (0.25 * i, 0, 0)), fb.Revolute(f"hinge{i}", start=-0.7)
        crank, pin = fb.RigidLink(f"crank{i}", 0.2, 0.3 * mass), fb.Revolute(f"pin{i}", start=0.7)
        for inner, outer in pairwise((place, foot, hinge, crank, pin)):
            model.connect(inner if inner is place else inner.frame_b, model.add(outer).frame_a)
        if i == 0:
            model.add(bar)
            model.connect(pin.frame_b, bar.frame_a)
        else:
            model.connect(pin.frame_b, bar.station(0.25 * i))
    return model


RIGID = FourBar()
FLEXIBLE = FourBar(rigidity=0.5)


def turning(dae: fb.DAE, theta: float, rate: float) -> np.ndarray:
    """Return the state with this angle and rate of the crank."""
    return closed_state(dae, {"crank_joint.angle": theta, "der(crank_joint.angle)": rate}, dae.p.start, "test: ")
