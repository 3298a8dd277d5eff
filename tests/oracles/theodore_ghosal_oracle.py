"""The RRP arm of Theodore & Ghosal (1995) by Lagrange's equations of points in the world: an independent derivation.

Positions as in eqs 1-6, clamped-mass modes as in eqs 9-11, kinetic energy by quadrature over particles; nothing of it
comes from the library. The tip of link 2 turns linearly, as in eq 2, or by a true rotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import casadi as ca
import numpy as np

M2, M3, MP = 0.3310, 0.4303, 0.0828
L1, L2, L3 = 0.1, 1.0, 1.3
I1, I2, EI = 0.352, 3.2, 1165.4916
POINTS = 10


@dataclass(frozen=True)
class Oracle:
    """Functions of q = (theta1, theta2, link 2 along y, along z, l3, link 3 along x, along y), v and beta.

    `equations` (q, v, beta) -> M, h, beta'; `tip` (q, beta) -> position; `energy` (q, v, beta) -> T + V.
    """

    equations: ca.Function
    tip: ca.Function
    energy: ca.Function


def frequency(b: ca.SX, m: ca.SX | float) -> ca.SX:
    """Eq 11 with J = D = 0."""
    return 1 + ca.cosh(b) * ca.cos(b) - m * b * (ca.cosh(b) * ca.sin(b) - ca.sinh(b) * ca.cos(b))


def mode(b: ca.SX, m: ca.SX | float, eta: float | np.ndarray, order: int) -> ca.SX:
    """Eqs 9 and 10 with D = 0, before the constant C_i; derivative with respect to eta."""
    top = ca.sin(b) - ca.sinh(b) + m * b * (ca.cos(b) - ca.cosh(b))
    nu = top / (ca.cos(b) + ca.cosh(b) - m * b * (ca.sin(b) - ca.sinh(b)))
    x = ca.SX.sym("x")
    f = ca.cos(b * x) - ca.cosh(b * x) + nu * (ca.sin(b * x) - ca.sinh(b * x))
    for _ in range(order):
        f = ca.gradient(f, x)
    return ca.substitute(f, x, ca.SX(eta))


def modes(b: ca.SX, m: ca.SX | float) -> tuple[list, list, list]:
    """Return values, slopes and curvatures by mode as functions of eta, of mean square 1 and positive at the tip."""
    eta, w = gauss()
    found: tuple[list, list, list] = ([], [], [])
    for k in range(2):
        square = sum(weight * mode(b[k], m, x, 0) ** 2 for x, weight in zip(eta, w, strict=True))
        sign = 1.0 if k else -1.0
        for order in range(3):
            found[order].append(partial(_normed, sign / ca.sqrt(square), b[k], m, order))
    return found


def _normed(c: ca.SX, b: ca.SX, m: ca.SX | float, order: int, eta: float) -> ca.SX:
    return c * mode(b, m, eta, order)


def gauss() -> tuple[np.ndarray, np.ndarray]:
    points, weights = np.polynomial.legendre.leggauss(POINTS)
    return (points + 1) / 2, weights / 2


def elements(angle_scale: ca.SX | float) -> tuple[list, list, list]:
    """Return Hermite functions of two elements in eta, deflection and slope of nodes 1 and 2."""
    found: tuple[list, list, list] = ([], [], [])
    for node in (1, 2):
        for kind in (0, 1):
            for order in range(3):
                scale = angle_scale if kind else 1.0
                found[order].append(
                    lambda x, node=node, kind=kind, order=order, scale=scale: scale * hermite(x, node, kind, order)
                )
    return found


def hermite(x: float, node: int, kind: int, order: int) -> float:
    element = 0 if x < 0.5 else 1
    s, end = 2 * x - element, node - 1 - element  # end 0: outer end of this element; -1: inner
    cubics = {(-1, 0): [1, 0, -3, 2], (-1, 1): [0, 1, -2, 1], (0, 0): [0, 0, 3, -2], (0, 1): [0, 0, -1, 1]}
    if (end, kind) not in cubics:
        return 0.0
    return float(np.polynomial.Polynomial(cubics[end, kind]).deriv(order)(s)) * 2.0 ** (order - kind)


def turn(axis: int, angle: ca.SX) -> ca.SX:
    c, s = ca.cos(angle), ca.sin(angle)
    if axis == 2:
        return ca.blockcat([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return ca.blockcat([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def denavit_hartenberg(theta: ca.SX | float, alpha: float, a: float, d: ca.SX | float) -> ca.SX:
    c, s, ca_, sa = ca.cos(theta), ca.sin(theta), round(np.cos(alpha)), round(np.sin(alpha))
    return ca.blockcat([[c, -s * ca_, s * sa, a * c], [s, c * ca_, -c * sa, a * s], [0, sa, ca_, d], [0, 0, 0, 1]])


def oracle(discretization: str, rotation: str) -> Oracle:
    """Return the equations with two ``"modes"`` or two ``"elements"``, and a ``"linear"`` or ``"true"`` rotation."""
    n = 2 if discretization == "modes" else 4
    q, v = ca.SX.sym("q", 3 + 4 * n), ca.SX.sym("v", 3 + 4 * n)
    theta1, theta2, y2, z2, l3, x3, y3 = ca.vertsplit(q, np.cumsum([0, 1, 1, n, n, 1, n, n]).tolist())
    beta = ca.SX.sym("beta", 2 if discretization == "modes" else 0)
    if discretization == "modes":
        m3 = MP / (M3 / L3 * l3)
        constant = roots((M3 + MP) / M2)
        second, third = modes(ca.SX(constant), (M3 + MP) / M2), modes(beta, m3)
        f = ca.vertcat(*[frequency(beta[k], m3) for k in range(2)])
        slope = -ca.jacobian(f, l3) / ca.diag(ca.jacobian(f, beta))
    else:
        second, third, slope = elements(L2), elements(l3), ca.SX(0, 1)
    rate = lambda e: ca.jtimes(e, ca.vertcat(q, beta), ca.vertcat(v, slope * v[q_index(n)]))  # noqa: E731

    def field(shapes: list, amplitudes: ca.SX, eta: float) -> ca.SX:
        return sum((shape(eta) * amplitudes[i] for i, shape in enumerate(shapes)), ca.SX(0))

    A1 = denavit_hartenberg(theta1, np.pi / 2, 0.0, L1)
    # Of link 2 the axes before its twist alpha are those of bending.
    before = A1 @ denavit_hartenberg(theta2, 0.0, L2, 0.0)
    v_tip, w_tip = field(second[0], y2, 1.0), field(second[0], z2, 1.0)
    v_slope, w_slope = field(second[1], y2, 1.0) / L2, field(second[1], z2, 1.0) / L2
    if rotation == "true":
        bent = turn(2, v_slope) @ turn(1, -w_slope)
    else:
        bent = ca.blockcat([[1, -v_slope, -w_slope], [v_slope, 1, 0], [w_slope, 0, 1]])
    origin = before[:3, 3] + before[:3, :3] @ ca.vertcat(0, v_tip, w_tip)
    axes = before[:3, :3] @ bent @ ca.DM([[1, 0, 0], [0, 0, -1], [0, 1, 0]])

    eta, w = gauss()
    panels = [(x / 2 + half / 2, weight / 2) for half in (0, 1) for x, weight in zip(eta, w, strict=True)]
    kinetic = I1 * v[0] ** 2 / 2 + I2 * v[1] ** 2 / 2
    for x, weight in panels:
        point = before[:3, 3] + before[:3, :3] @ ca.vertcat(
            (x - 1) * L2, field(second[0], y2, x), field(second[0], z2, x)
        )
        kinetic += M2 * weight * ca.sumsqr(rate(point)) / 2
        # Outside: the particle at x l3; it keeps its distance from the tip.
        moving = ca.SX.sym("x")
        outside = _point(origin, axes, l3, third, x3, y3, x, rate, v[q_index(n)])
        kinetic += M3 / L3 * l3 * weight * ca.sumsqr(outside) / 2
        inside = rate(origin + axes[:, 2] * (l3 - moving))
        inside = ca.substitute(inside, moving, l3 + (L3 - l3) * x)
        kinetic += M3 / L3 * (L3 - l3) * weight * ca.sumsqr(inside) / 2
    tip = origin + axes @ ca.vertcat(field(third[0], x3, 1.0), field(third[0], y3, 1.0), l3)
    kinetic += MP * ca.sumsqr(rate(tip)) / 2
    stored = ca.SX(0)
    for x, weight in panels:
        stored += EI / L2**3 * weight * (field(second[2], y2, x) ** 2 + field(second[2], z2, x) ** 2) / 2
        stored += EI / l3**3 * weight * (field(third[2], x3, x) ** 2 + field(third[2], y3, x) ** 2) / 2
    momentum = ca.gradient(kinetic, v)
    M = ca.jacobian(momentum, v)
    total = ca.gradient(kinetic - stored, q)
    if discretization == "modes":
        total[q_index(n)] += ca.dot(slope, ca.gradient(kinetic - stored, beta))
    h = rate(momentum) - total
    return Oracle(
        ca.Function("equations", [q, v, beta], ca.cse([ca.densify(M), ca.densify(h), slope * v[q_index(n)]])),
        ca.Function("tip", [q, beta], [tip]),
        ca.Function("energy", [q, v, beta], [kinetic + stored]),
    )


def _point(origin, axes, l3, third, x3, y3, x, rate, speed):
    """Velocity of the particle that is at x l3 now: x moves at (1 - x) l3' / l3."""
    here, ahead = (ca.vertcat(_sum(third[k], x3, x), _sum(third[k], y3, x), 0) for k in (0, 1))
    along = ca.vertcat(0, 0, x * l3)
    still = rate(origin + axes @ (here + along))
    return still + axes @ (ahead + ca.vertcat(0, 0, l3)) * ((1 - x) / l3 * speed)


def _sum(shapes, amplitudes, x):
    return sum((shape(x) * amplitudes[i] for i, shape in enumerate(shapes)), ca.SX(0))


def q_index(n: int) -> int:
    """Where l3 stands in q."""
    return 2 + 2 * n


def roots(m: float) -> np.ndarray:
    b = ca.SX.sym("b")
    f = ca.rootfinder("f", "newton", ca.Function("f", [b], [frequency(b, m)]))
    return np.array([float(f(1.2)), float(f(4.0))])
