"""FMUs run in another program as the arm runs here: both versions, both kinds, sources compiled elsewhere."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.build import build_platform_binary

import flexblocks as fb
from arms.fmu_arms import INPUT, KINDS, VERSIONS, algebraic, dae, exported
from arms.fmu_instance import Fmu
from flexblocks import export
from flexblocks.dae import compiler

pytestmark = pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")

ARMS = ("paper", "algebraic")
NEWEST = tuple(pytest.param(name, "3.0", marks=pytest.mark.slow) for name in ("sliding", "linkage", "forces"))
SAMPLES = np.linspace(0.0, 0.5, 51)


def pulses(name: str) -> tuple[fb.Signal, np.ndarray]:
    """An input that jumps, for flexblocks and for FMPy."""
    variable, size = INPUT[name]
    signal = fb.piecewise_constant([0.0, 0.2, 0.4], [size, -size, 0.0])
    corners = [(0.0, size), (0.2, size), (0.2, -size), (0.4, -size), (0.4, 0.0), (0.5, 0.0)]
    return signal, np.array(corners, dtype=[("time", float), (variable, float)])


def simulated(path: str, kind: str, given: np.ndarray, names: tuple[str, ...], **options: object) -> np.ndarray:
    return fmpy.simulate_fmu(
        path,
        fmi_type=kind,
        stop_time=0.5,
        output_interval=0.01,
        input=given,
        output=names,
        record_events=False,
        **{"relative_tolerance": 1e-11, **options},
    )


def largest_difference(found: np.ndarray, expected: fb.Trajectory, names: tuple[str, ...]) -> float:
    assert np.array_equal(np.round(found["time"], 9), np.round(expected.t, 9))
    # Where an input jumps, outputs that follow it at once are those before the jump or those after it.
    jumps = np.isin(np.round(expected.t, 9), (0.2, 0.4))
    kept = {name: ~jumps if name.startswith(("elbow.loop", "ram.power")) else slice(None) for name in names}
    # Relative to what is large: pressures are in Pa.
    sizes = {name: max(1.0, float(np.max(np.abs(expected[name])))) for name in names}
    return max(float(np.max(np.abs(found[name] - expected[name])[kept[name]])) / sizes[name] for name in names)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "version"), [*zip(ARMS, VERSIONS, strict=True), *NEWEST])
def test_fmpy_computes_the_motion_that_simulate_computes(name: str, version: str, kind: str) -> None:
    arm = dae(name)
    signal, corners = pulses(name)
    expected = fb.simulate(arm, SAMPLES, u={INPUT[name][0]: signal}, rtol=1e-11, atol=1e-13)
    names = (*arm.x.names, *arm.y.names)
    found = simulated(exported(name, version), kind, corners, (*names, *arm.z.names))
    assert max(np.ptp(expected[coordinate]) for coordinate in arm.q_names) > 0.05
    assert largest_difference(found, expected, names) < 1e-6
    for variable in arm.z.names if name == "algebraic" else ():
        residual = expected["joint.angle"] - 0.1 * found[variable] - 0.01 * found[variable] ** 3
        assert np.max(np.abs(residual)) < 1e-7


@pytest.mark.parametrize("version", VERSIONS)
def test_an_importer_that_integrates_gets_the_rates_of_forward_dynamics(version: str) -> None:
    arm = dae("paper")
    rng = np.random.default_rng(5)
    with Fmu(exported("paper", version), "ModelExchange") as fmu:
        fmu.set({"payload.mass": 0.3})
        fmu.initialize()
        fmu.begin()
        for _ in range(3):
            x, u = 0.3 * rng.standard_normal(len(arm.x)), rng.standard_normal(len(arm.u))
            fmu.set(dict(zip(arm.u.names, u, strict=True)))
            fmu.set_states(x)
            expected = arm.forward_dynamics(x, u, [0.3]).full().ravel()
            assert np.allclose(fmu.rates(), expected, rtol=1e-13, atol=1e-13 * np.max(np.abs(expected)))
            outputs = arm.output(x, u, [0.3]).full().ravel()
            assert np.allclose([fmu.get(name) for name in arm.y.names], outputs, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_default_tolerance_of_cosimulation_holds_simulate_to_1e_6(version: str) -> None:
    arm = dae("paper")
    signal, corners = pulses("paper")
    expected = fb.simulate(arm, SAMPLES, u={"motor1.torque": signal}, rtol=1e-11, atol=1e-13)
    names = (*arm.x.names, *arm.y.names)
    found = simulated(exported("paper", version), "CoSimulation", corners, names, relative_tolerance=None)
    assert largest_difference(found, expected, names) < 1e-6


@pytest.mark.parametrize("version", VERSIONS)
def test_start_values_and_parameters_can_be_set(version: str) -> None:
    arm = dae("paper")
    start = {"joint2.angle": 0.4, "rotor2.angle": 0.4, "der(joint1.angle)": 0.5, "der(rotor1.angle)": 0.5}
    expected = fb.simulate(arm, SAMPLES, x0=start, p={"payload.mass": 0.25}, rtol=1e-11, atol=1e-13)
    given = {**start, "payload.mass": 0.25}
    found = simulated(exported("paper", version), "CoSimulation", None, arm.x.names, start_values=given)
    assert largest_difference(found, expected, arm.x.names) < 1e-6
    lighter = fb.simulate(arm, SAMPLES, x0=start)
    assert largest_difference(found, lighter, arm.q_names) > 1e-2


def test_inputs_change_linearly_where_their_derivatives_are_set() -> None:
    arm = dae("paper")
    times = np.linspace(0.0, 0.5, 26)
    values = 0.2 * np.sin(2 * np.pi * times)
    expected = fb.simulate(arm, times, u={"motor1.torque": (times, values)}, rtol=1e-11, atol=1e-13)
    for slopes, least, most in ((True, 0.0, 1e-6), (False, 1e-4, 1.0)):
        with Fmu(exported("paper", "2.0"), "CoSimulation") as fmu:
            fmu.initialize()
            for k in range(len(times) - 1):
                length = times[k + 1] - times[k]
                fmu.set({"motor1.torque": values[k]})
                if slopes:
                    fmu.set_slope("motor1.torque", (values[k + 1] - values[k]) / length)
                fmu.step(times[k], length)
            difference = max(abs(fmu.get(name) - expected[name][-1]) for name in arm.x.names)
            assert least <= difference < most
            assert fmu.get("motor1.torque") == pytest.approx(values[-1 if slopes else -2], abs=1e-15)


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake, with which FMPy compiles")
@pytest.mark.parametrize("version", [pytest.param(VERSIONS[0], marks=pytest.mark.slow), *VERSIONS[1:]])
def test_sources_compile_elsewhere(version: str, tmp_path: Path) -> None:
    path = export.fmu(dae("algebraic"), tmp_path / "sources only.fmu", version, binary=False)
    with zipfile.ZipFile(path) as archive:
        assert not [name for name in archive.namelist() if name.startswith("binaries/")]
    folder = fmpy.extract(path, tmp_path / "extracted")
    build_platform_binary(folder)
    variable, size = INPUT["algebraic"]
    corners = np.array([(0.0, size), (0.5, size)], dtype=[("time", float), (variable, float)])
    expected = fb.simulate(dae("algebraic"), SAMPLES, u={variable: size}, rtol=1e-11, atol=1e-13)
    found = simulated(str(folder), "CoSimulation", corners, expected.names["x"])
    assert largest_difference(found, expected, expected.names["x"]) < 1e-6


@pytest.mark.parametrize("version", VERSIONS)
def test_hand_written_c_has_no_warnings(version: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(exported("algebraic", version)) as archive:
        archive.extractall(tmp_path)
    # These two hold the code that CasADi wrote.
    sources = [
        str(path) for path in (tmp_path / "sources").glob("*.c") if path.name not in ("equations.c", "sensitivities.c")
    ]
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only"]
    run = subprocess.run([compiler.find_compiler(), *flags, *sources], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ARMS)
def test_directional_derivatives_are_those_of_linearize(name: str, version: str, kind: str) -> None:
    arm = dae(name)
    rng = np.random.default_rng(3)
    x, u = arm.x.start + 0.1 * rng.standard_normal(len(arm.x)), 0.1 * rng.standard_normal(len(arm.u))
    with pytest.warns(fb.errors.FlexblocksWarning, match="not an equilibrium"):
        lin = fb.linearize(arm, {"x": x, "u": u})
    with Fmu(exported(name, version), kind) as fmu:
        fmu.set(dict(zip((*arm.x.names, *arm.u.names), (*x, *u), strict=True)))
        fmu.initialize()
        rates = fmu.names_of_rates()
        A, B = fmu.jacobian(rates, arm.x.names), fmu.jacobian(rates, arm.u.names)
        C, D = fmu.jacobian(arm.y.names, arm.x.names), fmu.jacobian(arm.y.names, arm.u.names)
        for found, expected in ((A, lin.A), (B, lin.B), (C, lin.C), (D, lin.D)):
            assert np.allclose(found, expected, rtol=1e-9, atol=1e-9 * max(1.0, np.max(np.abs(expected), initial=0)))
        if version == "3.0":
            weights = rng.standard_normal(len(rates) + len(arm.y))
            found = fmu.adjoint((*rates, *arm.y.names), (*arm.x.names, *arm.u.names), weights)
            expected = weights @ np.block([[lin.A, lin.B], [lin.C, lin.D]])
            assert np.allclose(found, expected, rtol=1e-9, atol=1e-9 * np.max(np.abs(expected)))


@pytest.mark.parametrize("version", VERSIONS)
def test_derivatives_by_a_parameter_and_of_an_algebraic_variable(version: str) -> None:
    with Fmu(exported("algebraic", version), "CoSimulation") as fmu:
        fmu.set({"joint.angle": 0.3})
        fmu.initialize()
        torque = fmu.get("hard.torque")
        assert 0.1 * torque + 0.01 * torque**3 == pytest.approx(0.3, abs=1e-14)
        assert fmu.jacobian(("hard.torque",), ("joint.angle",)).item() == pytest.approx(
            1 / (0.1 + 0.03 * torque**2), rel=1e-12
        )
        slope = fmu.jacobian(("der(joint.angle,2)",), ("link.mass",)).item()
        step, mass = 1e-6, fmu.get("link.mass")
        ends = []
        for change in (step, -step):
            fmu.set({"link.mass": mass + change})
            ends.append(fmu.get("der(joint.angle,2)"))
        assert slope == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-7)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_saved_state_goes_on_as_if_nothing_had_been(version: str) -> None:
    arm = dae("paper")
    with Fmu(exported("paper", version), "CoSimulation") as fmu:
        fmu.initialize()
        fmu.set({"motor1.torque": 0.3})
        fmu.step(0.0, 0.1)
        saved = fmu.save()
        as_bytes = fmu.serialize(saved)
        fmu.step(0.1, 0.1)
        first = [fmu.get(name) for name in (*arm.x.names, *arm.y.names)]
        fmu.restore(saved)
        fmu.set({"motor1.torque": -0.5})
        fmu.step(0.1, 0.1)
        assert fmu.get("joint1.angle") != first[0]
        fmu.restore(fmu.deserialize(as_bytes))
        assert fmu.get("motor1.torque") == 0.3
        fmu.step(0.1, 0.1)
        assert [fmu.get(name) for name in (*arm.x.names, *arm.y.names)] == first
        fmu.reset()
        assert fmu.get("motor1.torque") == 0.0
        assert fmu.get("joint1.angle") == 0.0


def test_the_same_dae_gives_the_same_sources(tmp_path: Path) -> None:
    def content(path: Path) -> dict[str, bytes]:
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    first = export.fmu(algebraic(), tmp_path / "arm.fmu", binary=False)
    kept, bytes_kept = content(first), first.read_bytes()
    second = export.fmu(algebraic(), tmp_path / "arm.fmu", binary=False)
    assert content(second) == kept
    assert second.read_bytes() == bytes_kept
    assert [p.name for p in tmp_path.iterdir()] == ["arm.fmu"]
