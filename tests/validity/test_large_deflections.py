"""The warning where a beam leaves the range of linear theory: what it says is what the elastica says."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import flexblocks as fb
from arms.fidelities import cantilever
from flexblocks import optim
from flexblocks.errors import FlexblocksWarning, LargeDeflectionWarning
from flexblocks.validity.deflection_error import deflection_errors

LINEAR = [fb.AssumedModes(2, tip="free"), fb.FiniteElements(2)]


def elastica(load: float) -> float:
    """Return the deflection of the tip, in lengths, under a transverse end force P l^2/(EI)."""

    def end(curvature: float) -> np.ndarray:
        run = solve_ivp(
            lambda _, y: [y[1], -load * np.cos(y[0]), np.sin(y[0])], (0, 1), [0.0, curvature, 0.0], rtol=1e-9
        )
        return run.y[:, -1]

    return float(end(brentq(lambda k: end(k)[1], 0.0, load))[2])


def loaded(kind, load: float, length: float = 1.0, **options: object) -> fb.DAE:
    """Return a cantilever under an end force of `load` EI/l^2, its own mass 1e-4 of that of the load."""
    beam = fb.FlexibleBeam("beam", length, 1e-4 / length, length**2, kind, **options)
    return fb.assemble(cantilever(beam, fb.LumpedMass("load", 1.0), gravity=(0.0, -load, 0.0)))


def quietly(dae: fb.DAE) -> fb.OperatingPoint:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexblocksWarning)
        return fb.equilibrium(dae)


@pytest.mark.parametrize("kind", LINEAR, ids=str)
@pytest.mark.parametrize("load", [0.25, 0.5, 1.0])
def test_expects_the_error_against_the_elastica(kind, load: float) -> None:
    """P l^3/(3 EI) against the elastica: 0.7, 2.8 and 10.5 %."""
    dae = loaded(kind, load)
    point = quietly(dae)
    (error,) = deflection_errors(dae, point.x[None], point.z[None], point.u[None], point.p, at_rest=True)
    assert error.deflection == pytest.approx(load / 3, rel=0.02)
    assert error.error == pytest.approx((load / 3) / elastica(load) - 1, rel=0.3)


@pytest.mark.parametrize("length", [0.02, 40.0])
@pytest.mark.parametrize("kind", LINEAR, ids=str)
def test_equilibrium_and_linearize_warn_once_and_say_what_holds(kind, length: float) -> None:
    """A tip that deflects by 1.7 lengths, of beams of centimetres and of tens of metres."""
    dae = loaded(kind, 5.0, length)
    with pytest.warns(FlexblocksWarning, match=r"'beam' deflects by 1\.?7\d* ?%|1.7e\+02 %") as seen:
        point = fb.equilibrium(dae)
    assert len(seen) == 1
    assert "StrainModes(n) holds" in str(seen[0].message)
    assert seen[0].filename == __file__
    for at in (None, point):
        with pytest.warns(FlexblocksWarning, match="linearize: FlexibleBeam 'beam' deflects by") as seen:
            fb.linearize(dae, at=at)
        assert len(seen) == 1


@pytest.mark.parametrize("kind", [*LINEAR, fb.RigidSegments(3), fb.StrainModes(2)], ids=str)
def test_small_deflections_need_no_warning(kind) -> None:
    dae = loaded(kind, 0.3)
    fb.linearize(dae, at=fb.equilibrium(dae))


def test_what_holds_at_any_deflection_needs_none() -> None:
    for kind in (fb.RigidSegments(4), fb.StrainModes(2)):
        fb.equilibrium(loaded(kind, 2.0))


@cache
def pendulum(rigidity: float, kind=LINEAR[0], **options: object) -> fb.DAE:
    model = fb.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 0.2, rigidity, kind, **options))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.LumpedMass("load", 0.2)).frame_a)
    return fb.assemble(model)


def test_a_pull_that_a_falling_pendulum_leaves_out_counts() -> None:
    """At under 3 % of the length; with stiffening, which counts it, the same fall needs no warning."""
    times = np.linspace(0.0, 0.6, 61)
    with pytest.warns(FlexblocksWarning, match=r"simulate: 'pendulum': .* stiffening=True counts it") as seen:
        run = fb.simulate(pendulum(5.0), times, rtol=1e-6, atol=1e-8)
    assert len(seen) == 1
    assert np.abs(run["beam.tip_deflection_y"]).max() < 0.03
    fb.simulate(pendulum(5.0, stiffening=True), times, rtol=1e-6, atol=1e-8)
    fb.simulate(pendulum(500.0), times, rtol=1e-6, atol=1e-8)


def test_a_boom_that_falls_by_its_own_weight_counts() -> None:
    """30 m, 2.4 % of the length: against strain functions the slow part is off by 22 % of that, the whole by 87 %."""
    model = fb.Model("boom", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    beam = model.add(fb.FlexibleBeam("beam", 30.0, 120.0, 4e7, fb.FiniteElements(2)))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.LumpedMass("load", 500.0)).frame_a)
    with pytest.warns(LargeDeflectionWarning, match=r"is off by about 1\d % of .* what a pull"):
        fb.simulate(fb.assemble(model), np.linspace(0.0, 3.0, 61), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("pull", [8.0, -0.8])
def test_expects_what_a_pull_does_to_a_beam(pull: float) -> None:
    """The deflection of a cantilever under (P, F) by its closed form, tan or tanh, against F l^3/(3 EI)."""
    push = 0.1
    beam = fb.FlexibleBeam("beam", 1.0, 1e-4, 1.0, fb.FiniteElements(3))
    dae = fb.assemble(cantilever(beam, fb.LumpedMass("load", 1.0), gravity=(pull, push, 0.0)))
    point = quietly(dae)
    (error,) = deflection_errors(dae, point.x[None], point.z[None], point.u[None], point.p, at_rest=True)
    k = np.sqrt(complex(pull))
    bent = (push / pull * (1 - np.tanh(k) / k)).real
    # To the first order of the pull: what linear theory misses, relative to what it has or to what is true.
    found, true = push / 3, bent
    low, high = sorted([abs(found - true) / found, abs(found - true) / true])
    assert 0.9 * low < error.by_pull < 1.1 * max(high, abs(pull) * 0.4)


def test_replay_warns_once_and_plans_do_not() -> None:
    model = fb.Model("lash")
    ground, motor, joint = (model.add(b) for b in (fb.Ground("g"), fb.TorqueSource("motor"), fb.Revolute("joint")))
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 0.1, 1.0, fb.AssumedModes(1, tip="auto")))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.LumpedMass("load", 0.5)).frame_a)
    dae = fb.assemble(model)
    plan = optim.plan(dae, optim.RestToRest({"joint.angle": 0.0}, {"joint.angle": 1.5}, 1.0), intervals=12)
    assert np.abs(plan.trajectory["beam.tip_deflection_y"]).max() > 0.3
    with pytest.warns(FlexblocksWarning, match="replay: FlexibleBeam 'beam' deflects by") as seen:
        plan.replay()
    assert len(seen) == 1


def test_costs_nothing_where_deflections_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """No forces along beams are derived then."""
    from flexblocks.validity import pulls

    monkeypatch.setattr(pulls, "internal_forces", None)
    fb.simulate(pendulum(500.0), np.linspace(0.0, 0.1, 11), rtol=1e-6, atol=1e-8)


def test_a_sliding_beam_is_measured_by_what_is_out() -> None:
    beam = fb.SlidingBeam("beam", 2.0, 0.1, 1.0, fb.FiniteElements(1), start=0.5)
    model = fb.Model("slide", gravity=(0.0, -9.81, 0.0))
    model.add(beam)
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    dae = fb.assemble(model)
    x = dae.x.start[None].copy()
    for out, slope in ((0.5, 0.3), (1.5, 0.3)):
        x[0, dae.x.index("beam.displacement")] = out
        x[0, dae.x.index("beam.deflection_y[1]")] = 0.2 * out
        x[0, dae.x.index("beam.slope_y[1]")] = slope
        (error,) = deflection_errors(dae, x, np.zeros((1, 0)), np.zeros((1, 0)), dae.p.start)
        assert error.deflection == pytest.approx(0.2, rel=1e-12)
        assert error.slope >= 0.3


def test_a_locked_slide_is_as_long_as_it_is_out() -> None:
    """Its deflections were NaN, which is no number above a limit, so that nothing was said."""
    model = fb.Model("telescope", gravity=(0.0, -9.81, 0.0))
    boom = model.add(fb.SlidingBeam("boom", 1.5, 1e-3, 9.81, fb.FiniteElements(2), start=1.0))
    model.connect(model.add(fb.Ground("ground")).frame_b, boom.frame_a)
    model.connect(boom.frame_b, model.add(fb.LumpedMass("load", 1.0)).frame_a)
    dae = fb.assemble(model, locked={"boom.displacement": 1.0})
    with pytest.warns(LargeDeflectionWarning) as seen:
        fb.equilibrium(dae)
    assert [str(each.message) for each in seen] == [
        "equilibrium: SlidingBeam 'boom' deflects by 33 % of its length (slope 0.5 rad), where FiniteElements(n=2) is "
        "off by about 11 % of the deflection: it is made for small ones. A FlexibleBeam with StrainModes(n) holds at "
        "any deflection.\n"
        "(https://github.com/flexblocks/flexblocks/blob/main/docs/troubleshooting.md#large-deflections)"
    ]


def test_a_batch_tells_of_the_runs_that_alone_would_be_told_of() -> None:
    dae = loaded(fb.AssumedModes(2, tip="free"), 0.0)
    starts = [1e-3, 0.2, 1e-3, 0.5]
    alone = []
    for start in starts:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            fb.simulate(dae, (0.0, 0.5), x0={"beam.bending_y[1]": start})
        alone += [str(warning.message).split(": ", 1)[1].split(": ", 1)[1] for warning in told]
    assert len(alone) == 2
    with pytest.warns(LargeDeflectionWarning, match="in 2 runs, the most in run 3: ") as told:
        fb.simulate_batch(dae, (0.0, 0.5), x0={"beam.bending_y[1]": starts})
    assert [str(warning.message).split("run 3: ")[1] for warning in told] == alone[1:]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fb.simulate_batch(dae, (0.0, 0.5), x0={"beam.bending_y[1]": starts[::2]})


def test_a_grid_tells_of_the_point_that_alone_would_be_told_of() -> None:
    """It was silent: its equilibria are found quietly, without a warning."""
    beam = fb.FlexibleBeam("beam", 1.0, 1e-4, 1.0, fb.AssumedModes(1, tip="free"))
    arm = cantilever(beam, fb.LumpedMass("load", 1.0), gravity=(0.0, -1.0, 0.0))
    dae = fb.assemble(arm, symbolic=("load.mass",))
    with pytest.warns(LargeDeflectionWarning) as alone:
        fb.equilibrium(dae, p={"load.mass": 2.0})
    with pytest.warns(
        LargeDeflectionWarning, match=r"linear_grid of .*: at 2 points, the most at load.mass = 2: "
    ) as told:
        fb.linear_grid(dae, {"load.mass": [0.1, 1.6, 2.0]}, outputs="load.y")
    (warning,) = told
    assert str(warning.message).split("= 2: ")[1] == str(alone[0].message).split(": ", 1)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fb.linear_grid(dae, {"load.mass": [0.1, 0.2]}, outputs="load.y")
