"""The sliding beam against Lagrange's equations of points in the world, closed forms and the balance of energy."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigh

import flexblocks as fb
from arms.random_arms import Arm, arms
from flexblocks import models
from flexblocks.beam.shapes.euler_bernoulli_modes import clamped_modes
from flexblocks.constraints.dependent_variables import with_dependent_variables
from flexblocks.dae.dae import DAE
from oracles.theodore_ghosal_oracle import L3, M3, MP, Oracle, oracle, q_index, roots

DENSITY, RIGIDITY, LENGTH = 0.331, 5.0, 1.3


def sliding_arm(shapes: str = "fixed", load: float = 0.2, start: float = 0.5, **options) -> fb.Model:
    """A beam that slides through a turning hub under gravity, with a body at its tip."""
    model = fb.Model("slide", gravity=options.pop("gravity", (0.3, -9.81, 0.5)))
    options = {"bending": "yz", "discretization": fb.AssumedModes(2, tip="auto")} | options
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    beam = model.add(
        fb.SlidingBeam(
            "beam",
            length=LENGTH,
            linear_density=DENSITY,
            flexural_rigidity=RIGIDITY,
            shapes=shapes,
            start=start,
            **options,
        )
    )
    push, motor = model.add(fb.ForceSource("push")), model.add(fb.TorqueSource("motor"))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(push.flange_b, beam.axis)
    if load:
        inertia = np.diag([0.004, 0.01, 0.012])
        model.connect(beam.frame_b, model.add(fb.Payload("load", load, inertia, center=(0.02, 0.0, 0.01))).frame_a)
    return model


def assert_equal_to_oracle(dae: DAE, lagrange: Oracle, elements: bool) -> None:
    rng, n = np.random.default_rng(1), dae.tree.size
    for extension in (0.3, 0.62, 1.1):
        q, v = 0.05 * rng.normal(size=n), rng.normal(size=n)
        q[:2], q[q_index(4 if elements else 2)] = rng.normal(size=2), extension
        beta = np.zeros(0) if elements else roots(MP / (M3 / L3 * extension))
        M, h, rates = (value.full() for value in lagrange.equations(q, v, beta))
        more = [] if elements else [beta]
        np.testing.assert_allclose(dae.mass_matrix(q, [], *more).full(), M, rtol=0, atol=1e-11 * np.abs(M).max())
        found = dae.inverse_dynamics(q, v, 0 * v, [], *more).full()
        np.testing.assert_allclose(found, h, rtol=0, atol=1e-11 * np.abs(h).max())
        x = np.concatenate([q, v, beta])
        np.testing.assert_allclose(dae.forward_dynamics(x, [0, 0, 0], []).full()[2 * n :], rates, rtol=1e-9)
        tip = dae.output(x, [0, 0, 0], []).full().ravel()[[dae.y.index(f"payload.{axis}") for axis in "xyz"]]
        np.testing.assert_allclose(tip, lagrange.tip(q, beta).full().ravel(), rtol=0, atol=1e-13)


def test_equations_by_elements_are_lagranges() -> None:
    dae = fb.assemble(models.theodore_ghosal_1995("RRP", "elements"))
    assert_equal_to_oracle(dae, oracle("elements", "true"), elements=True)


@pytest.mark.slow
def test_equations_by_modes_that_change_are_lagranges() -> None:
    dae = fb.assemble(models.theodore_ghosal_1995("RRP", "modes", shapes="ode"))
    assert_equal_to_oracle(dae, oracle("modes", "true"), elements=False)


@pytest.mark.parametrize(
    ("shapes", "bending"), [("fixed", "yz"), ("algebraic", "z"), ("ode", "y"), ("elements", "yz"), ("rigid", "y")]
)
def test_power_balance(shapes: str, bending: str) -> None:
    """dE/dt = power of the inputs, at a random state."""
    fidelity = {"elements": fb.FiniteElements(2), "rigid": fb.Rigid()}.get(shapes, fb.AssumedModes(2, tip="auto"))
    kind = shapes if shapes in ("algebraic", "ode") else "fixed"
    dae = fb.assemble(sliding_arm(kind, discretization=fidelity, bending=bending))
    rng, n = np.random.default_rng(0), dae.tree.size
    x = np.concatenate([0.05 * rng.normal(size=n), rng.normal(size=n), dae.x.start[2 * n :]])
    x[:2] = rng.normal(), rng.uniform(0.2, 1.2)
    u = rng.normal(size=2)
    rate_of = {"motor.torque": "der(joint.angle)", "push.force": "der(beam.displacement)"}
    driven = [dae.x.index(rate_of[name]) for name in dae.u.names]
    beta = np.array(clamped_roots(x[1])) if kind != "fixed" else np.zeros(0)
    x, z = (np.append(x[: 2 * n], beta), []) if kind == "ode" else (x, beta)
    z = [z] if kind == "algebraic" else []
    assert_power_balance(dae, x, beta if z else np.zeros(0), u, float(u @ x[driven]))


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(
    inner=arms(links=2, modes=2, beams=("modes", "elements")),
    shapes=st.sampled_from(["fixed", "algebraic", "ode"]),
    bending=st.sampled_from(["y", "z", "yz"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_power_balance_on_a_random_arm(inner: Arm, shapes: str, bending: str, seed: int) -> None:
    """A beam that slides at the end of an arm in space, turned, with a flexible link and a body at its own end."""
    rng = np.random.default_rng(seed)
    inner = inner.without_damping()
    model = inner.model
    mount = model.add(fb.FixedTransform("slide_mount", tuple(rng.uniform(-0.1, 0.1, 3)), tuple(rng.normal(size=3))))
    beam = model.add(
        fb.SlidingBeam("slide", LENGTH, DENSITY, RIGIDITY, fb.AssumedModes(2, tip="auto"), bending, shapes=shapes)
    )
    joint = model.add(fb.Revolute("last_joint", axis=tuple(rng.normal(size=3))))
    link = model.add(fb.FlexibleBeam("last_link", 0.5, 0.4, 10.0, fb.FiniteElements(1), "yz"))
    body = model.add(fb.Payload("last_body", 0.3, np.diag([0.01, 0.02, 0.025])))
    ends = [inner.segments[-1].link.frame_b, mount.frame_b, beam.frame_b, joint.frame_b, link.frame_b]
    for end, block in zip(ends, (mount, beam, joint, link, body), strict=True):
        model.connect(end, block.frame_a)
    dae = fb.assemble(model)
    q, v, _, u = inner.random_state(dae, seed)
    q[dae.q_names.index("slide.displacement")] = rng.uniform(0.3, 1.2)
    x = np.concatenate([q, v, dae.x.start[2 * len(q) :]])
    x, z = with_dependent_variables(dae, x, dae.z.start, dae.p.start)
    power = float(dae.input_force(x, u, [], *([z] if len(z) else [])).full().ravel() @ v)
    assert_power_balance(dae, x, z, u, power)


def assert_power_balance(dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, power: float) -> None:
    """Compare dE/dt along the motion with the power of the inputs."""
    more = [z] if len(z) else []
    rates = dae.forward_dynamics(x, u, [], *more).full().ravel()
    symbols = [dae.x.symbol, dae.z.symbol]
    energy = sum(dae.energy.call([dae.x.symbol, [], *([dae.z.symbol] if more else [])]))
    jacobians = [ca.jacobian(e, symbol) for e in (energy, dae.expressions.algebraic) for symbol in symbols]
    by_x, by_z, g_x, g_z = (value.full() for value in ca.Function("J", symbols, jacobians)(x, *(more or [[]])))
    if more:
        by_x = by_x - by_z @ np.linalg.solve(g_z, g_x)
    terms = by_x.ravel() * rates
    assert abs(terms.sum() - power) < 1e-9 * np.abs(terms).sum()


def clamped_roots(extension: float) -> list[float]:
    """Roots for the body of `sliding_arm`, its inertia across the beam the mean of both planes."""
    load = 0.2
    about = (0.01 + load * (0.02**2 + 0.01**2) + 0.012 + load * 0.02**2) / 2
    tip = fb.TipBody(load, about, load * 0.02).relative(DENSITY * extension, extension)
    return clamped_modes(2, tip).b.tolist()


@pytest.mark.parametrize("shapes", [pytest.param("algebraic", marks=pytest.mark.slow), "ode"])
def test_roots_follow_the_extension(shapes: str) -> None:
    """Started elsewhere than where the model says, and pushed out: at every sample the roots solve their equation."""
    dae = fb.assemble(sliding_arm(shapes))
    run = fb.simulate(
        dae, np.linspace(0, 0.3, 7), {"push.force": 4.0}, {"beam.displacement": 0.7, "der(joint.angle)": 2}
    )
    assert np.ptp(run["beam.displacement"]) > 0.1
    for k, extension in enumerate(run["beam.displacement"]):
        found = [run["beam.beta[1]"][k], run["beam.beta[2]"][k]]
        np.testing.assert_allclose(found, clamped_roots(extension), rtol=1e-8)


@pytest.mark.slow
def test_ode_and_algebraic_roots_give_one_motion() -> None:
    start = {"der(joint.angle)": 3.0, "beam.bending_y[1]": 0.01}
    runs = [
        fb.simulate(fb.assemble(sliding_arm(shapes)), np.linspace(0, 0.4, 5), {"push.force": 2.0}, start)
        for shapes in ("algebraic", "ode")
    ]
    for name in ("load.x", "load.y", "load.z", "beam.displacement"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], rtol=0, atol=1e-8)
    for run in runs:
        balance = run.energy[:, 0] + run.energy[:, 1] - run.energy[:, 2]
        assert np.ptp(balance) < 1e-7


def test_rigid_rod_sliding_through_a_turning_hub() -> None:
    """T = 1/2 (m l'^2 + I(l) w^2), I(l) = mu (l^3 - (l - L)^3)/3: mass matrix and velocity forces."""
    dae = fb.assemble(sliding_arm(load=0.0, discretization=fb.Rigid(), gravity=(0.0, 0.0, 0.0)))
    out, spin, speed = 0.4, 2.0, -0.7
    inertia = DENSITY * (out**3 - (out - LENGTH) ** 3) / 3
    slope = DENSITY * (out**2 - (out - LENGTH) ** 2)
    np.testing.assert_allclose(dae.mass_matrix([0.3, out], []).full(), np.diag([inertia, DENSITY * LENGTH]), atol=1e-14)
    force = dae.inverse_dynamics([0.3, out], [spin, speed], [0, 0], []).full().ravel()
    np.testing.assert_allclose(force, [slope * speed * spin, -slope * spin**2 / 2], rtol=1e-13)


@pytest.mark.parametrize("shapes", ["fixed", "algebraic", "ode"])
def test_frequencies_of_the_beam_held_at_one_extension(shapes: str) -> None:
    """Held there the beam rings at (beta/l)^2 sqrt(EI/mu); and beta brings no state into the linear model."""
    tip = fb.TipBody(0.1)
    model = sliding_arm(
        shapes, 0.0, 0.8, bending="y", gravity=(0, 0, 0), discretization=fb.AssumedModes(2, tip=tip), damping=0.3
    )
    model.connect(model["beam"].frame_b, model.add(fb.LumpedMass("tip", mass=0.1)).frame_a)
    dae = fb.assemble(model)
    lin = fb.linearize(dae)
    assert lin.states == dae.x.names[: 2 * dae.tree.size]
    bending = slice(2, 4)
    stiffness, mass = lin.structure.stiffness[bending, bending], lin.structure.mass[bending, bending]
    b = clamped_modes(2, tip.relative(DENSITY * 0.8, 0.8)).b
    expected = (b / 0.8) ** 4 * RIGIDITY / DENSITY
    np.testing.assert_allclose(eigh(stiffness, mass, eigvals_only=True), expected, rtol=1e-9)


def test_sag_under_gravity_is_that_of_a_cantilever() -> None:
    """mu g l^4 / 8 EI at the tip; the slide and the joint are held by their drives."""
    weight = 0.5
    model = sliding_arm(
        load=0.0, start=0.6, bending="y", discretization=fb.FiniteElements(4), gravity=(0.0, -weight, 0.0)
    )
    dae = fb.assemble(model)
    op = fb.equilibrium(dae, {"joint.angle": 0.0, "beam.displacement": 0.6})
    sag = op.x[dae.x.index("beam.deflection_y[4]")]
    assert sag == pytest.approx(-DENSITY * weight * 0.6**4 / (8 * RIGIDITY), rel=1e-3)


def test_file_round_trip(tmp_path) -> None:
    model = sliding_arm("ode")
    model.save(tmp_path / "arm.yaml")
    again = fb.assemble(fb.load(tmp_path / "arm.yaml"))
    dae = fb.assemble(model)
    x = dae.x.start + 0.01
    np.testing.assert_array_equal(again.forward_dynamics(x, [1, 2], []), dae.forward_dynamics(x, [1, 2], []))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"discretization": fb.RigidSegments(3)}, "cannot slide through a hub"),
        ({"discretization": fb.AssumedModes(2, tip="pinned")}, "cannot slide through a hub, where it is clamped"),
        ({"discretization": fb.FiniteElements(2), "shapes": "ode"}, "only the shapes of fb.AssumedModes change"),
        ({"start": 1.5}, "at most the length"),
        ({"shapes": "frozen"}, "frozen"),
        ({"start": -0.1}, "start = -0.1 m; must be > 0"),
    ],
)
def test_refusals(options: dict, message: str) -> None:
    with pytest.raises(fb.errors.FlexblocksError, match=message):
        sliding_arm(**options)


def test_an_extension_beyond_reach_is_refused_by_name() -> None:
    dae = fb.assemble(sliding_arm("ode"))
    with pytest.raises(fb.errors.FlexblocksError, match=r"beam\.displacement = -0.5 m; must be between 0 and 1.3 m"):
        fb.simulate(dae, (0, 0.1), x0={"beam.displacement": -0.5})


@pytest.mark.parametrize(("argument", "value"), [("arm", "RPR"), ("discretization", "mode")])
def test_published_arms_refuse_what_they_do_not_know(argument: str, value: str) -> None:
    with pytest.raises(fb.errors.ParameterError, match=f"{argument} = '{value}'. Did you mean .* Must be one of"):
        models.theodore_ghosal_1995(**{argument: value})
