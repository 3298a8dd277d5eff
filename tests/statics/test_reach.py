"""Equilibria within the reach of sliding beams, and refusals beyond it."""

from __future__ import annotations

import dataclasses
import warnings
from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize

import flexblocks as fb
from flexblocks.errors import FlexblocksError, FlexblocksWarning, ParameterError
from flexblocks.statics.equilibrium import NoEquilibriumError

LENGTH = 0.8
SHAPES = (fb.AssumedModes(2, tip=fb.TipBody(0.4, 0.02, 0.03)), fb.FiniteElements(2), fb.Rigid())


@cache
def slide(
    discretization: fb.beam.discretization.Discretization = SHAPES[0],
    gravity: tuple[float, float, float] = (-9.81, -5.0, 0.0),
    size: float = 1.0,
    start: float | None = None,
    motor: bool = True,
    follow: str = "fixed",
) -> fb.DAE:
    """A beam of 0.8 m times `size` that slides out of the ground along x and carries 2 kg times its cube."""
    model = fb.Model("slide", gravity=gravity)
    beam = fb.SlidingBeam(
        "link", LENGTH * size, 1.2 * size**2, 6.0 * size**5, discretization, shapes=follow, start=start
    )
    load = fb.Payload("load", 2.0 * size**3, 0.05 * size**5)
    model.connect(model.add(fb.Ground("ground")).frame_b, model.add(beam).frame_a)
    model.connect(beam.frame_b, model.add(load).frame_a)
    if motor:
        model.connect(model.add(fb.ForceSource("motor")).flange_b, beam.axis)
    return fb.assemble(model)


@pytest.mark.parametrize("size", [0.02, 20.0])
@pytest.mark.parametrize("discretization", SHAPES, ids=lambda shapes: type(shapes).__name__)
def test_a_slide_stays_within_its_reach(discretization, size: float) -> None:
    """Held by the force that is the slope of the energy, with the beam bent to its least energy, by SciPy."""
    dae = slide(discretization, size=size)
    point = fb.equilibrium(dae)
    out = point["link.displacement"]
    assert 0.1 * LENGTH * size < out < 0.9 * LENGTH * size  # it started half way out
    n = dae.tree.size
    bent = [i for i in range(n) if dae.q_names[i] != "link.displacement"]
    unit = 10.0 * size**4  # J

    def energy(extension: float) -> float:
        def potential(bending: np.ndarray) -> float:
            x = np.zeros(2 * n)
            x[dae.q_names.index("link.displacement")] = extension
            x[bent] = bending * scale
            return float(dae.energy(x, [])[1]) / unit

        scale = np.abs(point.x[bent]) + 1e-3 * size
        if not bent:
            return potential(np.zeros(0))
        return minimize(potential, point.x[bent] / scale, options={"gtol": 1e-10}).fun

    step = 1e-3 * size
    slope = (energy(out + step) - energy(out - step)) / (2 * step) * unit
    assert point["motor.force"] == pytest.approx(slope, rel=1e-4)
    assert fb.linearize(dae, point).A.shape == (2 * n, 2 * n)


def test_a_slide_that_nothing_holds_has_no_equilibrium() -> None:
    """It slides out along gravity, or in against it, however far: the refusal names the slide and its range."""
    for gravity in ((9.81, 0.0, 0.0), (-9.81, 0.0, 0.0)):
        with pytest.raises(NoEquilibriumError, match=r"N at 'link.displacement'.* between 0 and 0.8 m"):
            fb.equilibrium(slide(SHAPES[1], gravity=gravity, motor=False))


def test_random_slides_are_held_within_their_reach_or_refused() -> None:
    rng, refused = np.random.default_rng(5), 0
    for _ in range(6):
        size = 10 ** rng.uniform(-2, 1.5)
        shapes = SHAPES[rng.integers(3)]
        dae = slide(shapes, (*rng.uniform(-10, 10, 2), 0.0), size, start=LENGTH * size * rng.uniform(0.05, 1))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FlexblocksWarning)
                point = fb.equilibrium(dae)
        except FlexblocksError:
            refused += 1
            continue
        assert 0 <= point["link.displacement"] <= LENGTH * size
        rates = dae.forward_dynamics(point.x, point.u, []).full().ravel()
        assert np.max(np.abs(rates)) < 1e-6
    assert refused == 0


def test_a_beam_may_start_all_the_way_out() -> None:
    dae = slide(start=LENGTH)
    assert fb.equilibrium(dae, x={"link.displacement": LENGTH})["link.displacement"] == LENGTH


def test_points_beyond_the_reach_are_refused() -> None:
    dae = slide()
    point = fb.equilibrium(dae)
    beyond = dataclasses.replace(point, x=point.x + np.where(np.array(dae.x.names) == "link.displacement", 3.0, 0.0))
    for refused in (
        lambda: fb.equilibrium(dae, x={"link.displacement": -0.1}),
        lambda: fb.linearize(dae, {"link.displacement": 0.9}),
        lambda: fb.linearize(dae, beyond),
    ):
        with pytest.raises(ParameterError, match=r"link.displacement = .* m; must be between 0 and 0.8 m"):
            refused()


def test_states_that_follow_the_extension_do_so_in_linear_models() -> None:
    """Frequency parameters of the shapes, at another extension than the start's."""
    shapes = fb.AssumedModes(1, tip=fb.TipBody(0.4, 0.02, 0.03))
    dae = slide(shapes, gravity=(0.0, 0.0, 0.0), follow="ode")
    lin = fb.linearize(dae, {"link.displacement": 0.7})
    assert lin.operating_point["link.beta[1]"] != pytest.approx(dae.x.start[dae.x.index("link.beta[1]")], rel=0.1)
    rest = fb.linearize(dae, fb.equilibrium(dae, x={"link.displacement": 0.7}))
    np.testing.assert_allclose(lin.operating_point.x, rest.operating_point.x, atol=1e-12)
    np.testing.assert_allclose(lin.A, rest.A, atol=1e-9 * np.max(np.abs(rest.A)))
