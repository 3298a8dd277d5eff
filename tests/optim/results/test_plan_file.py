"""Plans in files: what is read is as good as what was written."""

from dataclasses import asdict, replace

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import models, optim
from flexblocks.errors import FileFormatError, FlexblocksError
from flexblocks.optim.problem.serialization import from_data, to_data

ANGLE, TORQUE = "joint1.angle", "motor1.torque"


@pytest.fixture(scope="module")
def plan():
    """In the shortest time, by two solves, with a parameter and limits of every kind."""
    dae = fb.assemble(models.subudhi_morris_2002(links=1, modes=1), symbolic=("payload.mass",))
    problem = optim.RestToRest(
        {ANGLE: 0.0},
        {ANGLE: 1.0},
        (0.5, 2.0),
        objective=optim.Time() + 0.01 * optim.Effort(rate_weight=0.02),
        limits={TORQUE: 1.0, f"der({TORQUE})": (-20.0, 20.0), "der(joint1.angle)": (None, 3.0)},
        input_ends="holding",
    )
    return optim.plan(dae, problem, intervals=15, degree=2, scheme="lobatto", inputs="linear", p={"payload.mass": 0.12})


@pytest.fixture(scope="module")
def loaded(plan, tmp_path_factory):
    path = tmp_path_factory.mktemp("plan") / "plan.nc"
    plan.save(path)
    return fb.load(path)


def test_loaded_plan_is_the_same(plan, loaded):
    assert loaded.summary() == plan.summary()
    assert loaded.transcription.problem == plan.transcription.problem
    assert (loaded.objective, loaded.duration, loaded.status) == (plan.objective, plan.duration, plan.status)
    assert [asdict(attempt) for attempt in loaded.attempts] == [asdict(attempt) for attempt in plan.attempts]
    assert loaded.statistics == plan.statistics
    for group in ("t", "x", "u", "y", "energy"):
        np.testing.assert_array_equal(getattr(loaded.trajectory, group), getattr(plan.trajectory, group))
    np.testing.assert_array_equal(loaded.inputs[TORQUE].c, plan.inputs[TORQUE].c)
    assert loaded.trajectory.p == {"payload.mass": 0.12}


def test_loaded_plan_replays_and_is_audited(plan, loaded):
    assert loaded.replay().end_error == pytest.approx(plan.replay().end_error, rel=1e-4)
    found, expected = (one.audit().finer for one in (loaded, plan))
    assert found.tip_deviation == pytest.approx(expected.tip_deviation, rel=1e-6)
    assert found.peak_deflection == pytest.approx(expected.peak_deflection, rel=1e-6)


def test_loaded_plan_is_solved_again(plan, loaded):
    """From where it stands: no way to go."""
    again = optim.solve(loaded.pyomo_model, solver_options={"mu_init": 1e-8})
    assert again.objective == pytest.approx(plan.objective, rel=1e-8)
    assert again.statistics.iterations < plan.statistics.iterations


@pytest.fixture(scope="module")
def fetching():
    """There and back with a load, in two scenarios, with a spring to choose."""
    dae = fb.assemble(models.subudhi_morris_2002(links=1, modes=0), symbolic=("payload.mass", "spring1.stiffness"))
    problem = optim.Problem(
        start={ANGLE: 0.0},
        phases=(
            optim.Phase("reach", {ANGLE: 0.5}, (0.5, 1.5), limits={TORQUE: 0.8}),
            optim.Phase("return", {ANGLE: 0.0}, 1.0, p={"payload.mass": 0.2}),
        ),
        objective=optim.Effort() + 0.1 * optim.Time(),
        limits={TORQUE: 1.0, "der(joint1.angle)": (-1.5, 1.6)},
        design={"spring1.stiffness": (20.0, 200.0)},
    )
    return optim.plan(dae, problem, intervals=10)


def test_phases_and_designs_are_kept(fetching, tmp_path):
    fetching.save(tmp_path / "plan.nc")
    loaded = fb.load(tmp_path / "plan.nc")
    assert loaded.transcribed.problem == fetching.transcribed.problem
    assert loaded.phases == fetching.phases
    assert loaded.p == fetching.p
    assert loaded.summary() == fetching.summary()
    assert loaded.replay().tip_miss == pytest.approx(fetching.replay().tip_miss, rel=1e-3, abs=1e-9)
    again = optim.solve(loaded.pyomo_model, solver_options={"mu_init": 1e-8})
    assert again.objective == pytest.approx(fetching.objective, rel=1e-6)


@pytest.mark.slow
def test_phases_are_drawn_and_diagnosed(fetching):
    """Each phase has its own name in the picture and in what stands against it."""
    mpl.use("Agg")
    from flexblocks import plot

    _, torque, *_ = plot.plan(fetching, fetching.replay())
    assert [text.get_text() for text in torque.texts] == ["reach", "return"]
    problem = fetching.transcribed.problem
    slow = optim.Phase("return", {ANGLE: 0.0}, 1.0, p={"payload.mass": 0.2}, limits={TORQUE: 0.05})
    changed = replace(problem, phases=(problem.phases[0], slow))
    with pytest.raises(optim.PlanError, match=r"return: motor1\.torque at 1\.") as caught:
        optim.plan(fetching.transcribed.dae, changed, intervals=10)
    assert {side.name for side in caught.value.report.giving} == {f"return: {TORQUE}"}
    assert "to rest at joint1.angle = 0.5 to rest at joint1.angle = 0 in 1 s" in caught.value.report.task


def test_plan_file_is_one_of_a_trajectory(plan, tmp_path):
    plan.save(tmp_path / "plan.nc")
    with xr.open_dataset(tmp_path / "plan.nc") as dataset:
        trajectory = fb.Trajectory.from_xarray(dataset)
    np.testing.assert_array_equal(trajectory[ANGLE], plan.trajectory[ANGLE])
    assert trajectory.names == plan.trajectory.names


def test_files_that_are_no_plans_are_refused(plan, tmp_path):
    path = tmp_path / "plan.nc"
    with pytest.raises(FileFormatError, match="there is no such file"):
        fb.load(path)
    with pytest.raises(FileFormatError, match=r"plan files are netCDF; use the suffix \.nc"):
        plan.save(tmp_path / "plan.json")
    path.write_text("no netCDF")
    with pytest.raises(FileFormatError, match="not a readable netCDF file"):
        fb.load(path)
    plan.save(path)
    with xr.open_dataset(path) as dataset:
        newer = dataset.load().assign_attrs(plan_format=99)
    newer.to_netcdf(tmp_path / "newer.nc")
    with pytest.raises(FileFormatError, match="a plan of format 99; this version reads format 1"):
        fb.load(tmp_path / "newer.nc")
    newer.assign_attrs(plan_format=1).drop_vars("plan.du", errors="ignore").drop_vars("plan.q").to_netcdf(path)
    with pytest.raises(FileFormatError, match="does not contain the 48 values of 'q'"):
        fb.load(path)


def test_what_a_file_cannot_say_is_refused(tmp_path):
    dae = subudhi_morris(links=1, modes=0, joints="rigid")
    changed = fb.change_coordinates(dae, [[2.0]], ("half",))
    plan = optim.plan(changed, optim.RestToRest({"half": 0.0}, {"half": 0.5}, 1.0), intervals=5)
    with pytest.raises(optim.ProblemError, match="changed coordinates, which cannot be serialised"):
        plan.save(tmp_path / "plan.nc")
    with pytest.raises(FileFormatError, match=r"problem.limits.a = <function"):
        to_data({"limits": {"a": lambda s: s}}, "problem")


def test_problems_as_plain_data():
    data = {
        "type": "RestToRest",
        "start": {ANGLE: 0},
        "goal": {ANGLE: 1.5},
        "duration": "free",
        "objective": [{"type": "Time"}, {"type": "Effort", "weight": 0.001, "rate_weight": 0.02}],
        "limits": {TORQUE: [-1, 2], "der(joint1.angle)": [None, 3]},
    }
    problem = from_data(data, "here")
    assert problem == optim.RestToRest(
        {ANGLE: 0.0},
        {ANGLE: 1.5},
        "free",
        objective=optim.Time() + 0.001 * optim.Effort(rate_weight=0.02),
        limits={TORQUE: (-1, 2), "der(joint1.angle)": (None, 3)},
    )
    assert from_data(to_data(problem, "here"), "here") == problem


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": "RestToRst"}, r"here: type = 'RestToRst'\. Did you mean RestToRest\? Must be one of "),
        ({"type": "Plan"}, "here: type = 'Plan'; must be one of"),
        ({"goals": {}}, r"here: unknown key 'goals'.*Did you mean goal\?"),
        ({"goal": {ANGLE: "far"}}, "here: RestToRest: goal: joint1.angle = 'far'"),
        ({"objective": [{"type": "Efort"}]}, r"here.objective\[0\]: type = 'Efort'.*Did you mean Effort\?"),
        ({"objective": [{"type": "Effort", "weight": -1}]}, r"here.objective\[0\]: .*weight = -1"),
        ({"objective": [{"type": "Effort", "weight": "much"}]}, r"here.objective\[0\]: .*'much'"),
        (
            {"objective": {"type": "Effort", "rate_wieght": 1}},
            r"here.objective: .*Did you mean rate_weight\?",
        ),
    ],
)
def test_data_that_make_no_problem_name_the_place(change, message):
    data = {"type": "RestToRest", "start": {ANGLE: 0}, "goal": {ANGLE: 1.5}, "duration": 2.0}
    with pytest.raises(FlexblocksError, match=message):
        from_data(data | change, "here")
    with pytest.raises(FileFormatError, match="here: 'start' is missing"):
        from_data({key: value for key, value in data.items() if key != "start"}, "here")
