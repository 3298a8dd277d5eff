"""The implicit equations are those of forward dynamics, in a fraction of its operations; so are their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.five_bar import five_bar
from arms.force_arms import everything
from arms.misaligned_four_bar import misaligned_four_bar
from arms.one_link import DCMotor, HardeningSpring, joint_arm
from arms.random_linkages import linkage
from flexblocks import models
from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.dae.implicit_functions import powers, residual_jacobians
from flexblocks.dae.operation_counts import operation_counts


@cache
def algebraic() -> fb.DAE:
    """An arm with a first-order state and an algebraic variable."""
    link = fb.RigidLink("link", length=0.5, mass=0.1)
    return fb.assemble(joint_arm(beam=link, drive=(DCMotor("motor"), HardeningSpring("hard"))))


ARMS: dict[str, Callable[[], fb.DAE]] = {
    "two links": lambda: fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",)),
    "algebraic variable": algebraic,
    "force elements": everything,
    "five-bar": lambda: fb.assemble(five_bar()),
    "pump": lambda: fb.assemble(models.concrete_pump()),
    "prescribed": lambda: fb.assemble(misaligned_four_bar(fb.FiniteElements(1)), prescribed="A.angle"),
    **{f"linkage {number}": lambda number=number: fb.assemble(linkage(number)) for number in range(5)},
}


FEEDBACK = 100.0


def moving(dae: fb.DAE) -> dict[str, np.ndarray]:
    """Return the arguments of the residual along a motion, by forward dynamics."""
    rng, n, p = np.random.default_rng(1), dae.tree.size, dae.p.start
    x, z = consistent_state(dae, None, p, "")
    x = x.copy()
    J = np.array(ca.Function("J", [dae.q, dae.p.symbol], [dae.expressions.constraint_jacobian])(x[:n], p))
    v = rng.normal(size=n) * np.where(np.array(dae.x.units[:n]) == "rad", 1.0, 0.01)
    x[n : 2 * n] = v - np.linalg.lstsq(J, J @ v, rcond=1e-9)[0] if J.size else v
    u = rng.normal(size=len(dae.u))
    if len(dae.z):
        g = ca.Function("g", [dae.z.symbol], [dae.algebraic(x, u, p, dae.z.symbol)])
        z = np.array(ca.rootfinder("z", "newton", g)(z)).ravel()
    last = [z] if len(z) else []
    rates = np.array(dae.forward_dynamics(x, u, p, *last)).ravel()[n:]
    columns = list(dae.tree.prescribed_columns)
    every = dae.expressions.closing_tree.loops.multipliers
    multipliers = dict(zip(dae.tree.loops.multipliers, np.array(dae.multipliers(x, u, p, *last)).ravel(), strict=True))
    return {
        "x": x,
        "rates": rates,
        "multipliers": np.array([multipliers.get(name, 0.0) for name in every]),
        "z": z,
        "u": u,
        "motion": np.concatenate([x[:n][columns], x[n : 2 * n][columns]]),
        "p": p,
        "feedback": np.array([FEEDBACK]),
    }


@pytest.mark.parametrize("name", ARMS)
def test_residual_is_zero_at_the_accelerations_and_loop_forces_of_forward_dynamics(name: str) -> None:
    dae = ARMS[name]()
    at = moving(dae)
    R = np.array(dae.residual(**at)["R"]).ravel()
    n, p = dae.tree.size, at["p"]
    rates = {**at, "rates": np.zeros_like(at["rates"]), "multipliers": np.zeros_like(at["multipliers"])}
    size = np.max(np.abs(np.array(dae.residual(**rates)["R"]))) + 1.0
    assert np.max(np.abs(R)) < 1e-9 * size
    # Its power is that of the applied forces, by forward dynamics.
    power = np.array(dae.motion(at["x"], at["z"], at["u"], p)[0])[-1, 0]
    np.testing.assert_allclose(float(powers(dae)(**at)["powers"][0]), power, rtol=1e-8, atol=1e-9 * size)
    # Off the motion it is what is missing: forces by inverse dynamics, and all closures with their rates.
    if not dae.tree.prescribed:
        other = at["rates"] + 1.0
        more = np.array(dae.residual(**{**at, "rates": other})["R"]).ravel() - R
        q = dae.posture(at["x"], at["z"], p)
        np.testing.assert_allclose(more[:n], np.array(dae.mass_matrix(*q)).sum(axis=1), rtol=1e-7, atol=1e-7 * size)
        np.testing.assert_allclose(more[n : len(other)], 1.0, rtol=1e-9)
        assert np.max(np.abs(more[len(other) :]), initial=0.0) == 0.0


def test_closures_are_fed_back_at_velocity_level() -> None:
    dae = fb.assemble(five_bar())
    at = moving(dae)
    n, m = dae.tree.size, len(dae.tree.loops.multipliers)
    rng = np.random.default_rng(2)
    at["x"] = at["x"] + 0.01 * rng.normal(size=len(at["x"]))
    q, v = at["x"][:n], at["x"][n : 2 * n]
    J = np.array(ca.Function("J", [dae.q, dae.p.symbol], [dae.expressions.constraint_jacobian])(q, []))
    c = np.array(dae.constraint(q, [])).ravel()
    np.testing.assert_allclose(np.array(dae.residual(**at)["R"]).ravel()[-m:], J @ v + FEEDBACK * c, rtol=1e-9)


@pytest.mark.parametrize("name", ARMS)
def test_derivatives_are_those_of_differences(name: str) -> None:
    dae = ARMS[name]()
    at = moving(dae)
    K, D, M, J, Z = (np.array(part) for part in residual_jacobians(dae)(*at.values()))
    n, size, m = dae.tree.size, len(at["rates"]), len(at["multipliers"])

    def differences(argument: str) -> np.ndarray:
        columns = []
        for i, value in enumerate(at[argument]):
            h = 1e-6 * max(abs(value), 1.0)
            ends = [{**at, argument: at[argument] + sign * h * np.eye(len(at[argument]))[i]} for sign in (1, -1)]
            high, low = (np.array(dae.residual(**end)["R"]).ravel() for end in ends)
            columns.append((high - low) / (2 * h))
        return np.array(columns).T.reshape(len(K), len(at[argument]))

    def close(part: np.ndarray, other: np.ndarray) -> None:
        np.testing.assert_allclose(part, other, rtol=1e-5, atol=1e-6 * max(np.max(np.abs(other), initial=0.0), 1.0))

    of_x = differences("x")
    close(K, of_x[:, :n])
    close(D, of_x[:, n:])
    close(M, differences("rates"))
    close(Z, differences("z"))
    free = np.setdiff1d(np.arange(size), dae.tree.prescribed_columns)
    close(-J.T[free], differences("multipliers")[free])
    assert J.shape == (m, size)


def test_dampers_take_out_what_energy_loses() -> None:
    model = joint_arm(beam=fb.RigidLink("link", 0.5, 0.1), damping=0.3)
    dae = fb.assemble(model)
    at = {**moving(dae), "x": np.array([0.2, 1.5])}
    assert float(powers(dae)(**at)["powers"][1]) == pytest.approx(0.3 * 1.5**2)


@pytest.mark.parametrize(("beam", "most"), [(fb.FiniteElements(2), 2400), (fb.StrainModes(2), 13300)])
def test_operations_of_a_flexible_four_bar(beam: fb.Discretization, most: int) -> None:
    dae = fb.assemble(misaligned_four_bar(beam), prescribed="A.angle")
    assert operation_counts(dae.residual)["total"] <= dae.residual.n_instructions() <= most
