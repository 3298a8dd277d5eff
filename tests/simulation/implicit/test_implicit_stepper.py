"""Implicit steps of `fb.stepper`: those of a run, of closed loops and rollouts, for any number of threads."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.random_linkages import linkage
from flexblocks import control, models
from flexblocks.constraints.closed_state import closed_state
from flexblocks.dae import compiler
from flexblocks.errors import ParameterError

STEP, COUNT = 5e-3, 30


@pytest.fixture(params=["compiled", "interpreted"])
def how(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    monkeypatch.setenv("FLEXBLOCKS_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    if request.param == "interpreted":
        monkeypatch.setattr(compiler, "find_compiler", lambda: None)
    elif compiler.find_compiler() is None:
        pytest.skip("there is no C compiler")
    return request.param


@cache
def sampled_loop() -> fb.DAE:
    dae = fb.assemble(models.subudhi_morris_2002(modes=1))
    loops = {"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}
    law = control.Sampled(control.PD(loops, kp=2.0, kd=0.2), sample_time=2 * STEP, delay=STEP / 2)
    return control.close_loop(dae, law)


ARMS = {
    "two links": lambda: fb.assemble(models.subudhi_morris_2002(modes=1)),
    "loop": lambda: fb.assemble(linkage(1)),
    "loop with a first-order state": lambda: fb.assemble(linkage(0)),
    "prescribed": lambda: fb.assemble(models.subudhi_morris_2002(modes=1), prescribed="joint2.angle"),
}


@pytest.mark.filterwarnings("ignore:.*it could not be compiled")
@pytest.mark.parametrize(
    ("how", "name"),
    [
        ("compiled", "two links"),
        ("compiled", "loop with a first-order state"),
        ("interpreted", "loop"),
        ("interpreted", "prescribed"),
    ],
    indirect=["how"],
)
def test_steps_are_those_of_a_run_with_held_inputs(name: str, how: str) -> None:
    dae = ARMS[name]()
    step = fb.stepper(dae, STEP, method="implicit")
    U = 0.1 * np.sign(np.sin(np.arange(COUNT) // 5 + 0.5))[:, None] * np.ones(len(dae.u))
    times = STEP * np.arange(COUNT + 1)
    x = closed_state(dae, None, dae.p.start, "")
    states = [x]
    for u in U:
        states.append(step(states[-1], u))
    np.testing.assert_array_equal(step.rollout(x, U)[0], states)
    if name == "prescribed":  # whose motion `simulate` takes as positions
        (column,), (prescription,) = dae.tree.prescribed_columns, dae.tree.prescribed
        acceleration = np.diff([state[dae.tree.size + column] for state in states]) / STEP
        np.testing.assert_allclose(acceleration, U[:, prescription.input], atol=1e-9)
        return
    u = {each: fb.piecewise_constant(times[:-1], column) for each, column in zip(dae.u.names, U.T, strict=True)}
    run = fb.simulate(step.dae, times, u=u, x0=x, method="implicit", step=STEP)
    assert np.ptp(run.x, axis=0).max() > 1e-3
    np.testing.assert_allclose(states, run.x, atol=1e-6 * np.max(np.abs(run.x)))


@pytest.mark.filterwarnings("ignore:.*took .* out of vibrations")
def test_rollouts_are_equal_for_any_number_of_threads_and_go_on(how: str) -> None:
    if how == "interpreted":
        pytest.skip("it has one thread")
    closed = sampled_loop()
    step = fb.stepper(closed, STEP, method="implicit", substeps=2)
    starts = {"joint1.angle": np.linspace(0.1, 0.5, 5)}
    U = {"reference.joint1.angle": np.full((5, COUNT), 0.3)}
    runs = [step.rollout(starts, U, threads=threads) for threads in (1, 3)]
    np.testing.assert_array_equal(*runs)
    # A loop with samplers, delays and all is that of `simulate`.
    run = fb.simulate(
        closed,
        STEP * np.arange(COUNT + 1),
        u={"reference.joint1.angle": 0.3},
        x0={"joint1.angle": 0.1},
        method="implicit",
        step=STEP / 2,
    )
    np.testing.assert_allclose(runs[0][0, :-1], run.x[:-1], atol=1e-6 * np.max(np.abs(run.x)))
    again = pickle.loads(pickle.dumps(fb.stepper(closed, STEP, method="implicit", spectral_radius=0.0)))
    assert (again.method, again.spectral_radius) == ("implicit", 0.0)


def test_runs_one_by_one_do_not_depend_on_what_was_before(how: str) -> None:
    if how == "interpreted":
        pytest.skip("the compiled kernel shows it")
    dae = fb.assemble(linkage(1))
    step, x = fb.stepper(dae, STEP, method="implicit"), closed_state(dae, None, dae.p.start, "")
    first = step(x, np.full(len(dae.u), 0.2))
    step(step(first))
    np.testing.assert_array_equal(step(x, np.full(len(dae.u), 0.2)), first)


def test_what_the_method_does_not_take_is_refused() -> None:
    dae = fb.assemble(models.subudhi_morris_2002(modes=1))
    with pytest.raises(ParameterError, match="spectral_radius = 2"):
        fb.stepper(dae, STEP, method="implicit", spectral_radius=2.0)
