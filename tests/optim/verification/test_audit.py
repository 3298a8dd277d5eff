"""Audits: a plan judged by a finer model of the same arm."""

from dataclasses import replace

import numpy as np
import pyomo.environ as pyo
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import models, optim
from flexblocks.errors import FlexblocksError
from flexblocks.optim.strategy.warm_start import start_from
from flexblocks.optim.verification.shared_coordinates import shared_coordinates

HOME = {"joint1.angle": 0.0, "joint2.angle": 0.0}
QUARTER = {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6}


def arm(modes, links=2):
    return subudhi_morris(links=links, modes=modes)


def swing(**more):
    asked = {"start": {"joint1.angle": 0.0}, "goal": {"joint1.angle": 1.0}, "duration": 0.8, "input_ends": "holding"}
    return optim.RestToRest(**asked | more)


@pytest.fixture(scope="module")
def quick():
    """One link, one mode, 1 rad in 0.8 s."""
    return optim.plan(arm(1, links=1), swing(limits={"der(joint1.angle)": 2.0}), intervals=30)


@pytest.mark.slow
def test_plan_of_one_mode_rings_on_six_and_more_modes_cure_it():
    """The replay on its own model sees nothing of it; the tip miss is that of an arm built with six modes."""
    limits = {"motor1.torque": 4.0, "motor2.torque": 2.0}
    problem = optim.RestToRest(HOME, QUARTER, 1.2, optim.Effort(rate_weight=0.01), limits=limits, input_ends="holding")
    plan = optim.plan(arm(1), problem, intervals=50)
    audit = optim.refine_model(plan, fb.AssumedModes(6, tip="auto"), criteria=optim.Criteria(miss=1e-4, energy=1e-4))
    before = audit.before
    assert before.replays
    assert not before.passed
    six = fb.simulate(arm(6), (0.0, 1.2), plan.inputs)
    goal = arm(6).output(arm(6).x.values(QUARTER | {"rotor1.angle": np.pi / 2, "rotor2.angle": np.pi / 6}), [0, 0], [])
    x, y = (float(goal[arm(6).y.index(f"payload.{axis}")]) for axis in "xy")
    miss = np.hypot(six["payload.x"][-1] - x, six["payload.y"][-1] - y)
    assert miss > 5e-3
    assert before.finer.tip_miss == pytest.approx(miss, rel=1e-4)
    assert before.finer.energy_left == pytest.approx(six.energy[-1, :2].sum(), rel=1e-4)
    assert before.finer.tip_deviation > before.finer.tip_miss
    assert before.finer.residual_deflection["link2.tip_deflection_y"] > 5e-3
    assert audit.passed
    assert audit.finer.tip_miss < 1e-4
    assert audit.finer.energy_left < 1e-4
    assert audit.finer.tip_deviation < 0.03 * before.finer.tip_deviation
    refined = audit.subject
    assert (refined.status, len(refined.trajectory.names["x"])) == ("optimal", 16)
    assert [attempt.status for attempt in refined.attempts] == ["converged", "converged"]
    assert "FAILED" in str(audit)
    assert "passed" in str(audit)


def test_figures_stand_side_by_side(quick):
    audit = quick.audit()
    assert len(audit.dae.x) == len(quick.transcription.dae.x) + 6
    table = audit.to_pandas()
    assert list(table.columns) == ["unit", "plan", "replay", "finer"]
    peak = table.loc["link1.tip_deflection_y, peak"]
    assert peak["plan"] == pytest.approx(np.abs(quick.trajectory["link1.tip_deflection_y"]).max())
    assert peak["finer"] == pytest.approx(peak["plan"], rel=0.2)
    replayed = quick.replay()
    assert table.loc["tip misses the goal by", "replay"] == pytest.approx(replayed.tip_miss, rel=1e-3)
    assert table.loc["energy left", "replay"] == pytest.approx(replayed.energy_left, rel=1e-3)
    assert table.loc["tip misses the goal by", "plan"] < 1e-12
    rate = table.loc["der(joint1.angle) beyond its limit"]
    assert rate["plan"] < 1e-6
    assert rate["replay"] == pytest.approx(max(0.0, replayed.trajectory["der(joint1.angle)"].max() - 2.0), abs=1e-7)
    assert rate["unit"] == "rad/s"
    for line in ("energy left [J]", "tip deviation within", "der(joint1.angle) beyond its limit [rad/s]"):
        assert line in str(audit)


def test_ceiling_that_only_the_finer_model_touches():
    """The excess is how far the simulated payload goes beyond a ceiling."""
    problem = swing(path=optim.KeepIn(optim.HalfSpace((0.0, 0.4661), (0.0, 1.0)), frames="payload"))
    dae = arm(1, links=1)
    name = "payload inside halfspace"
    plan = optim.plan(dae, replace(problem, goal={"joint1.angle": 1.2}), intervals=30)
    audit = plan.audit(fb.AssumedModes(6, tip="auto"))
    driven = fb.simulate(audit.dae, (0.0, 0.8), plan.inputs)
    assert audit.plan.beyond_limits[name] < 1e-6
    assert audit.finer.beyond_limits[name] == pytest.approx(driven["payload.y"].max() - 0.4661, abs=1e-6)
    assert audit.finer.beyond_limits[name] > 5e-5
    assert f"{name} beyond its limit" in str(audit)


def test_slowest_elastic_mode_sets_the_coast(quick):
    audit = quick.audit({"link1": fb.FiniteElements(4)})
    frequencies = [mode.frequency for mode in fb.linearize(audit.dae).modes() if mode.frequency > 0]
    assert audit.coast == pytest.approx(3 * 2 * np.pi / min(frequencies), rel=1e-6)
    assert "link1.slope_y[4]" in audit.dae.x.names


@pytest.mark.slow
def test_plan_that_is_fine_already_stays_as_it_is():
    plan = optim.plan(arm(3, links=1), swing(duration=1.5), intervals=40)
    audit = optim.refine_model(plan)
    assert audit.passed
    assert audit.subject is plan
    assert audit.before is None


@pytest.mark.slow
def test_coarse_mesh_is_refined_before_modes_are_added():
    plan = optim.plan(arm(3, links=1), swing(duration=1.5), intervals=5)
    audit = optim.refine_model(plan, fb.AssumedModes(3, tip="auto"))
    assert not audit.before.replays
    assert audit.passed
    t = audit.subject.transcription
    assert t.mesh.intervals * t.scheme.degree > 5 * 3


@pytest.mark.slow
def test_audit_that_leads_nowhere_is_unresolved(quick):
    """The other arm has a tenth of the joint stiffness: no mode makes up for that."""
    model = models.subudhi_morris_2002(links=1, modes=2)
    softer = model.copy({"spring1": fb.TorsionalSpring("spring1", stiffness=10.0)})
    audit = optim.refine_model(quick, softer)
    assert not audit.passed
    assert audit.subject.status == "unresolved"
    assert len(audit.subject.trajectory.names["x"]) == len(audit.dae.x)


def test_finer_models_that_do_not_fit_are_refused(quick):
    rigid = optim.plan(arm(0, links=1), swing(), intervals=10)
    with pytest.raises(optim.ProblemError, match="no beam to discretise more finely"):
        rigid.audit()
    assert rigid.audit({"link1": fb.AssumedModes(2, tip="auto")}).finer.residual_deflection
    with pytest.raises(optim.ProblemError, match=r"inputs motor1.torque, motor2.torque; must be those of the plan"):
        quick.audit(arm(4))
    with pytest.raises(FlexblocksError, match=r"no beam 'lnk1'.*Did you mean link1\?"):
        quick.audit({"lnk1": fb.AssumedModes(4, tip="free")})


def test_models_changed_by_hand_are_not_planned_again():
    m = optim.pyomo_model(arm(1, links=1), swing(), intervals=20)
    m.mine = pyo.Constraint(expr=m.q[10, "joint1.angle"] <= 0.4)
    plan = optim.solve(m)
    assert plan.audit().finer.tip_miss > 0
    with pytest.raises(optim.ProblemError, match=r"modified \(mine\)"):
        optim.refine_model(plan)


def test_richer_arm_starts_from_the_coarser_motion(quick):
    """Coordinates go by name; a new mode starts at zero, and so do elements, which stand elsewhere."""
    t, rich = quick.transcription, arm(2, links=1)
    assert shared_coordinates(t.dae, rich) == set(t.dae.q_names)
    m = optim.pyomo_model(rich, t.problem, intervals=30)
    start_from(m, quick.pyomo_model, shared_coordinates(t.dae, rich))
    for name in t.dae.q_names:
        assert m.q[13, name].value == pytest.approx(quick.pyomo_model.q[13, name].value, abs=1e-9)
        assert m.a[13, 2, name].value == pytest.approx(quick.pyomo_model.a[13, 2, name].value, abs=1e-7)
    assert m.q[13, "link1.bending_y[2]"].value == 0.0
    elements = [fb.assemble(fb.rediscretize(t.dae.model, fb.FiniteElements(n))) for n in (1, 2)]
    assert shared_coordinates(*elements) == {"rotor1.angle", "joint1.angle"}
