"""Implicit methods: order, energy, equal numbers with and without a compiler, events, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.driven import rotor
from arms.one_link import DCMotor, HardeningSpring, joint_arm
from arms.random_linkages import linkage
from flexblocks import control, models
from flexblocks.dae import compiler
from flexblocks.errors import ParameterError

needs_compiler = pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEXBLOCKS_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


def algebraic() -> fb.DAE:
    link = fb.RigidLink("link", length=0.5, mass=0.1)
    return fb.assemble(joint_arm(beam=link, drive=(DCMotor("motor"), HardeningSpring("hard")), start=0.5))


def prescribed() -> fb.DAE:
    return fb.assemble(models.subudhi_morris_2002(modes=1), prescribed="joint2.angle")


ARMS: dict[str, tuple[Callable[[], fb.DAE], dict]] = {
    "two links": (
        lambda: fb.assemble(models.subudhi_morris_2002(modes=1)),
        {"motor1.torque": fb.bang_bang(0.1, 0.2)},
    ),
    "algebraic variable": (algebraic, {"motor.voltage": lambda t: ca.sin(5 * t)}),
    "prescribed": (prescribed, {"joint2.angle": lambda t: 0.2 * ca.sin(4 * t) ** 2}),
    "loop": (lambda: fb.assemble(linkage(1)), {"motor.torque": 0.5}),
    "loop with a first-order state": (lambda: fb.assemble(linkage(0)), {}),
}
TIMES = np.linspace(0.0, 0.5, 26)


def known_inputs(dae: fb.DAE, u: dict) -> dict:
    return {name: value for name, value in u.items() if name in dae.u.names or name in dae.prescribed}


@pytest.mark.parametrize("name", [name for name in ARMS if name != "loop"])
def test_motion_is_that_of_explicit_methods(name: str) -> None:
    make, u = ARMS[name]
    dae = make()
    u = known_inputs(dae, u)
    exact = fb.simulate(dae, TIMES, u=u, rtol=1e-10)
    for options, most in (({"step": 1e-3}, 1e-3), ({"rtol": 1e-7}, 1e-5)):
        run = fb.simulate(dae, TIMES, u=u, method="implicit", **options)
        n = dae.tree.size
        np.testing.assert_allclose(run.x[:, :n], exact.x[:, :n], atol=most * max(1.0, np.max(np.abs(exact.x[:, :n]))))
        np.testing.assert_allclose(run.u, exact.u, atol=1e-12)
    # Outputs are those of the method's own accelerations and loop forces.
    np.testing.assert_allclose(run.y, exact.y, atol=1e-3 * max(1.0, np.max(np.abs(exact.y))))
    np.testing.assert_allclose(run["work"], exact["work"], atol=1e-5 * max(1e-2, np.ptp(exact["work"])))


@needs_compiler
@pytest.mark.parametrize("name", ["algebraic variable", "loop"])
def test_compiled_kernel_gives_the_same_numbers(name: str) -> None:
    make, u = ARMS[name]
    dae = make()
    u, fast = known_inputs(dae, u), dae.compile(strict=True, optimize=False)
    for options in ({"step": 2e-3}, {"rtol": 1e-6}):
        slow, run = (fb.simulate(each, TIMES, u=u, method="implicit", **options) for each in (dae, fast))
        np.testing.assert_allclose(run.x, slow.x, atol=1e-8 * max(1.0, np.max(np.abs(slow.x))))
        np.testing.assert_allclose(run.energy, slow.energy, atol=1e-8 * max(1.0, np.max(np.abs(slow.energy))))
        assert run.dissipated == pytest.approx(slow.dissipated, abs=1e-8)


@needs_compiler
def test_runs_go_on_where_the_compiler_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    dae, _ = pendulum()
    compiled = dae.compile(strict=True, implicit=True)
    monkeypatch.setenv("FLEXBLOCKS_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr(compiler, "find_compiler", lambda: None)
    run = fb.simulate(compiled, TIMES, method="implicit", step=0.01)
    assert "is integrated on CasADi's virtual machine" in caplog.text
    np.testing.assert_array_equal(run.x, fb.simulate(dae, TIMES, method="implicit", step=0.01).x)


def pendulum() -> tuple[fb.DAE, dict]:
    model = joint_arm(beam=fb.RigidLink("link", 1.0, 1.0), start=0.3)
    return fb.assemble(model), {"joint.angle": 0.3}


@pytest.mark.filterwarnings("ignore::flexblocks.errors.FlexblocksWarning")
def test_generalised_alpha_is_of_second_order() -> None:
    dae, _ = pendulum()
    times = np.linspace(0.0, 2.0, 5)
    exact = fb.simulate(dae, times, rtol=1e-11)
    for radius in (0.0, 0.5, 1.0):
        errors = []
        for step in (0.02, 0.01, 0.005):
            run = fb.simulate(dae, times, method="implicit", step=step, spectral_radius=radius)
            errors.append(np.max(np.abs(run.x[:, 0] - exact.x[:, 0])))
        assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
        assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.15)


def test_error_keeps_the_tolerance() -> None:
    dae, _ = pendulum()
    times = np.linspace(0.0, 5.0, 101)
    exact = fb.simulate(dae, times, rtol=1e-12)
    steps = []
    for tolerance in (1e-4, 1e-6, 1e-8):
        run = fb.simulate(dae, times, method="implicit", rtol=tolerance)
        assert np.max(np.abs(run.x[:, 0] - exact.x[:, 0])) < 10 * tolerance
        assert abs(run.dissipated) < 10 * tolerance * np.ptp(run["potential_energy"])
        steps.append(run)


def test_radius_one_keeps_energy_and_zero_damps_what_steps_do_not_resolve() -> None:
    model = fb.Model("stiff")
    hinge, spring = fb.Revolute("hinge", start=0.01), fb.TorsionalSpring("spring", stiffness=1e4)
    ground = model.add(fb.Ground("ground"))
    model.connect(ground.frame_b, model.add(hinge).frame_a)
    link = model.add(fb.RigidLink("link", 1.0, 3.0))
    model.connect(model.add(fb.Fixed("anchor")).flange_b, model.add(spring).flange_a)
    model.connect(spring.flange_b, hinge.axis)
    model.connect(hinge.frame_b, link.frame_a)
    dae = fb.assemble(model)
    energy = 0.5 * 1e4 * 0.01**2
    # 100 rad/s at steps of 50 ms.
    kept = fb.simulate(dae, (0.0, 2.0), method="implicit", step=0.05, spectral_radius=1.0)
    assert abs(kept.dissipated) < 0.01 * energy
    with pytest.warns(fb.errors.FlexblocksWarning, match="took 0.5 J out of vibrations"):
        lost = fb.simulate(dae, (0.0, 2.0), method="implicit", step=0.05, spectral_radius=0.0)
    assert lost.dissipated == pytest.approx(energy, rel=0.01)
    # All that is requested is resolved.
    resolved = fb.simulate(dae, (0.0, 0.5), highest=100.0 / (2 * np.pi), spectral_radius=1.0)
    assert np.min(resolved["hinge.angle"]) < -0.0099


def test_jumps_of_inputs_are_met_exactly() -> None:
    dae = rotor()
    inertia = float(dae.mass_matrix([0.0], [])[0, 0])
    run = fb.simulate(
        dae, np.linspace(0.0, 1.0, 21), u={dae.u.names[0]: fb.bang_bang(0.2, 0.333)}, method="implicit", step=0.1
    )
    t = np.minimum(run.t, 0.333)
    expected = 0.1 * t**2 - 0.1 * np.maximum(run.t - 0.333, 0) ** 2 + 0.2 * 0.333 * np.maximum(run.t - 0.333, 0)
    before = run.t <= 0.666
    np.testing.assert_allclose(run.x[before, 0], (expected / inertia)[before], rtol=1e-9, atol=1e-12)


def test_sampled_loops_tick_as_with_other_methods() -> None:
    dae = fb.assemble(models.subudhi_morris_2002(modes=1))
    loops = {"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}
    law = control.Sampled(control.PD(loops, kp=2.0, kd=0.2), sample_time=0.02, delay=0.005)
    closed = control.close_loop(dae, law)
    u = {"reference.joint1.angle": 0.3, "der(reference.joint1.angle)": 0.0}
    exact = fb.simulate(closed, TIMES, u=u, rtol=1e-10)
    run = fb.simulate(closed, TIMES, u=u, method="implicit", rtol=1e-7)
    assert np.max(np.abs(exact.x)) > 0.01
    np.testing.assert_allclose(run.x, exact.x, atol=1e-3 * np.max(np.abs(exact.x)))


def test_attitudes_change_their_chart() -> None:
    model = fb.Model("satellite")
    base, body = fb.FreeMotion("base"), fb.RigidBody("body", 2.0, np.diag([0.1, 0.2, 0.3]), (0.0, 0.0, 0.0))
    ground = model.add(fb.Ground("ground"))
    model.connect(ground.frame_b, model.add(base).frame_a)
    model.connect(base.frame_b, model.add(body).frame_a)
    dae = fb.assemble(model).with_outputs(("body.rotation_xx", "body.rotation_yz"))
    spin = {"der(base.rotation_x)": 2.0, "der(base.rotation_y)": 1.0}
    times = np.linspace(0.0, 4.0, 41)
    exact, run = (
        fb.simulate(dae, times, x0=spin, **more) for more in ({"rtol": 1e-10}, {"method": "implicit", "rtol": 1e-7})
    )
    assert np.ptp(exact["body.rotation_xx"]) > 0.9
    for name in ("body.rotation_xx", "body.rotation_yz"):
        np.testing.assert_allclose(run[name], exact[name], atol=1e-5)


def test_batches_are_runs_one_by_one() -> None:
    dae, _ = pendulum()
    starts, times = [0.1, 0.5, 1.0], np.linspace(0.0, 0.5, 6)
    runs = fb.simulate_batch(dae, times, x0={"joint.angle": starts}, method="implicit", step=5e-3, threads=2)
    for i, start in enumerate(starts):
        run = fb.simulate(dae, times, x0={"joint.angle": start}, method="implicit", step=5e-3)
        np.testing.assert_array_equal(runs["joint.angle"].isel(run=i), run["joint.angle"])


def test_a_budget_ends_a_run() -> None:
    dae, _ = pendulum()
    with pytest.raises(fb.SimulationError, match="budget is spent") as caught:
        fb.simulate(dae, (0.0, 10.0), method="implicit", step=1e-3, max_steps=50)
    assert 0.0 < caught.value.time < 10.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "implicit", "step": -1.0}, "step = -1.0; must be a number > 0"),
        ({"method": "implicit", "step": 1e-3, "highest": 5.0}, "give one of them"),
        ({"method": "implicit", "spectral_radius": 1.5}, "spectral_radius = 1.5"),
        ({"method": "rk8", "highest": 5.0}, "belongs to method 'implicit'"),
        ({"slow_start": True}, "belongs to method 'implicit'"),
    ],
)
def test_bad_options_are_refused(options: dict, words: str) -> None:
    dae, _ = pendulum()
    with pytest.raises(ParameterError, match=words):
        fb.simulate(dae, (0.0, 1.0), **options)
