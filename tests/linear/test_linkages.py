"""Linear models of linkages whose joints are damped but move no mass, against finite differences of their motion."""

from __future__ import annotations

import warnings

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.random_linkages import linkage
from flexblocks.errors import FlexblocksWarning


class Motion:
    """The constrained motion in independent coordinates, by Newton's method and Lagrange multipliers in NumPy.

    From the equations of the cut tree and the closures alone: M a + h = Q + J' lambda, J a = -dJ/dt v.
    """

    def __init__(self, dae: fb.DAE, names: tuple[str, ...], near: np.ndarray) -> None:
        self.dae, self.n, self.near = dae, dae.tree.size, near
        self.own = [dae.x.index(name) for name in names]
        self.free = np.setdiff1d(np.arange(self.n), self.own)
        q, v = dae.q, dae.v
        J = ca.jacobian(dae.expressions.constraint, q)
        rates = [dae.expressions.constraint, J, ca.jtimes(J @ v, q, v)]
        self.closures = ca.Function("closures", [q, v, dae.p.symbol], rates)

    def state(self, independent: np.ndarray) -> np.ndarray:
        x, n = self.near.copy(), self.n
        x[self.own] = independent
        for _ in range(30):
            c, J, _ = (value.full() for value in self.closures(x[:n], x[n : 2 * n], []))
            if not c.size:
                return x
            step = np.linalg.lstsq(J[:, self.free], -c, rcond=None)[0].ravel()
            x[self.free] += step
            if np.max(np.abs(step)) < 1e-15:
                break
        J, v = self.closures(x[:n], 0, [])[1].full(), x[n : 2 * n]
        driven = np.setdiff1d(np.arange(n), self.free)
        v[self.free] = np.linalg.lstsq(J[:, self.free], -J[:, driven] @ v[driven], rcond=None)[0]
        return x

    def rates(self, independent: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return the rates of the independent states, then the outputs that no force enters."""
        x, n, dae = self.state(independent), self.n, self.dae
        q, v = x[:n], x[n : 2 * n]
        _, J, drift = (value.full() for value in self.closures(q, v, []))
        M = dae.mass_matrix(q, []).full()
        force = dae.input_force(x, u, []).full() - dae.inverse_dynamics(q, v, np.zeros(n), []).full()
        m = len(J)
        whole = np.block([[M, -J.T], [J, np.zeros((m, m))]])
        a = np.linalg.solve(whole, np.vstack([force, -drift]))[:n].ravel()
        further = dae.forward_dynamics(x, u, []).full().ravel()[2 * n :]  # currents
        return np.concatenate([v, a, further])[self.own]


def differences(function, start: np.ndarray) -> np.ndarray:
    """Central differences of two steps, extrapolated."""

    def central(h: float) -> np.ndarray:
        steps = h * np.eye(len(start))
        return np.column_stack([(function(start + step) - function(start - step)) / (2 * h) for step in steps])

    return (4 * central(1e-4) - central(2e-4)) / 3


def compare(number: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexblocksWarning)  # start values that move far to close a loop
        dae, rng = fb.assemble(linkage(number)), np.random.default_rng(number)
    at = {"x": {name: rng.uniform(-1, 1) for name in dae.x.names if name.startswith("der(")}}
    if dae.tree.loops.closures:  # one degree of freedom
        at["x"] = {f"der({dae.q_names[0]})": rng.uniform(-1, 1)}
    u = rng.uniform(-0.3, 0.3, len(dae.u))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexblocksWarning)
        if number % 3 == 0:  # in balance: loops held at their start, trees hanging
            held = {"x": {dae.q_names[0]: dae.x.start[0]}} if dae.tree.loops.closures else {"u": {dae.u.names[0]: 0.0}}
            at = fb.equilibrium(dae, **held)
        elif number % 3 == 1:  # in motion
            at |= {"u": u}
        else:  # at rest, out of balance
            at = {"u": 3 * u}
        lin = fb.linearize(dae, at)
    x, u = lin.operating_point.x, lin.operating_point.u
    motion = Motion(dae, lin.states, x)
    k = len(lin.states)
    start = np.concatenate([x[motion.own], u])
    exact = np.hstack([lin.A, lin.B])
    scale = np.max(np.abs(exact), axis=1, keepdims=True)
    measured = differences(lambda s: motion.rates(s[:k], s[k:]), start)
    np.testing.assert_allclose(exact / scale, measured / scale, atol=2e-7, err_msg=dae.name)
    assert np.all(np.isfinite(np.linalg.eigvals(lin.A)))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_linkages(number: int) -> None:
    """In balance, in motion and out of balance."""
    compare(number)


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 14])
def test_more_linkages(number: int) -> None:
    compare(number)
