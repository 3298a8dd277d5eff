"""Closed loops are exported like every other DAE."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu

import flexblocks as fb
from arms.driven import upright_arm
from arms.fmu_arms import KINDS, VERSIONS
from flexblocks import control, export
from flexblocks.control.saturation import with_saturated_inputs
from flexblocks.dae import compiler


@cache
def closed_loop() -> fb.DAE:
    """A flexible arm held up by PID control with limited torques: states of the law, a clamp, references as inputs."""
    loops = {"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}
    law = control.PID(loops, kp=[60.0, 20.0], ki=[40.0, 10.0], kd=[6.0, 1.0])
    return control.close_loop(upright_arm(damping=0.01, limit=8.0), law)


@pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("version", VERSIONS[:1])
def test_a_closed_loop_runs_in_fmpy_as_in_simulate(version: str, tmp_path: Path) -> None:
    dae = closed_loop()
    path = str(export.fmu(dae, tmp_path / "loop.fmu", version))
    assert validate_fmu(path) == []
    reference = "reference.joint1.angle"
    corners = [(0.0, 0.0), (0.1, 0.0), (0.1, 0.5), (0.25, 0.5)]
    given = np.array(corners, dtype=[("time", float), (reference, float)])
    step = fb.piecewise_constant([0.0, 0.1], [0.0, 0.5])
    expected = fb.simulate(dae, np.linspace(0, 0.25, 126), u={reference: step}, rtol=1e-11, atol=1e-13)
    assert np.max(np.abs(expected["command.motor1.torque"])) > 8.0  # more is requested than there is
    names = [*dae.x.names, *dae.y.names]
    for kind in KINDS:
        # FMPy's CVODE makes at most 500 steps between two outputs: after the jump 1e-11 takes a few more than that.
        found = fmpy.simulate_fmu(
            path, fmi_type=kind, stop_time=0.25, output_interval=0.002, input=given, output=names,
            record_events=False, relative_tolerance=1e-10,
        )  # fmt: skip
        # At the instant of the step outputs are those before it or after it.
        kept = np.abs(expected.t - 0.1) > 1e-9
        difference = {name: np.max(np.abs(found[name] - expected[name])[kept]) for name in names}
        assert max(difference.values()) < 1e-6, (kind, difference)


@pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")
@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS[1:])
def test_inputs_saturate_inside_where_that_is_asked_for(version: str, tmp_path: Path) -> None:
    """Then the input has no range, and its description says what becomes of more; else the range is the limit."""
    dae = upright_arm(damping=0.01, limit=8.0)
    torque, given = (
        "motor1.torque",
        np.array([(0.0, 50.0), (0.1, 50.0)], dtype=[("time", float), ("motor1.torque", float)]),
    )
    expected = fb.simulate(dae, np.linspace(0, 0.1, 11), u={torque: 50.0}, saturate=True)
    for saturate in (False, True):
        path = str(export.fmu(dae, tmp_path / "arm.fmu", version, saturate=saturate))
        assert validate_fmu(path) == []
        variable = {v.name: v for v in fmpy.read_model_description(path).modelVariables}[torque]
        assert (variable.max is None) == saturate
        assert ("clipped to 8 N m either way" in variable.description) == saturate
    for kind in KINDS:
        found = fmpy.simulate_fmu(
            path, fmi_type=kind, stop_time=0.1, output_interval=0.01, input=given, output=list(dae.x.names),
            record_events=False, relative_tolerance=1e-10,
        )  # fmt: skip
        for name in dae.x.names:
            np.testing.assert_allclose(found[name], expected[name], atol=1e-6)


def test_a_loop_inside_of_saturated_inputs_keeps_its_law() -> None:
    """What the law does not drive is clipped; its own commands are as they were."""
    dae = upright_arm(damping=0.01, limit=8.0)
    loop = control.close_loop(dae, control.PD({"joint1.angle": "motor1.torque"}, kp=5.0, kd=1.0))
    limited = with_saturated_inputs(loop)
    x, rest = loop.x.start + 0.01, np.zeros(len(loop.p))
    u = dict.fromkeys(loop.u.names, 0.0) | {"motor2.torque": 20.0}
    at, clipped = list(u.values()), list((u | {"motor2.torque": 8.0}).values())
    np.testing.assert_allclose(
        limited.forward_dynamics(x, at, rest), loop.forward_dynamics(x, clipped, rest), rtol=1e-12
    )
    np.testing.assert_allclose(limited.output(x, at, rest), loop.output(x, clipped, rest), rtol=1e-12)
    assert not np.isfinite(limited.u.limits).any()
