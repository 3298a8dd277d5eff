"""Damping of sliding beams: against clamped beams, particles followed by differences, and the balance of energy."""

from __future__ import annotations

import numpy as np
import pytest
from beam.test_sliding_beam import DENSITY, RIGIDITY, sliding_arm
from scipy.integrate import simpson
from scipy.linalg import eigvals

import flexblocks as fb
from flexblocks.beam.properties.quadrature import gauss_legendre
from flexblocks.beam.shapes.euler_bernoulli_modes import BeamModes, clamped_modes
from flexblocks.linear.linear_model import LinearModel

TIP = fb.TipBody(0.1)
MODES = fb.AssumedModes(2, tip=TIP)


def arm(shapes: str, start: float, discretization: fb.Discretization = MODES, **damping: float) -> fb.Model:
    """The arm without gravity, with a point of the mass of `TIP` at its end."""
    options = {"bending": "y", "discretization": discretization, "gravity": (0, 0, 0)}
    model = sliding_arm(shapes, 0.0, start, **options, **damping)
    model.connect(model["beam"].frame_b, model.add(fb.LumpedMass("tip", mass=TIP.mass)).frame_a)
    return model


def clamped(length: float, discretization: fb.Discretization, **damping: float) -> LinearModel:
    model = fb.Model("clamped", gravity=(0, 0, 0))
    ground = model.add(fb.Ground("ground"))
    beam = model.add(fb.FlexibleBeam("beam", length, DENSITY, RIGIDITY, discretization, "y", **damping))
    model.connect(ground.frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.LumpedMass("tip", mass=TIP.mass)).frame_a)
    return fb.linearize(fb.assemble(model))


def poles(lin: LinearModel, bending: slice) -> np.ndarray:
    M, D, K = (getattr(lin.structure, name)[bending, bending] for name in ("mass", "damping", "stiffness"))
    zero, one = np.zeros_like(M), np.eye(len(M))
    values = eigvals(np.block([[zero, one], [-K, -D]]), np.block([[one, zero], [zero, M]]))
    return values[np.argsort(values.imag)]


@pytest.mark.parametrize(
    ("shapes", "discretization", "start", "damping"),
    [
        ("ode", MODES, 0.5, {"damping_ratio": 0.03}),
        ("algebraic", MODES, 0.5, {"damping_time": 1e-3}),
        ("fixed", MODES, 0.9, {"damping_time": 1e-3}),
        ("fixed", fb.FiniteElements(2), 0.9, {"damping_ratio": 0.03}),
    ],
)
def test_held_it_is_damped_as_a_clamped_beam(
    shapes: str, discretization: fb.Discretization, start: float, damping: dict[str, float]
) -> None:
    """At an extension of 0.9 m, of modes that are those of the beam there: they follow, or start there."""
    lin = fb.linearize(fb.assemble(arm(shapes, start, discretization, **damping)), {"beam.displacement": 0.9})
    expected = poles(clamped(0.9, discretization, **damping), slice(None))
    np.testing.assert_allclose(poles(lin, slice(2, None)), expected, rtol=1e-9)


def test_damping_time_of_elements_is_exact_at_every_extension() -> None:
    elements = fb.FiniteElements(2)
    lin = fb.linearize(fb.assemble(arm("fixed", 0.5, elements, damping_time=1e-3)), {"beam.displacement": 1.2})
    expected = poles(clamped(1.2, elements, damping_time=1e-3), slice(None))
    np.testing.assert_allclose(poles(lin, slice(2, None)), expected, rtol=1e-9)


def test_ratio_of_fixed_modes_elsewhere_is_about_the_one_asked_for() -> None:
    """Exact where it starts; out three times as far, those of two modes are off by 0.3 and 6 %."""
    for discretization in (fb.FiniteElements(2), MODES):
        lin = fb.linearize(
            fb.assemble(arm("fixed", 0.4, discretization, damping_ratio=0.02)), {"beam.displacement": 1.2}
        )
        values = poles(lin, slice(2, None))
        first, second = sorted(values[values.imag > 0], key=abs)[:2]
        assert -first.real / abs(first) == pytest.approx(0.02, rel=0.005)
        assert -second.real / abs(second) == pytest.approx(0.02, rel=0.08)


def followed(shapes: str, discretization: fb.Discretization, q: np.ndarray, v: np.ndarray, start: float) -> float:
    """Return the integral of the squared rate of curvature of particles outside the hub, by central differences."""
    elements = isinstance(discretization, fb.FiniteElements)
    fixed = discretization.shapes(TIP.relative(DENSITY * start, start))
    xi, w = gauss_legendre(20, fixed.bounds)
    label = q[1] * (1 - xi)  # distance to the tip

    def curvature(at: np.ndarray) -> np.ndarray:
        out, place = at[1], 1 - label / at[1]
        moving: BeamModes = clamped_modes(2, TIP.relative(DENSITY * out, out))
        amplitudes = np.where([elements and i % 2 == 1 for i in range(len(at) - 2)], out, 1.0) * at[2:]
        # Of a polynomial on each element, also where a particle has crossed a node by the small step.
        values = fixed.derivative(place, 2) if shapes == "fixed" else moving.derivative(place, 2)
        return amplitudes @ values / out**2

    step = 1e-5
    rate = (curvature(q + step * v) - curvature(q - step * v)) / (2 * step)
    return float(q[1] * w @ rate**2)


@pytest.mark.parametrize(
    ("shapes", "discretization"), [("fixed", MODES), ("fixed", fb.FiniteElements(2)), ("ode", MODES)], ids=str
)
def test_the_material_dissipates_by_the_strain_of_particles(shapes: str, discretization: fb.Discretization) -> None:
    """tau EI times the integral of the squared rate of curvature, while the beam slides, bends and turns."""
    time, start, rng = 1e-3, 0.5, np.random.default_rng(3)
    damped, free = (
        fb.assemble(arm(shapes, start, discretization, **kw)) for kw in ({"damping_time": time}, {"damping": 0.0})
    )
    n = free.tree.size
    for out in (0.35, 1.1):
        q, v = 0.05 * rng.normal(size=n), rng.normal(size=n)
        q[1] = out
        beta = [] if shapes == "fixed" else clamped_modes(2, TIP.relative(DENSITY * out, out)).b
        x = np.concatenate([q, v, beta])
        rates = [dae.forward_dynamics(x, [0, 0], []).full().ravel() for dae in (damped, free)]
        change = (rates[0] - rates[1])[n : 2 * n]
        M = free.mass_matrix(q, [], *([beta] if len(beta) else [])).full()
        dissipated = -float(v @ M @ change)
        expected = time * RIGIDITY * followed(shapes, discretization, q, v, start)
        assert dissipated == pytest.approx(expected, rel=1e-6)


@pytest.mark.slow
def test_energy_is_balanced_while_it_slides() -> None:
    """What its drive puts in and the arm does not keep is what the material dissipates, by Simpson's rule."""
    time, start = 1e-3, 0.5
    dae = fb.assemble(arm("ode", start, damping_time=time))
    moving = {"beam.bending_y[1]": 0.02, "der(joint.angle)": 1.0, "der(beam.displacement)": 2.0}
    run = fb.simulate(dae, np.linspace(0, 0.2, 201), {"push.force": 1.0}, moving)
    assert np.ptp(run["beam.displacement"]) > 0.3
    n = dae.tree.size
    power = [time * RIGIDITY * followed("ode", MODES, x[:n], x[n : 2 * n], start) for x in run.x]
    pushed = run["beam.displacement"][-1] - start
    lost = pushed - (run.energy[-1, :2].sum() - run.energy[0, :2].sum())
    assert lost == pytest.approx(simpson(power, x=run.t), rel=1e-4)


def test_two_kinds_of_damping_are_refused() -> None:
    with pytest.raises(fb.errors.ParameterError, match="set one of the two"):
        arm("fixed", 0.5, damping_ratio=0.1, damping_time=1e-3)


def test_damping_is_chosen_for_an_arm_that_slides() -> None:
    """`choose_damping` finds the ratio of the beam by which the mode of the arm has the requested one."""
    choice = fb.choose_damping(arm("ode", 0.6), 0.01, by="damping_time", modes=1)
    mode = fb.linearize(fb.assemble(choice.model)).modes()[choice.chosen[0]]
    assert -mode.eigenvalue.real / abs(mode.eigenvalue) == pytest.approx(0.01, rel=1e-6)
