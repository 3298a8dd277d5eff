"""The arm of Yu & Chen with clamped-free modes, derived by SymPy from hand-written kinematics.

Link i has the angle q_i of its joint, measured from the end section of the link before, and the amplitudes b_i1, b_i2
of two modes. Lengths, masses, rigidities and gravity are symbols, the constants of the shapes are numbers. No part of
it knows flexblocks but for those numbers.
"""

from __future__ import annotations

import time

import numpy as np
import sympy as sp
from scipy.linalg import hadamard
from sympy.physics import mechanics as me

from flexblocks import AssumedModes, TipBody
from flexblocks.beam.shapes.shape_integrals import discretized_bending

PARAMETERS = ("l", "m", "EI", "M")  # of a link: length, mass, bending stiffness, lumped mass on its end
METHODS = ("LagrangesMethod", "KanesMethod")


class Shapes:
    """Constants of the first two clamped-free mode shapes on a beam of unit length and mass."""

    def __init__(self) -> None:
        shapes = discretized_bending(AssumedModes(2, tip="free"), TipBody(0.0, 0.0, 0.0))
        constants = shapes.integrals
        self.mean, self.moment = np.ravel(constants.mean), np.ravel(constants.moment)
        self.mass, self.stiffness = np.array(constants.mass), np.array(constants.stiffness)
        self.tip, self.tip_slope = np.ravel(shapes.shapes.deflection(1.0)), np.ravel(shapes.shapes.slope(1.0))

    def particles(self) -> np.ndarray:
        """Return (4, 4) with rows 1, place along the beam, shapes 1 and 2, for four particles of a quarter mass each.

        They have all first and second moments of the beam, as integrals over the beam are sums over the particles.
        """
        moments = np.empty((4, 4))
        moments[:2, :2] = [[1, 1 / 2], [1 / 2, 1 / 3]]
        moments[0, 2:] = moments[2:, 0] = self.mean
        moments[1, 2:] = moments[2:, 1] = self.moment
        moments[2:, 2:] = self.mass
        return np.linalg.cholesky(moments) @ hadamard(4)


class Symbols:
    """Coordinates, their rates, torques and parameters of an arm."""

    def __init__(self, links: int) -> None:
        names = [f"{name}{i}" for i in range(links) for name in ("q", "b1_", "b2_")]
        self.q = [me.dynamicsymbols(name) for name in names]
        self.v = [sp.diff(q, me.dynamicsymbols._t) for q in self.q]
        self.torque = sp.symbols(f"tau:{links}")
        self.parameters = [sp.symbols(f"{name}{i}") for i in range(links) for name in PARAMETERS]
        self.g = sp.Symbol("g")

    def link(self, i: int) -> list[sp.Symbol]:
        return self.parameters[4 * i : 4 * i + 4]


def equations(method: str, links: int) -> tuple[sp.Matrix, sp.Matrix, Symbols, list, list]:
    """Return M, the right side of M a = f, the symbols, and those that stand for coordinates and rates in both."""
    symbols = Symbols(links)
    if method == "LagrangesMethod":
        system = _lagrange(symbols, links)
        system.form_lagranges_equations()
        return system.mass_matrix, system.forcing, symbols, symbols.q, symbols.v
    system, bodies, loads = _kane(symbols, links)
    system.kanes_equations(bodies, loads)
    return system.mass_matrix, system.forcing, symbols, symbols.q, list(system.u)


def derivation(method: str, links: int) -> float:
    """Return the time [s] it takes to have M and f as expressions."""
    start = time.perf_counter()
    equations(method, links)
    return time.perf_counter() - start


def accelerations(
    method: str, links: int, q: np.ndarray, v: np.ndarray, torque: np.ndarray, parameters: np.ndarray, g: float
) -> np.ndarray:
    """Return the accelerations (n,) at one point, to be compared with those of others."""
    M, f, symbols, q_symbols, v_symbols = equations(method, links)
    arguments = [list(q_symbols), list(v_symbols), list(symbols.torque), symbols.parameters, symbols.g]
    mass, force = sp.lambdify(arguments, [M, f], cse=True)(q, v, torque, parameters, g)
    return np.linalg.solve(mass, np.ravel(force))


def _lagrange(symbols: Symbols, links: int) -> me.LagrangesMethod:
    shapes, t = Shapes(), me.dynamicsymbols._t
    N, X, E, K = (sp.Matrix(a) for a in (shapes.mean, shapes.moment, shapes.mass, shapes.stiffness))
    T = V = angle = sp.Integer(0)
    place, frame, loads = sp.zeros(2, 1), me.ReferenceFrame("W"), []
    for i in range(links):
        length, m, EI, M = symbols.link(i)
        b, s = sp.Matrix(symbols.q[3 * i + 1 : 3 * i + 3]), sp.Matrix(symbols.v[3 * i + 1 : 3 * i + 3])
        angle = angle + symbols.q[3 * i]
        rate, velocity = sp.diff(angle, t), place.diff(t)
        along, across = sp.Matrix([sp.cos(angle), sp.sin(angle)]), sp.Matrix([-sp.sin(angle), sp.cos(angle)])
        T += m / 2 * velocity.dot(velocity)
        T += m / 2 * (rate**2 * (length**2 / 3 + (b.T * E * b)[0]) + (s.T * E * s)[0]) + m * length * rate * X.dot(s)
        T += m * velocity.dot(across) * (rate * length / 2 + N.dot(s)) - m * velocity.dot(along) * rate * N.dot(b)
        V += EI / length**3 / 2 * (b.T * K * b)[0]
        V += m * symbols.g * (place[1] + length / 2 * along[1] + N.dot(b) * across[1])
        place = place + length * along + sp.Matrix(shapes.tip).dot(b) * across
        velocity = place.diff(t)
        T += M / 2 * velocity.dot(velocity)
        V += M * symbols.g * place[1]
        angle = angle + sp.Matrix(shapes.tip_slope).dot(b) / length
        # A torque on the coordinate q_i: frames that turn at its rate carry it.
        turning = me.ReferenceFrame(f"J{i}")
        turning.set_ang_vel(frame, symbols.v[3 * i] * frame.z)
        loads.append((turning, symbols.torque[i] * frame.z))
    return me.LagrangesMethod(T - V, symbols.q, forcelist=loads, frame=frame)


def _kane(symbols: Symbols, links: int) -> tuple[me.KanesMethod, list, list]:
    shapes = Shapes()
    particles = shapes.particles()
    u = [me.dynamicsymbols(f"u{j}") for j in range(3 * links)]
    world, root = me.ReferenceFrame("W"), me.Point("O")
    root.set_vel(world, 0)
    section, bodies, loads = world, [], []
    for i in range(links):
        length, m, EI, M = symbols.link(i)
        q, b, s = symbols.q[3 * i], symbols.q[3 * i + 1 : 3 * i + 3], u[3 * i + 1 : 3 * i + 3]
        link, end = me.ReferenceFrame(f"A{i}"), me.ReferenceFrame(f"B{i}")
        link.orient_axis(section, section.z, q)
        link.set_ang_vel(section, u[3 * i] * section.z)
        loads += [(link, symbols.torque[i] * world.z), (section, -symbols.torque[i] * world.z)]
        rows = [*particles.T, np.array([1.0, 1.0, *shapes.tip])]
        for k, (_, along, *shape) in enumerate(rows):
            point = root.locatenew(f"P{i}{k}", along * length * link.x + (shape[0] * b[0] + shape[1] * b[1]) * link.y)
            point.set_vel(link, (shape[0] * s[0] + shape[1] * s[1]) * link.y)
            point.v1pt_theory(root, world, link)
            mass = m / 4 if k < 4 else M
            bodies.append(me.Particle(f"body{i}{k}", point, mass))
            loads.append((point, -mass * symbols.g * world.y))
        # The elastic force on a mode: a point without mass moves with its amplitude alone.
        for k in range(2):
            carrier = me.Point(f"E{i}{k}")
            carrier.set_vel(world, s[k] * world.x)
            loads.append((carrier, -EI / length**3 * shapes.stiffness[k, k] * b[k] * world.x))
        slope = shapes.tip_slope / length
        end.orient_axis(link, link.z, slope[0] * b[0] + slope[1] * b[1])
        end.set_ang_vel(link, (slope[0] * s[0] + slope[1] * s[1]) * link.z)
        root, section = point, end
    equal = [v - rate for v, rate in zip(u, symbols.v, strict=True)]
    return me.KanesMethod(world, symbols.q, u, kd_eqs=equal), bodies, loads
