"""The door of the public face: wrong types end in one FlexblocksError, errors in a user's code stay as they are."""

from __future__ import annotations

import inspect
import pickle
import sys
import traceback
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import casadi as ca
import numpy as np
import pandas as pd
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control, export, learning, models, optim, plot
from flexblocks.argument_types import mismatch
from flexblocks.errors import ArgumentError, FlexblocksError, ParameterError, UnexpectedError, suggestion
from flexblocks.public_calls import GUARDED, guard

PACKAGES = (fb, control, export, learning, models, optim, plot)
FUNCTIONS = [
    (package, name) for package in PACKAGES for name in package.__all__ if inspect.isfunction(getattr(package, name))
]


def pendulum() -> fb.Model:
    model = fb.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    bob = model.add(fb.Payload("bob", mass=1.0, center=(0.5, 0.0, 0.0)))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, bob.frame_a)
    return model


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (1, float), (np.float32(1), float), (ca.SX.sym("x"), float), (np.array([2.0]), float), (np.int64(3), int),
        (None, float | None), ("a", str | Path), (Path("a"), str | Path), ([1, 2], tuple[float, float]),
        (np.zeros(3), Sequence[float]), (pd.Series([1.0]), Sequence[float]), ([[1.0, 2.0]], np.ndarray),
        ({"a": 1}, Mapping[str, float]), ("free", Literal["free"]), (len, Callable[[Any], int]),
        (iter("ab"), Iterable[str]), (object(), Any), ({"a": 1.0}, Iterable[str]), (ca.DM([1, 2]), np.ndarray),
    ],
)  # fmt: skip
def test_what_numpy_and_casadi_call_a_number_passes_as_one(value: Any, hint: Any) -> None:
    assert mismatch("it", value, hint) is None


@pytest.mark.parametrize(
    ("value", "hint", "words"),
    [
        ("1", float, "it = '1' (str); must be a number"),
        (True, float, "it = True (bool); must be a number"),
        (2.0, int, "it = 2.0 (float); must be an integer"),
        ("abc", Sequence[str], "it = 'abc' (str); must be a sequence of strings"),
        ([1, "b"], Sequence[float], "it[1] = 'b' (str); must be a number"),
        ({"a": "b"}, Mapping[str, float] | None, "it['a'] = 'b' (str); must be a number"),
        ({1: 2.0}, Mapping[str, float], "a name in it = 1 (int); must be a string"),
        ((1.0, 2.0, 3.0), tuple[float, float], "it = (1.0, 2.0, 3.0) (tuple); must be a sequence of 2"),
        (3, fb.Model | str, "it = 3 (int); must be a Model or a string"),
        ("x", Literal["a", "b"], "it = 'x' (str); must be 'a' or 'b'"),
        ([["a"]], np.ndarray, "it = [['a']] (list); must be an array of numbers"),
        (3, Callable[[float], float], "it = 3 (int); must be a function"),
    ],
)
def test_what_is_of_another_type_is_told_with_its_place(value: Any, hint: Any, words: str) -> None:
    assert str(mismatch("it", value, hint)).startswith(words)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda dae: fb.assemble(3), r"assemble: model = 3 \(int\); must be a Model"),
        (lambda dae: fb.assemble(dae.model, symbolic=([],)), r"symbolic\[0\] = \[\] \(list\); must be a string"),
        (lambda dae: fb.simulate(dae, (0.0, 0.1), progress="no"), "progress = 'no'; must be True or False"),
        (lambda dae: fb.simulate(dae, (0.0, 0.1), rol=1), "unexpected keyword argument 'rol'.*Did you mean rtol?"),
        (lambda dae: fb.simulate(dae), "simulate: missing a required argument: 't'"),
        (lambda dae: fb.Payload("p", mas=1.0), "Payload: got an unexpected keyword argument 'mas'. Did you mean mass?"),
        (lambda dae: fb.linearize("arm"), r"linearize: dae = 'arm' \(str\); must be a DAE"),
        (lambda dae: fb.linearize(dae, outputs=3), r"linearize: outputs = 3 \(int\); must be a sequence of strings"),
        (lambda dae: export.save_linear(dae, "arm.json"), r"save_linear: lin = .*must be a LinearModel"),
        (lambda dae: export.fmu(dae, 7), r"fmu: path = 7 \(int\); must be a string or a path"),
        (lambda dae: plot.arm(dae.model), r"arm: Model is of no arm; must be a DAE"),
        (lambda dae: control.close_loop(dae, 3), "close_loop: law = 3; must be a law"),
        (lambda dae: fb.Model("arm").save(3), r"Model.save: path = 3 \(int\); must be a string or a path"),
        (lambda dae: models.subudhi_morris_2002(links="two"), "links"),
    ],
)
def test_a_wrong_type_is_refused_with_argument_and_expectation(call: Callable, message: str) -> None:
    with pytest.raises(fb.FlexblocksError, match=message) as refusal:
        call(fb.assemble(pendulum()))
    assert not isinstance(refusal.value, UnexpectedError)


def test_an_error_in_a_law_of_the_user_keeps_type_and_traceback() -> None:
    def careless(t: float) -> float:
        return {}["torque"]

    dae = subudhi_morris(links=1)
    with pytest.raises(KeyError) as error:
        fb.simulate(dae, (0.0, 0.1), u={dae.u.names[0]: careless})
    assert traceback.extract_tb(error.value.__traceback__)[-1].name == "careless"


def test_an_error_in_a_block_of_the_user_keeps_type_and_traceback() -> None:
    class Careless(fb.Payload):
        def physics(self, frame: Any, local: Any) -> Any:
            return frame.no_such_thing

    model = pendulum()
    with pytest.raises(AttributeError) as error:
        fb.assemble(model.copy({name: Careless(name, mass=1.0) for name, block in model.blocks.items()
                                if isinstance(block, fb.Payload)}))  # fmt: skip
    assert traceback.extract_tb(error.value.__traceback__)[-1].name == "physics"


@pytest.fixture
def package():
    """A public package of the library with a function that has a defect, and a caller inside the library."""
    module = types.ModuleType("flexblocks.defective")
    code = (
        "from __future__ import annotations\n"
        "def divide(by: float, exact: bool = True) -> float:\n"
        "    '''Return one over a number.'''\n"
        "    return 1 / by\n"
        "def inside(by: float) -> str:\n"
        "    try:\n"
        "        return divide(by)\n"
        "    except TypeError:\n"
        "        return 'as inside'\n"
    )
    sys.modules[module.__name__] = module
    exec(code, vars(module))
    yield module
    del sys.modules[module.__name__]


def test_a_defect_is_told_as_one_with_pythons_error_as_cause(package: Any) -> None:
    guard(package.__name__, ["divide"])
    with pytest.raises(UnexpectedError, match=r"divide: ended in ZeroDivisionError.*by = 0.*report") as error:
        package.divide(0)
    assert isinstance(error.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("refused", [False, True])
def test_ctrl_c_in_c_code_is_ctrl_c_and_no_defect(package: Any, refused: bool) -> None:
    """Python makes a SystemError of it where C code goes on; one that a reader took for a damaged file stays Ctrl-C."""

    def interrupted(by: float) -> float:
        try:
            raise SystemError("returned a result with an exception set") from KeyboardInterrupt()
        except SystemError as error:
            if refused:
                raise fb.errors.FileFormatError("not readable") from error
            raise

    package.divide = interrupted
    guard(package.__name__, ["divide"])
    with pytest.raises(KeyboardInterrupt):
        package.divide(1.0)


def test_calls_inside_the_library_pass_no_door(package: Any) -> None:
    guard(package.__name__, ["divide"])
    with pytest.raises(ArgumentError, match=r"divide: by = 'x' \(str\); must be a number"):
        package.divide("x")
    assert package.inside("x") == "as inside"


@pytest.mark.parametrize(("package_", "name"), FUNCTIONS, ids=lambda value: getattr(value, "__name__", value))
def test_public_functions_pass_the_door_and_keep_what_they_say_of_themselves(package_: Any, name: str) -> None:
    function = getattr(package_, name)
    original = inspect.unwrap(function)
    assert getattr(function, GUARDED)
    assert original is not function
    assert inspect.signature(function) == inspect.signature(original)
    assert function.__doc__ == original.__doc__
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("package_", PACKAGES, ids=lambda package_: package_.__name__)
def test_public_classes_pass_the_door(package_: Any) -> None:
    kinds = [getattr(package_, name) for name in package_.__all__]
    for kind in kinds:
        if inspect.isclass(kind) and not issubclass(kind, BaseException):
            methods = [m for n, m in vars(kind).items() if inspect.isfunction(m) and not n.startswith("_")]
            assert all(hasattr(method, GUARDED) for method in methods), kind


LAW = control.PD({"joint.angle": "motor.torque"}, 1.0)
NESTED: Any = 0.0
for _ in range(70):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fb.piecewise_constant([10**400, 1.0], [0.0, 1.0]), "piecewise_constant: times has an integer beyond"),
        (lambda: control.cycloid(0.0, 10**400, 1.0), "cycloid: goal has an integer beyond"),
        (
            lambda: control.Sampled(control.PD({"joint.angle": "motor.torque"}, 1.0), 0.01, -(10**400)),
            "Sampled: delay has an integer beyond",
        ),
        (lambda: optim.Tracking({"joint1.angle": -(10**400)}), "Tracking: paths has an integer beyond"),
        # More digits than Python writes: the message about it was an error, too.
        (lambda: fb.RigidLink("link", 10**5000, 1.0), "RigidLink: length has an integer beyond"),
        (lambda: fb.studies.samples({"a": (0, 1)}, 10**12), "samples: count = 1000000000000; no memory holds so many"),
        (lambda: fb.studies.samples({"a": (0, 1)}, 10**25), "samples: count = .*; no memory holds so many"),
        (lambda: control.quintic(0.0, ca.SX(1.0), 1.0), r"quintic: goal = SX\(1\) \(SX\); must be a plain number"),
    ],
)
def test_numbers_beyond_all_numbers_and_arrays_beyond_all_arrays(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        call()


def test_threads_are_no_more_than_runs() -> None:
    runs = fb.simulate_batch(fb.assemble(pendulum()), (0.0, 0.01), x0={"joint.angle": [0.1, 0.2]}, threads=10**12)
    assert runs["complete"].all()


@pytest.mark.parametrize("reach", [np.nan, np.inf, 0.0, -1.0])
def test_eigenvalues_are_shown_up_to_a_magnitude(reach: float) -> None:
    with pytest.raises(ParameterError, match=r"eigenvalues: reach = .*finite number > 0"):
        plot.eigenvalues(fb.linearize(fb.assemble(pendulum())), reach=reach)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fb.RigidLink("link", b"1", 1.0), "length = b'1'; must be a number in m"),
        (lambda: fb.RigidBody("body", 1.0, 1.0, center=(True, 0, 0)), "center = .* must be an array"),
        (lambda: fb.Model("m", ["0", "0", "1"]), "gravity = .* must be an array"),
        (lambda: fb.RigidLink("link", 1.0, 1.0).station(True), r"station\(True\); must be a number"),
        (lambda: fb.RigidBody("body", 1.0, [[1, [2]]]), "inertia = .* or a matrix"),
        (lambda: fb.FixedTransform("turn", rotation=NESTED), "rotation = .* must be an array of shape"),
        (lambda: fb.FixedTransform("turn", rotation=[[1, [2]]]), "rotation = .* must be an array"),
        (lambda: fb.FlexibleBeam("beam", 1.0, 1.0, lambda: 0), "flexural_rigidity = .* a function of one argument"),
        (lambda: fb.StrainModes(1, (lambda: 0,)), "each must take one argument"),
        (lambda: fb.StrainModes(1, (lambda s: 1 / 0,)), "functions: the function fails at 0.01: ZeroDivisionError"),
        (lambda: fb.StrainModes(1, (lambda s: "a",)), "functions give 'a' at x/l = 0.01; must be one number each"),
        (lambda: fb.StrainModes(1, (lambda s: np.ones(2),)), r"functions give array\(\[1., 1.\]\) at x/l = 0.01"),
        (lambda: fb.StrainModes(3, points=2), "points = 2; must be a whole number from 3"),
        # What takes hours or all memory is no number of modes.
        (lambda: fb.FiniteElements(10**6), "n = 1000000; .* 1000 at the most"),
        (lambda: fb.StrainModes(2, points=10**6), "points = 1000000; .* to 1000"),
        (lambda: fb.Cable("rope", 1.0, 1.0, via=10**9), "via = 1000000000; .* 1000 at the most"),
    ],
)
def test_what_numpy_would_take_for_numbers_is_refused_and_so_are_numbers_too_large(make: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        make()


def test_a_symbol_in_a_model_is_refused_with_the_way_to_keep_one() -> None:
    """It ended in an initialisation error of CasADi when the arm was assembled, or simulated."""
    model = fb.Model("arm")
    with pytest.raises(ParameterError, match=r"length = L; must be numbers .* symbolic=\('link\.length',\)"):
        model.add(fb.RigidLink("link", ca.SX.sym("L"), 1.0))


def test_a_message_tells_beginning_and_end_of_what_is_too_long() -> None:
    with pytest.raises(ParameterError) as caught:
        fb.RigidLink("link", "1" * 10**6, 1.0)
    message = str(caught.value)
    assert len(message) < 10_000
    assert message.startswith("RigidLink 'link': length = '111")
    assert message.endswith("; must be a number in m.")


def test_a_list_that_contains_itself_is_refused_in_time() -> None:
    """The search in it for an integer beyond all numbers did not end."""
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ArgumentError, match="replace is nested too deeply, or contains itself"):
        fb.Model("m").copy(replace=endless)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda dae: fb.simulate(dae, "1 s"),
        lambda dae: fb.simulate(dae, (0.0, 0.1), rol=1),
        lambda dae: fb.simulate(dae, (0.0, 0.1), u={"motor.torqe": 1.0}),
        lambda dae: fb.linearize(dae, outputs=("bob.w",)),
        lambda dae: fb.compare(dae.model, [fb.Rigid()], output="bob.w"),
        lambda dae: dae.model["jiont"],
        lambda dae: dae.model.connect("jiont.axis", "bob.frame_a"),
        lambda dae: fb.load("nowhere.nc"),
    ],
)
def test_a_refused_argument_is_one_traceback(call: Any) -> None:
    with pytest.raises(FlexblocksError) as caught:
        call(fb.assemble(pendulum()))
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__


def test_a_message_says_first_what_may_have_been_meant() -> None:
    known = ("joint1.angle", "joint2.angle")
    assert suggestion("joint1.angel", known) == ". Did you mean joint1.angle? There are joint1.angle, joint2.angle."
    assert suggestion("x", known, "must be one of") == "; must be one of joint1.angle, joint2.angle."
