"""Pickled arms, runs and errors, taken to another process: the same numbers to the last digit."""

from __future__ import annotations

import copyreg
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from arms.linkages import FLEXIBLE
from flexblocks import control, models
from flexblocks.errors import ComputationError
from flexblocks.symbolic_pickle import PickleError

ELSEWHERE = """
import pickle, sys
import numpy as np
import flexblocks as fb
dae, x = pickle.load(open(sys.argv[1], "rb"))
run = fb.simulate(dae, (0.0, 0.02), x0=x)
answer = run.x, run.energy, fb.linearize(dae).A
pickle.dump((answer, dae.library is not None), open(sys.argv[2], "wb"))
"""


@cache
def two_links() -> fb.DAE:
    return fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",), locked={"joint2.angle": 0.3})


def closed_loop() -> fb.DAE:
    arm = subudhi_morris()
    law = control.PD({"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}, kp=5.0, kd=1.0)
    return control.close_loop(arm, law)


ARMS = {
    "symbolic and locked": two_links,
    "four-bar": lambda: fb.assemble(FLEXIBLE.model()),
    "closed loop": closed_loop,
    "compiled": lambda: two_links().compile(strict=True),
}


@pytest.mark.parametrize(
    "name", ["symbolic and locked", *(pytest.param(name, marks=pytest.mark.slow) for name in list(ARMS)[1:])]
)
def test_another_process_has_the_same_digits(name: str, tmp_path: Path) -> None:
    dae = ARMS[name]()
    x = dae.x.start + 0.0
    there, back = tmp_path / "there", tmp_path / "back"
    there.write_bytes(pickle.dumps((dae, x)))
    subprocess.run([sys.executable, "-W", "ignore", "-c", ELSEWHERE, str(there), str(back)], check=True)
    (states, energy, A), compiled = pickle.loads(back.read_bytes())
    run = fb.simulate(dae, (0.0, 0.02), x0=x)
    np.testing.assert_array_equal(states, run.x)
    np.testing.assert_array_equal(energy, run.energy)
    np.testing.assert_array_equal(A, fb.linearize(dae).A)
    assert compiled == (dae.library is not None)


ELEMENTS = [
    fb.SpringDamper("element", 10.0, damping=1.0),
    fb.LineForce("element"),
    fb.Cable("element", 1.0, 1e3, winch=True),
    fb.Contact("element", 1e3, 1e-3, friction=0.3),
    fb.HydraulicCylinder("element", 1e-3, 1e-3, retracted=0.5, extended=9.0, max_speed=0.3),
]


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda element: type(element).__name__)
def test_arms_with_force_elements_travel(element: fb.ForceElement) -> None:
    model = fb.Model("arm")
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    link, foot = model.add(fb.RigidLink("link", 3.0, 9.0)), model.add(fb.FixedTransform("foot", (0.4, -0.9, 0.0)))
    model.add(element)
    model.connect(ground.frame_b, hinge.frame_a, foot.frame_a)
    model.connect(hinge.frame_b, link.frame_a)
    model.connect(foot.frame_b, element.frame_a)
    model.connect(link.frame_b, element.frame_b)
    dae = fb.assemble(model)
    copy = pickle.loads(pickle.dumps(dae))
    for here, there in zip((dae.forward_dynamics, dae.output), (copy.forward_dynamics, copy.output), strict=True):
        point = (dae.x.start + 0.1, dae.u.start + 0.1, [])
        np.testing.assert_array_equal(there(*point).full(), here(*point).full())


def test_groups_of_variables_travel() -> None:
    dae = two_links()
    p = pickle.loads(pickle.dumps(dae.p))
    assert p.names == dae.p.names
    assert p.symbol.shape == dae.p.symbol.shape


def test_errors_keep_what_they_carry() -> None:
    dae = subudhi_morris()
    with pytest.raises(fb.SimulationError) as stopped:
        fb.simulate(dae, (0.0, 5.0), max_steps=100)
    error = pickle.loads(pickle.dumps(stopped.value))
    assert str(error) == str(stopped.value)
    assert error.time == stopped.value.time
    np.testing.assert_array_equal(error.trajectory.x, stopped.value.trajectory.x)


class Unpicklable(Exception):
    def __init__(self) -> None:
        super().__init__(lambda: None)
        self.reason = lambda: None

    def __reduce__(self) -> str:
        raise TypeError("no")


def test_every_error_travels(monkeypatch: pytest.MonkeyPatch) -> None:
    from flexblocks import export, optim, plot

    del export, optim, plot  # imported for the errors that they define
    kinds = [fb.FlexblocksError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
        # tblib, which dask brings, pickles causes of its own accord, and gives up where one cannot be.
        monkeypatch.delitem(copyreg.dispatch_table, kind, raising=False)
    for kind in kinds:
        error = kind.__new__(kind, "what happened")
        error.args = ("what happened",)
        error.residual = {"joint": 1.0}
        error.plan = error.trajectory = lambda: None  # as what holds functions of the user
        error.__cause__ = Unpicklable()
        other = pickle.loads(pickle.dumps(error))
        assert type(other) is kind
        assert other.args == error.args
        assert other.residual == {"joint": 1.0}
        assert other.plan is other.trajectory is None
        assert [note.partition(",")[0] for note in other.__notes__] == [
            "Its plan has stayed behind",
            "Its trajectory has stayed behind",
        ]


@cache
def tapered_arm() -> fb.DAE:
    """Return an arm with a function among its parameters, which does not travel."""
    model = fb.Model("tapered")
    ground, motor = model.add(fb.Ground("ground")), model.add(fb.TorqueSource("motor"))
    joint = model.add(fb.Revolute("joint"))
    link = model.add(fb.FlexibleBeam("link", 1.0, lambda x: 1.0 + x, 20.0, fb.AssumedModes(1)))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, link.frame_a)
    return fb.assemble(model)


def starved_plan(_: float) -> object:
    from flexblocks import optim

    task = optim.RestToRest({"joint.angle": 0.0}, {"joint.angle": 1.0}, 1.0)
    return optim.solve(optim.pyomo_model(tapered_arm(), task, intervals=10), solver_options={"max_iter": 1})


def starved_run(_: float) -> object:
    return fb.simulate(tapered_arm(), (0.0, 5.0), {"motor.torque": lambda t: 0.1 * np.sin(t)}, max_steps=20)


@pytest.mark.parametrize("failing", [starved_run, pytest.param(starved_plan, marks=pytest.mark.slow)])
def test_errors_come_from_other_processes(failing: Callable[[float], object]) -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        error = pool.submit(failing, 0.0).exception()
    assert isinstance(error, ComputationError)
    if failing is starved_run:
        assert error.trajectory.t[-1] < 5.0
        assert len(error.trajectory["joint.angle"]) == len(error.trajectory.t)
    else:
        assert error.plan is None
        assert "Its plan has stayed behind" in error.__notes__[0]
        assert "link.linear_density = <function" in error.__notes__[0]


def test_what_cannot_travel_is_named() -> None:
    tapered = fb.FlexibleBeam("link", 1.0, lambda x: 1.0 + x, 20.0, discretization=fb.AssumedModes(1, tip="free"))
    model = fb.Model("tapered")
    model.connect(model.add(fb.Ground("ground")).frame_b, model.add(tapered).frame_a)
    with pytest.raises(PickleError, match=r"DAE\('tapered'.*cannot be pickled.*lambda"):
        pickle.dumps(fb.assemble(model))


@pytest.mark.slow
def test_a_plan_travels() -> None:
    from flexblocks import optim

    dae = fb.assemble(models.subudhi_morris_2002(), symbolic="payload.mass")
    task = optim.RestToRest(
        start={"joint1.angle": 0.0, "joint2.angle": 0.0}, goal={"joint1.angle": 0.5, "joint2.angle": 0.3}, duration=2.0
    )
    plan = optim.plan(dae, task, intervals=10, progress=False)
    error = pickle.loads(pickle.dumps(optim.PlanError("stopped", plan)))
    assert error.plan.objective == plan.objective
    np.testing.assert_array_equal(error.plan.trajectory.x, plan.trajectory.x)
    np.testing.assert_array_equal(error.plan.replay().trajectory.x, plan.replay().trajectory.x)
