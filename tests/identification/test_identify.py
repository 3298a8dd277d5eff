"""Unknowns from records: they are found within their intervals, and what the data do not determine is said."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import export
from flexblocks.errors import ComputationError, FlexblocksWarning, NameUnknownError, ParameterError
from flexblocks.identification.prediction.problem import Problem
from flexblocks.identification.prediction.recorded import measured_names, recorded
from flexblocks.identification.prediction.resolved import resolved
from flexblocks.identification.results.covariance import correlation_length, inverse, spread_ratio
from flexblocks.identification.results.residual_tests import whiteness
from flexblocks.identification.results.undetermined import undetermined

NOISE = {"rotor.angle": 1e-4, "joint.angle": 1e-4}
SOUGHT = ("spring.stiffness", "payload.mass", "joint.damping")
TRUTH = {"spring.stiffness": 60.0, "payload.mass": 0.4, "joint.damping": 0.05}
T = np.arange(0, 0.6, 4e-3)
UNDRIVEN = fb.Record(T, {}, {"joint.angle": 0.0})
TORQUE = 1.5 * np.sin(9 * T) + np.sign(np.sin(23 * T))


def elastic_arm(gravity: float = 0.0) -> fb.Model:
    """A link with a load on an elastic joint, and a rotor that a motor turns."""
    model = fb.Model("elastic arm", gravity=(0.0, -gravity, 0.0))
    ground, motor = model.add(fb.Ground("ground")), model.add(fb.TorqueSource("motor"))
    rotor = model.add(fb.Rotor("rotor", inertia=0.02))
    spring = model.add(fb.TorsionalSpring("spring", stiffness=60.0, damping=0.02))
    joint = model.add(fb.Revolute("joint", damping=0.05))
    link = model.add(fb.RigidLink("link", length=0.4, mass=0.3))
    payload = model.add(fb.Payload("payload", mass=0.4, inertia=1e-3))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, spring.flange_a)
    model.connect(spring.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, payload.frame_a)
    return model


@cache
def arm(symbolic: tuple[str, ...] = SOUGHT, gravity: float = 0.0) -> fb.DAE:
    return fb.assemble(elastic_arm(gravity), symbolic=symbolic)


@cache
def motion(gravity: float = 0.0) -> fb.Trajectory:
    return fb.simulate(arm(gravity=gravity), T, u={"motor.torque": fb.piecewise_constant(T, TORQUE)})


def record(seed: int = 0, noise: Mapping[str, float] = NOISE, **changes: Any) -> fb.Record:
    rng = np.random.default_rng(seed)
    y = {name: motion()[name] + deviation * rng.normal(size=len(T)) for name, deviation in noise.items()}
    return fb.Record(T, **({"u": {"motor.torque": TORQUE}, "y": y} | changes))


def identified(records: Any, unknowns: Any, noise: Mapping[str, float] | None, **options: Any) -> fb.Fit:
    return fb.identify(arm(), records, unknowns, noise, compiled=False, **options)


def wrong(factor: float = 2.0) -> list[fb.Unknown]:
    return [fb.Unknown(name, guess=value * factor) for name, value in TRUTH.items()]


@cache
def fit() -> fb.Fit:
    return identified(record(), wrong(), NOISE)


def test_the_truth_lies_within_the_intervals() -> None:
    assert fit().status == "converged"
    assert not fit().warnings
    for name, truth in TRUTH.items():
        low, high = fit().intervals[name]
        assert abs(fit()[name] - truth) < 4 * fit().deviations[name]
        assert low < fit()[name] < high
        assert high - low < truth


def test_derivatives_are_those_of_the_predictions() -> None:
    names = ("spring.stiffness", "payload.mass", "offset(joint.angle)", "offset(motor.torque)", "start(rotor.angle)")
    dae, data = arm(), record()
    measured = measured_names([data])
    unknowns = resolved(dae, names, measured, [data])
    for filters in (False, True):
        noise = NOISE | ({"motor.torque": 0.05} if filters else {})
        arrays = [recorded(dae, data, measured).part(0, 40)]
        problem = Problem(dae, arrays, measured, unknowns, noise, {}, None, filters, False)
        z = unknowns.start() + 0.01
        weights = problem.weights(z, problem.first_deviations())
        assert weights is not None
        J = problem.evaluate(z, weights).jacobian
        for i in range(len(z)):
            step = 1e-5 * np.eye(len(z))[i]
            ahead, behind = (problem.evaluate(z + sign * step, weights).residuals for sign in (1, -1))
            assert np.abs((ahead - behind) / 2e-5 - J[:, i]).max() < 1e-5 * max(np.abs(J[:, i]).max(), 1.0)


def test_all_methods_agree_where_inputs_are_known() -> None:
    other = identified(record(), wrong(), NOISE, method="multiple shooting", segment=0.1)
    assert other.status == "converged"
    for name in SOUGHT:
        assert abs(other[name] - fit()[name]) < 1e-3 * fit().deviations[name] + 1e-9
        assert other.deviations[name] == pytest.approx(fit().deviations[name], rel=1e-4)


def test_noise_on_inputs_is_in_the_model() -> None:
    rng, errors, held = np.random.default_rng(5), [], []
    for seed in range(4):
        acting = TORQUE + 0.1 * rng.normal(size=len(T))
        run = fb.simulate(arm(), T, u={"motor.torque": fb.piecewise_constant(T, acting)})
        y = {name: run[name] + deviation * rng.normal(size=len(T)) for name, deviation in NOISE.items()}
        found = identified(
            fb.Record(T, {"motor.torque": TORQUE}, y, name=f"{seed}"), SOUGHT, NOISE | {"motor.torque": 0.1}
        )
        assert found.method == "prediction error"
        errors += [(found[name] - TRUTH[name]) / found.deviations[name] for name in SOUGHT]
        held += [found.intervals[name][0] < TRUTH[name] < found.intervals[name][1] for name in SOUGHT]
    assert np.abs(np.mean(errors)) < 1.2
    assert sum(held) >= 10


def test_offsets_starts_and_gaps() -> None:
    y = dict(record().y)
    y["joint.angle"] = np.where(np.arange(len(T)) % 3, y["joint.angle"] + 0.01, np.nan)
    more = ("offset(joint.angle)", fb.Unknown("start(rotor.angle)", low=-1, high=1))
    found = identified(record(y=y), [*SOUGHT, *more], NOISE)
    low, high = found.intervals["offset(joint.angle)"]
    assert low < 0.01 < high
    assert abs(found["start(rotor.angle)"]) < 4 * found.deviations["start(rotor.angle)"]
    assert set(found.p) == set(SOUGHT)


def test_each_record_has_its_own_start() -> None:
    found = identified([record(), record(1)], ["spring.stiffness", "start(der(joint.angle))"], NOISE)
    assert found.names == ("spring.stiffness", "start(der(joint.angle))[1]", "start(der(joint.angle))[2]")
    assert found.validate([record(2), record(3)]).is_consistent
    assert found.deviations["spring.stiffness"] < 0.8 * fit().deviations["spring.stiffness"]


def test_noise_that_is_not_given_is_estimated() -> None:
    found = identified(record(), SOUGHT, None)
    assert found.noise["joint.angle"] == pytest.approx(1e-4, rel=0.2)
    assert found.deviations["payload.mass"] == pytest.approx(fit().deviations["payload.mass"], rel=0.2)


def test_prior_knowledge_counts_as_a_measurement() -> None:
    deviation = fit().deviations["joint.damping"]
    prior = fb.Unknown("joint.damping", mean=0.05, deviation=deviation)
    found = identified(record(), ["spring.stiffness", "payload.mass", prior], NOISE)
    assert found.deviations["joint.damping"] == pytest.approx(deviation / np.sqrt(2), rel=0.05)


def test_an_unknown_that_is_not_seen_is_named() -> None:
    rng = np.random.default_rng(3)
    still = fb.Record(T, {"motor.torque": 0.0}, {name: 1e-4 * rng.normal(size=len(T)) for name in NOISE})
    with pytest.warns(FlexblocksWarning, match=r"the data do not show joint\.damping"):
        found = identified(still, "joint.damping", NOISE)
    assert found.undetermined[0].is_unseen
    assert found.deviations["joint.damping"] == np.inf


def test_unknowns_that_are_seen_only_together_are_named() -> None:
    names = ("payload.mass", "link.mass")
    dae = fb.assemble(elastic_arm(), symbolic=names)
    with pytest.warns(FlexblocksWarning, match="only together"):
        found = fb.identify(dae, record(), names, NOISE, compiled=False)
    (direction,) = found.undetermined
    assert set(direction.names) == set(names)
    assert direction.changes[0] * direction.changes[1] < 0
    # The inertia about the joint is what is seen: m l^2 of the load, m l^2/3 of the link.
    ratio = direction.changes[names.index("link.mass")] / direction.changes[names.index("payload.mass")]
    assert ratio == pytest.approx(-found["payload.mass"] * 0.16 / (found["link.mass"] * 0.16 / 3), rel=0.01)


def test_a_model_that_lacks_something_is_told_and_intervals_are_wider() -> None:
    rigid = fb.assemble(fb.stiffen(elastic_arm()), symbolic=("payload.mass",))
    data = fb.Record(T, {"motor.torque": TORQUE}, {"joint.angle": record()["joint.angle"]})
    with pytest.warns(FlexblocksWarning, match=r"does not explain the data: residuals of joint\.angle are .* Hz"):
        found = fb.identify(rigid, data, "payload.mass", {"joint.angle": 1e-4}, compiled=False)
    assert found.widened[0] > 5
    assert found.worst.signal == "joint.angle"
    assert not found.validate(data).is_consistent


def test_other_records_validate_a_fit() -> None:
    validation = fit().validate(record(7))
    assert validation.is_consistent
    assert "white" in str(validation)
    assert all(0.8 < each.ratio < 1.2 for each in validation.residuals)


def test_the_model_has_the_values() -> None:
    blocks = fit().model.blocks
    assert vars(blocks["payload"])["mass"] == fit()["payload.mass"]
    assert vars(blocks["spring"])["stiffness"] == fit().p["spring.stiffness"]


def test_a_saved_fit_is_the_same(tmp_path: Any) -> None:
    fit().save(tmp_path / "fit.nc")
    again = fb.load(tmp_path / "fit.nc")
    assert str(again) == str(fit())
    assert np.array_equal(again.covariance, fit().covariance)
    assert again.validate(record(7)).is_consistent


def test_a_report_of_a_fit(tmp_path: Any) -> None:
    export.report(fit(), tmp_path / "fit.html")
    page = (tmp_path / "fit.html").read_text(encoding="utf-8")
    assert "spring.stiffness" in page
    assert "Autocorrelation of residuals" in page


def test_the_text_of_a_fit() -> None:
    text = str(fit())
    assert "3 unknowns from 300 measurements in 1 record, by output error: converged" in text
    assert "N m/rad" in text
    assert "Hz" in text


def test_several_starts_and_a_time_limit() -> None:
    found = identified(record(), wrong(), NOISE, starts=3)
    assert len(found.attempts) == 3
    assert found.cost == min(attempt.cost for attempt in found.attempts)
    with pytest.raises(ComputationError, match="more time"):
        identified(record(), wrong(), NOISE, time_limit=1e-9)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"parameters": "spring.stifness"}, NameUnknownError, "Did you mean spring.stiffness"),
        ({"parameters": "offset(elbow.angle)"}, NameUnknownError, "neither measured nor input"),
        ({"parameters": "start(elbow.angle)"}, NameUnknownError, "no state"),
        ({"parameters": []}, ParameterError, "empty"),
        ({"parameters": ["payload.mass", "payload.mass"]}, ParameterError, "named twice"),
        ({"noise": {"elbow.angle": 1.0}}, NameUnknownError, "neither measured nor an input"),
        ({"noise": {"joint.angle": 0.0}}, ParameterError, "must be > 0"),
        ({"method": "output"}, ParameterError, "Must be one of"),
        ({"method": "output error", "noise": {"motor.torque": 0.1}}, ParameterError, "known exactly"),
        ({"starts": 0}, ParameterError, "whole number"),
        ({"records": []}, ParameterError, "records is empty"),
        (
            {"noise": {}, "records": fb.Record(T, {}, {"joint.angle": 0.0})},
            NameUnknownError,
            "lacks the input 'motor.torque'",
        ),
        ({"records": fb.Record(T, {"motor.torque": 0.0})}, ParameterError, "has no measurement"),
    ],
)
def test_refusals(change: dict[str, Any], error: type[Exception], message: str) -> None:
    given = {"records": record(), "parameters": "payload.mass", "noise": NOISE} | change
    with pytest.raises(error, match=message):
        fb.identify(arm(), **given)


def test_white_residuals_are_taken_as_white() -> None:
    rng = np.random.default_rng(1)
    r, J = rng.normal(size=(400, 2)), rng.normal(size=(400, 2, 3))
    known = np.ones((400, 2), dtype=bool)
    M, lag = spread_ratio([r], [known], [J], 3)
    assert lag == correlation_length([r], [known])
    assert lag <= 3
    assert np.linalg.inv(np.tensordot(J, J, ([0, 1], [0, 1]))) == pytest.approx(inverse(M), rel=0.5)


def test_coloured_residuals_widen_by_their_autocovariance() -> None:
    # A mean from an autoregressive series: the variance is (1 + a)/(1 - a) times that of white noise.
    rng, a, n = np.random.default_rng(2), 0.8, 20000
    r = np.zeros(n)
    for k, e in enumerate(rng.normal(size=n - 1), 1):
        r[k] = a * r[k - 1] + np.sqrt(1 - a**2) * e
    M, _ = spread_ratio([r[:, None]], [np.ones((n, 1), dtype=bool)], [np.ones((n, 1, 1))], 1)
    assert M[0, 0] / n == pytest.approx((1 + a) / (1 - a), rel=0.25)
    assert whiteness(r) < 1e-6


def test_what_is_not_told_is_found_in_few_entries() -> None:
    names = ("spring.stiffness", "payload.mass", "joint.damping")
    unknowns = resolved(arm(), names, ("joint.angle",), [record()])
    first, second = np.array([1.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
    information = 1e4 * np.outer(first, first) + 1e-9 * np.outer(second, second)
    unseen, together = undetermined(unknowns, information)
    assert unseen.names == ("joint.damping",)
    assert together.names == ("spring.stiffness", "payload.mass")


def test_an_unstable_arm_by_multiple_shooting() -> None:
    model = fb.Model("inverted pendulum", gravity=(-9.81, 0.0, 0.0))  # that hangs up along x
    ground, motor, joint = (model.add(b) for b in (fb.Ground("ground"), fb.TorqueSource("motor"), fb.Revolute("joint")))
    link = model.add(fb.RigidLink("link", length=0.5, mass=1.0))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(motor.flange_b, joint.axis)
    dae = fb.assemble(model, symbolic=("link.mass",))
    t, x = np.arange(0, 2, 0.01), np.array([0.05, 0.0])
    step, rng = fb.stepper(dae, 0.01, substeps=4), np.random.default_rng(0)
    states, torques = [], []
    for k in range(len(t)):  # held up by feedback, whose torque is recorded
        torques.append(-8.0 * x[0] - 1.5 * x[1] + 0.5 * np.sin(3 * t[k]))
        states.append(x)
        x = step(x, [torques[-1]])
    angle = np.array(states)[:, 0] + 1e-4 * rng.normal(size=len(t))
    data = fb.Record(t, {"motor.torque": np.array(torques)}, {"joint.angle": angle}, x0={"joint.angle": 0.05})
    guess = fb.Unknown("link.mass", guess=1.5)
    found = fb.identify(dae, data, guess, {"joint.angle": 1e-4}, method="multiple shooting", compiled=False)
    assert found.status == "converged"
    low, high = found.intervals["link.mass"]
    assert low < 1.0 < high
