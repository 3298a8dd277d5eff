"""Frequency responses: estimated from records, computed from models, and parameters from them."""

from __future__ import annotations

from functools import cache

import matplotlib as mpl
import numpy as np
import pytest
import scipy.linalg
import scipy.signal

import flexblocks as fb
from arms.driven import two_masses
from arms.linkages import FourBar
from arms.measured_arm import MOTOR, OTHER, RATES, TRUE, measured_arm, measured_record
from flexblocks.errors import ComputationError, FlexblocksError, FlexblocksWarning, NameUnknownError, ParameterError
from flexblocks.identification.spectral.configuration import Configuration
from flexblocks.identification.spectral.linear_slopes import LinearSlopes, frequency_response, pole_slopes

mpl.use("Agg")
MODAL = ("joint.stiffness", "link.flexural_rigidity", "joint.spring_damping", "link.damping_ratio", "joint.damping")


def discrete_system(count: int, seed: int = 0):
    """A discrete system with two inputs and outputs in white noise, and its response."""
    sos = scipy.signal.butter(2, 0.2, output="sos")
    rng = np.random.default_rng(seed)
    u = rng.normal(size=(2, count))
    y = np.array([scipy.signal.sosfilt(sos, u[0]) + 0.5 * u[1], np.roll(u[1], 1) - u[0]])
    return u, y, sos


def test_several_inputs_are_told_apart():
    u, y, sos = discrete_system(40_000)
    t = 0.01 * np.arange(40_000)
    record = fb.Record(t, {"a": u[0], "b": u[1]}, {"c": y[0], "d": y[1]})
    found = fb.FrequencyResponse.from_record(record, segment=2.0, held=False)
    z = 2 * np.pi * found.frequency * 0.01
    _, filtered = scipy.signal.sosfreqz(sos, z)
    assert np.max(np.abs(found["c", "a"] - filtered)) < 0.03
    assert np.max(np.abs(found["c", "b"] - 0.5)) < 0.03
    assert np.max(np.abs(found["d", "b"] - np.exp(-1j * z))) < 0.03
    assert np.max(np.abs(found["d", "a"] + 1)) < 0.03
    assert np.all(found.coherence > 0.99)


@pytest.mark.parametrize("overlap", [0.0, 0.5])
def test_deviations_are_those_of_the_estimates(overlap):
    """Errors of many records in their standard deviations have the mean square 1 in the real and imaginary part."""
    errors = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        u = rng.normal(size=4000)
        y = 2 * u + rng.normal(size=4000)
        record = fb.Record(0.01 * np.arange(4000), {"a": u}, {"c": y})
        found = fb.FrequencyResponse.from_record(record, segment=1.0, overlap=overlap, held=False)
        errors.append((found.response - 2) / found.deviation)
        np.testing.assert_allclose(np.mean(found.coherence), 0.8, atol=0.03)
    assert 0.9 < np.mean(np.abs(errors) ** 2) / 2 < 1.1


def test_a_held_input_is_that_of_the_model():
    """A wheel behind a spring under a torque that holds: its angle, without noise, by periods that leak nothing."""
    dae, T, period = two_masses(), 1e-3, 4000
    rng = np.random.default_rng(0)
    lines = np.zeros(period // 2 + 1, dtype=complex)
    lines[40:320] = np.exp(2j * np.pi * rng.random(280))
    torque = np.fft.irfft(lines, period)
    lin = fb.linearize(dae, outputs=["wheel.angle", "load.angle"])
    # The sampled system, and its periodic motion; what it does to lines is known to rounding.
    n = len(lin.A)
    both = scipy.linalg.expm(np.block([[lin.A, lin.B], [np.zeros((1, n + 1))]]) * T)
    z = np.exp(2j * np.pi * np.arange(1, period // 2 + 1) / period)[:, None, None]
    sampled = lin.C @ np.linalg.solve(z * np.eye(n) - both[:n, :n], both[:n, n:])
    angle = np.fft.irfft(np.concatenate([[0], sampled[:, 1, 0] * lines[1:]]), period)
    record = fb.Record(
        T * np.arange(2 * period), {"motor.torque": np.tile(torque, 2)}, {"load.angle": np.tile(angle, 2)}
    )
    found = fb.FrequencyResponse.from_record(record, segment=4.0, overlap=0, window="boxcar", between=(10, 79))
    model = fb.FrequencyResponse.of(dae, found.frequency, "motor.torque", "load.angle")
    off = np.abs(found.response / model.response - 1).ravel()
    assert len(found) == 276
    assert np.all(off < 3 * (found.frequency * T) ** 2)
    half_late = fb.FrequencyResponse.from_record(
        record, segment=4.0, overlap=0, window="boxcar", held=False, between=(10, 79)
    )
    late = np.angle(half_late.response / model.response).ravel()
    np.testing.assert_allclose(late, -np.pi * found.frequency * T, atol=0.02)


def test_segments_lie_between_gaps():
    rng = np.random.default_rng(0)
    u = rng.normal(size=3000)
    y = 3 * u
    y[1000:1010] = np.nan
    found = fb.FrequencyResponse.from_record(
        fb.Record(0.01 * np.arange(3000), {"a": u}, {"c": y}), segment=1.0, held=False
    )
    np.testing.assert_allclose(found.response, 3.0)


def test_the_response_of_a_model_is_that_of_its_matrices():
    lin = fb.linearize(two_masses(), outputs=["load.angle", "wheel.angle"])
    found = fb.FrequencyResponse.of(lin, [1.0, 3.0])
    s = 2j * np.pi * 3.0
    H = lin.C @ np.linalg.solve(s * np.eye(len(lin.A)) - lin.A, lin.B)
    np.testing.assert_allclose(found.response[1], H)
    assert found["load.angle", "motor.torque"][1] == found.response[1, 0, 0]
    assert found.between(2.0, 4.0).frequency.tolist() == [3.0]
    assert found.output_units == ("rad", "rad")
    with pytest.raises(NameUnknownError, match=r"no output 'load\.x'"):
        found["load.x", "motor.torque"]
    with pytest.raises(ParameterError, match="no frequency is from"):
        found.between(5.0, 6.0)


def elastic_four_bar() -> fb.DAE:
    return fb.assemble(
        FourBar(rigidity=2.0).model(discretization=fb.FiniteElements(2)),
        symbolic=("coupler.flexural_rigidity", "crank.mass", "coupler.damping_ratio"),
    )


@pytest.mark.parametrize(
    ("arm", "inputs", "outputs"),
    [
        (lambda: measured_arm(tuple(TRUE), gravity=9.81), (MOTOR,), ("joint.angle", "payload.y")),
        (elastic_four_bar, ("motor.torque",), ("crank_joint.angle",)),
    ],
    ids=["beam that sags", "elastic linkage"],
)
def test_derivatives_are_those_of_differences(arm, inputs, outputs):
    """Of responses and of poles in each parameter, with the equilibrium that moves along."""
    dae = arm()
    p = dae.p.start.copy()
    linear = LinearSlopes(Configuration(dae, {}, p, "test"), list(range(len(p))), inputs, outputs)
    value, change = linear.at(p)
    omega = np.array([1.0, 7.0, 30.0, 200.0])
    H, slopes = frequency_response(value, change, omega)
    there = fb.FrequencyResponse.of(
        fb.linearize(dae, linear.configuration.point(p), outputs), omega / 2 / np.pi, inputs
    )
    np.testing.assert_allclose(H, there.response, rtol=1e-8, atol=1e-10 * np.abs(H).max())

    def poles(at: np.ndarray) -> np.ndarray:
        values = linear.linear(at).modes().eigenvalue
        return values[np.imag(values) > 0][:3]

    for k in range(len(p)):
        step = np.zeros(len(p))
        step[k] = 1e-5 * p[k] or 1e-6
        sides = [frequency_response(linear.at(p + s * step)[0], change, omega)[0] for s in (1, -1)]
        differences = (sides[0] - sides[1]) / (2 * step[k])
        assert np.max(np.abs(differences - slopes[k])) < 1e-5 * np.max(np.abs(slopes[k]))
        moved = (poles(p + step) - poles(p - step)) / (2 * step[k])
        exact = [pole_slopes(value, change, pole)[k] for pole in poles(p)]
        assert np.max(np.abs(moved - exact)) < 1e-4 * np.max(np.abs(exact))


def test_three_modes_are_recovered_from_a_noisy_record():
    """Frequencies within 0.1 %, dampings within 5 %, zeros too; from other values, with noise of 1 %."""
    record = measured_record(60.0, 0.01, 1)
    response = fb.FrequencyResponse.from_record(record, segment=10.0, between=(1.0, 80.0))
    fit = fb.identify_response(measured_arm(MODAL, true=False), response, MODAL, starts=1)
    assert fit.converged
    found = fb.linearize(fb.assemble(fit.model), outputs=RATES)
    for mine, true in zip(found.modes(), fb.linearize(measured_arm()).modes(), strict=True):
        if true.eigenvalue.imag > 0:
            assert abs(mine.frequency / true.frequency - 1) < 1e-3
            assert abs(mine.damping_ratio / true.damping_ratio - 1) < 0.05
    fine = np.linspace(1.0, 60.0, 4000)
    both = found, fb.linearize(measured_arm(), outputs=RATES)
    beside = [fb.FrequencyResponse.of(lin, fine, outputs=RATES) for lin in both]
    for name in RATES:
        lowest = [fine[np.argmin(np.abs(one[name, MOTOR]))] for one in beside]
        assert abs(lowest[0] / lowest[1] - 1) < 2e-3
    for name in MODAL:
        low, high = fit.intervals[name]
        assert low < fit.p[name] < high
        assert abs(fit.p[name] / TRUE[name] - 1) < 0.1


@pytest.mark.slow
def test_intervals_hold_the_truth():
    """Over twenty records, whatever the folding of the held torque leaves: in 85 to 100 % of all."""
    held, count = 0, 0
    for seed in range(20):
        record = measured_record(120.0, 0.05, 100 + seed)
        response = fb.FrequencyResponse.from_record(record, segment=20.0, between=(1.0, 40.0))
        fit = fb.identify_response(measured_arm(MODAL), response, MODAL, starts=1)
        inside = [fit.intervals[name][0] <= TRUE[name] <= fit.intervals[name][1] for name in MODAL]
        held, count = held + sum(inside), count + len(inside)
    assert held / count > 0.85


def test_what_responses_do_not_tell_is_named():
    """Of a free rotor behind a motor, inertia and gain of a measured angle; here two masses on one shaft."""
    model = fb.Model("shaft")
    model.add(fb.Ground("ground"))
    motor, one, other = fb.TorqueSource("motor"), fb.Rotor("one", inertia=0.1), fb.Rotor("other", inertia=0.2)
    spring = fb.TorsionalSpring("spring", stiffness=20.0, damping=0.1)
    load = fb.Rotor("load", inertia=0.3)
    for block in (motor, one, other, spring, load):
        model.add(block)
    for ports in (("motor.flange_b", "one.flange_a"), ("one.flange_b", "other.flange_a"),
                  ("other.flange_b", "spring.flange_a"), ("spring.flange_b", "load.flange_a")):  # fmt: skip
        model.connect(*ports)
    dae = fb.assemble(model)
    response = fb.FrequencyResponse.of(dae, np.linspace(0.2, 5, 60), outputs=["load.angle"])
    with pytest.warns(FlexblocksWarning, match=r"do not determine one\.inertia, other\.inertia only together"):
        fit = fb.identify_response(dae, response, ["one.inertia", "other.inertia", "spring.stiffness"], starts=1)
    assert fit.undetermined == ("one.inertia, other.inertia only together",)
    assert np.isinf(fit.deviations["one.inertia"])
    assert fit.deviations["spring.stiffness"] < 1.0
    np.testing.assert_allclose(fit.p["spring.stiffness"], 20.0, rtol=1e-6)
    assert "not determined" in str(fit)


def test_other_starts_find_what_the_guess_does_not():
    names = ("joint.stiffness", "link.flexural_rigidity")
    response = fb.FrequencyResponse.of(measured_arm(), np.linspace(1.0, 60.0, 120), MOTOR, RATES)
    fit = fb.identify_response(measured_arm(names, true=False), response, names, starts=2)
    assert len(fit.costs) == 2
    assert min(fit.costs) == fit.cost
    np.testing.assert_allclose([fit.p[name] for name in names], [TRUE[name] for name in names], rtol=1e-6)
    assert OTHER["joint.stiffness"] not in fit.p.values()


def test_the_bode_diagram_has_a_line_for_each_path_and_the_model():
    record = measured_record(60.0, 0.01, 1)
    response = fb.FrequencyResponse.from_record(record, segment=5.0, between=(1.0, 80.0))
    magnitude, phase, coherence = response.plot(beside=measured_arm())
    assert [len(ax.lines) for ax in (magnitude, phase, coherence)] == [4, 4, 2]
    assert magnitude.get_ylabel() == "magnitude [rad/s/(N m)]"
    computed = fb.FrequencyResponse.of(measured_arm(), [1.0, 2.0], outputs=RATES)
    assert len(computed.plot()) == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"frequency": [0.0, 1.0]}, "must rise and be > 0"),
        ({"response": [1.0, np.nan]}, "not finite"),
        ({"response": [1.0]}, "response is of shape"),
        ({"coherence": [0.5, 1.5]}, "from 0 to 1"),
        ({"averages": 0}, "averages"),
    ],
)
def test_refused_responses(changes, words):
    given = {"frequency": [1.0, 2.0], "response": [1.0, 2.0], "inputs": ["a"], "outputs": ["b"]}
    with pytest.raises(ParameterError, match=words):
        fb.FrequencyResponse(**(given | changes))


def test_refused_records():
    t = 0.01 * np.arange(1000)
    u = np.random.default_rng(0).normal(size=1000)
    record = fb.Record(t, {"a": u, "b": u}, {"c": u})
    with pytest.raises(ParameterError, match="each input by itself"):
        fb.FrequencyResponse.from_record(record, segment=1.0)
    with pytest.raises(ParameterError, match="segments of 20 s fit"):
        fb.FrequencyResponse.from_record(record, "a", segment=20.0)
    with pytest.raises(ParameterError, match="window"):
        fb.FrequencyResponse.from_record(record, "a", segment=1.0, window="none")
    with pytest.raises(NameUnknownError, match="'d'"):
        fb.FrequencyResponse.from_record(record, "a", "d", segment=1.0)
    uneven = fb.Record(t**1.1, {"a": u}, {"c": u})
    with pytest.raises(ParameterError, match="must be even"):
        fb.FrequencyResponse.from_record(uneven, segment=1.0)


def test_refused_fits():
    response = fb.FrequencyResponse.of(measured_arm(), [1.0, 2.0], outputs=RATES)
    with pytest.raises(NameUnknownError, match="not a number that can stay symbolic"):
        fb.identify_response(measured_arm(), response, ["joint.stifness"])
    with pytest.raises(ParameterError, match="is named twice"):
        fb.identify_response(measured_arm(), response, ["joint.stiffness"] * 2)
    other = fb.FrequencyResponse([1.0], [1.0], ["motor"], ["joint.angle"])
    with pytest.raises(NameUnknownError, match="has no input 'motor'"):
        fb.identify_response(measured_arm(), other, ["joint.stiffness"])
    with pytest.raises(FlexblocksError, match="one for each response"):
        fb.identify_response(measured_arm(), response, ["joint.stiffness"], at=[{}, {}])
    undamped = fb.FrequencyResponse.of(two_masses(), [1.0])
    assert np.isfinite(undamped.response).all()
    with pytest.raises(ComputationError, match="infinite"):
        fb.FrequencyResponse.of(fb.linearize(rigid_pendulum()), [0.5 / np.pi])


@cache
def rigid_pendulum() -> fb.DAE:
    """An undamped oscillator at 1 rad/s."""
    model = fb.Model("oscillator")
    model.add(fb.Ground("ground"))
    motor, spring = fb.TorqueSource("motor"), fb.TorsionalSpring("spring", stiffness=1.0)
    wheel, fixed = fb.Rotor("wheel", inertia=1.0), fb.Fixed("fixed")
    for block in (motor, wheel, spring, fixed):
        model.add(block)
    model.connect("motor.flange_b", "wheel.flange_a")
    model.connect("wheel.flange_b", "spring.flange_a")
    model.connect("spring.flange_b", "fixed.flange_b")
    return fb.assemble(model)
