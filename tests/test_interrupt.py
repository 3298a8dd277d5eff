"""Ctrl-C during a public call: wherever it is pressed, it ends in KeyboardInterrupt, or in what there is until then."""

from __future__ import annotations

import functools
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models
from flexblocks.interrupt import Interrupt, begin
from flexblocks.public_calls import delivering


class Presses:
    """Context that presses Ctrl-C when the nth function is called in it; after it, `calls` are all that were."""

    def __init__(self, at: int | None = None) -> None:
        self.calls, self._at = 0, at

    def __enter__(self) -> Presses:
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            self.calls += 1
            if self.calls == self._at:
                signal.raise_signal(signal.SIGINT)


def arm() -> fb.Model:
    return models.subudhi_morris_2002()


DAE = fb.assemble(arm())


def chain() -> fb.Model:
    model = fb.Model("chain", gravity=(0.0, 0.0, -9.81))
    last: Any = model.add(fb.Ground("ground")).frame_b
    for i in range(4):
        joint = model.add(fb.Revolute(f"joint{i}", axis=(0.0, 1.0, 0.0)))
        link = model.add(fb.FlexibleBeam(f"link{i}", 30.0, 4.0, 1e7, fb.AssumedModes(2)))
        model.connect(last, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        last = link.frame_b
    return model


def swing() -> Any:
    return fb.simulate(DAE, (0.0, 0.2), u={"motor1.torque": lambda t: 0.1 * np.sin(t)}, progress=False)


@functools.cache
def planned() -> Any:
    return plan()


def task() -> Any:
    from flexblocks import optim

    start = {"joint1.angle": 0.0, "joint2.angle": 0.0}
    return optim.RestToRest(start, {"joint1.angle": 0.5, "joint2.angle": 0.3}, 2.0)


def plan() -> Any:
    from flexblocks import optim

    return optim.plan(DAE, task(), intervals=10, progress=False)


def short() -> fb.Model:
    return models.subudhi_morris_2002(links=1, modes=1)


def exported() -> None:
    from flexblocks import export

    with tempfile.TemporaryDirectory() as folder:
        export.fmu(fb.assemble(short()), Path(folder) / "arm.fmu")


SLOW: dict[str, Callable[[], Any]] = {
    "assemble a chain in space": lambda: fb.assemble(chain()),
    "linear_grid": lambda: fb.linear_grid(fb.assemble(arm()), {"joint2.angle": [0.0, 0.1]}, progress=False),
    "plan": plan,
    "replay": lambda: planned().replay(law="tracking"),
    "audit": lambda: planned().audit(),
    "compile": lambda: fb.assemble(short()).compile(),
    "export.fmu": exported,
}
VERBS: dict[str, Callable[[], Any]] = {
    "assemble": lambda: fb.assemble(arm()),
    "equilibrium": lambda: fb.equilibrium(fb.assemble(arm(), symbolic=("payload.mass",)), p={"payload.mass": 0.2}),
    "linearize": lambda: fb.linearize(DAE, outputs=("payload.x",)).modes(),
    "simulate": swing,
    "choose_damping": lambda: fb.choose_damping(short(), 0.01, elsewhere=()),
}


@pytest.mark.parametrize(
    "verb",
    [*VERBS.values(), *(pytest.param(verb, marks=pytest.mark.slow) for verb in SLOW.values())],
    ids=[*VERBS, *SLOW],
)
def test_every_press_is_answered(verb: Callable[[], Any]) -> None:
    """Presses spread over the whole verb, most of them inside of CasADi's wrappers."""
    verb()  # fills caches
    with Presses() as whole:
        verb()
    for at in np.linspace(1, 0.99 * whole.calls, 3).astype(int):
        is_answered = False
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                with Presses(int(at)) as presses:
                    verb()
                is_answered = any("interrupted" in str(warning.message) for warning in told)
            except KeyboardInterrupt:
                is_answered = True
            except BaseException as error:
                pytest.fail(f"a press at call {at} ended in {error!r}")
        assert presses.calls >= at
        assert is_answered, f"a press at call {at} was swallowed"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert sys.gettrace() is None


@delivering
def pressed_in(function: Callable[[], object], then: Callable[[], object] = lambda: None) -> None:
    function()
    then()


class Swallowing:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)
        assert True


def in_a_destructor() -> None:
    thing = Swallowing()
    del thing


def in_pyomo() -> None:
    from pyomo.common.numeric_types import check_if_numeric_type

    class Pressing:
        def __add__(self, _: object) -> Pressing:
            signal.raise_signal(signal.SIGINT)
            return self

    check_if_numeric_type(Pressing())


def in_casadi() -> None:
    class Pressing:
        def __array__(self, *_: object, **__: object) -> np.ndarray:
            signal.raise_signal(signal.SIGINT)
            return np.ones(2)

        def __DM__(self) -> ca.DM:
            signal.raise_signal(signal.SIGINT)
            return ca.DM([1.0, 1.0])

    ca.DM(Pressing())


@pytest.mark.parametrize("place", [in_a_destructor, in_pyomo, in_casadi])
def test_a_press_in_code_that_swallows_all_is_obeyed_after_it(place: Callable[[], None]) -> None:
    went_on = []
    with pytest.raises(KeyboardInterrupt):
        pressed_in(place, lambda: went_on.append(True))
    assert not went_on


def test_a_press_that_somebody_else_catches_is_raised_when_the_call_ends() -> None:
    def swallow() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except BaseException as error:
            raise ValueError("something else") from error

    with pytest.raises(KeyboardInterrupt):
        pressed_in(swallow)


def test_a_press_that_no_step_of_a_work_has_seen_is_raised_at_its_end() -> None:
    def work() -> None:
        with Interrupt():
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        work()
    went_on = []
    with pytest.raises(KeyboardInterrupt):
        pressed_in(work, lambda: went_on.append(True))
    assert not went_on


def test_a_press_that_was_seen_is_not_raised_again() -> None:
    def work() -> None:
        with Interrupt() as outer, Interrupt() as interrupt:
            signal.raise_signal(signal.SIGINT)
            assert interrupt.asked
            assert outer.asked

    pressed_in(work)


def test_the_second_press_is_raised_where_it_is() -> None:
    def stubborn() -> None:
        with Interrupt():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            pytest.fail("continues")

    with pytest.raises(KeyboardInterrupt):
        pressed_in(stubborn)


def test_handlers_of_the_user_stay_in_charge() -> None:
    presses: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: presses.append(number))
    try:
        run = fb.simulate(DAE, (0.0, 0.1), u={"motor1.torque": lambda t: _press(t, presses)}, progress=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert run.complete
    assert presses


def _press(t: float, presses: list[int]) -> float:
    if not presses:
        signal.raise_signal(signal.SIGINT)
    return 0.1 * t


def test_a_debugger_goes_on_tracing() -> None:
    def tracer(*_: object) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        with pytest.raises(KeyboardInterrupt):
            pressed_in(in_a_destructor)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


def test_threads_and_inner_calls_have_no_delivery_of_their_own() -> None:
    deliveries: list[object] = []
    thread = threading.Thread(target=lambda: deliveries.append(begin()))
    thread.start()
    thread.join()
    pressed_in(lambda: deliveries.append(begin()))
    assert deliveries == [None, None]
