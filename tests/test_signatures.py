"""One language of arguments: what every public call names alike, and choices that editors complete."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator

import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control, export, learning, models, optim, plot
from flexblocks.argument_types import annotated_types
from flexblocks.simulation.method import METHODS

PACKAGES = (fb, control, export, learning, models, optim, plot)
# Names that an argument does not have, with what it is called instead.
OTHERWISE = {
    "kv": "kd",
    "centre": "center",
    "colour": "color",
    "traj": "trajectory",
    "t0": "begin",
    "initial": "x0 or start",
    "freq": "frequency",
    "filename": "path",
    "file": "path",
}
# Where a state begins: a coordinate's start value in the model, or the start of a planned or commanded motion.
STARTS = re.compile(
    r"Coordinate|Variable|DependentVariable|DHRow|.*Joint|Gimbal|(Driven)?(Prismatic|Revolute)|Rotor|SlidingBeam|Track|Universal|Cylindrical"
    r"|Task|Problem|RestToRest|quintic|cycloid|concrete_pump|space_arm|from_urdf|from_mjcf"
    r"|Kind"  # Python's own, of enumerations
)
WORDS = re.compile(r'^( *)(\w+) : ((?:"[^"]+"(?:, | or )?)+)(?:, optional)?$', re.M)


def calls() -> Iterator[tuple[str, Callable[..., typing.Any], type | None]]:
    """Yield the public functions, constructors and methods, each with its name and its class."""
    for package in PACKAGES:
        for name in package.__all__:
            member = getattr(package, name)
            if inspect.isclass(member):
                if not issubclass(member, BaseException):
                    yield name, member, member
                for key, _ in inspect.getmembers(member, callable):
                    if not key.startswith("_") and inspect.isroutine(found := getattr(member, key)):
                        yield f"{name}.{key}", found, None
            elif inspect.isfunction(member):
                yield name, member, None


CALLS = {name: (call, owner) for name, call, owner in calls()}


def signature(name: str) -> inspect.Signature:
    try:
        return inspect.signature(CALLS[name][0])
    except (TypeError, ValueError):  # written in C
        return inspect.Signature()


def test_arguments_have_one_name() -> None:
    found = {(name, p): OTHERWISE[p] for name in CALLS for p in signature(name).parameters if p in OTHERWISE}
    assert not found


def test_start_is_where_a_coordinate_or_a_motion_starts() -> None:
    found = [name for name in CALLS if "start" in signature(name).parameters and not STARTS.fullmatch(name)]
    assert not found


def test_start_states_are_x0_and_operating_points_at() -> None:
    for name in ("simulate", "simulate_batch", "compare"):
        assert "x0" in signature(name).parameters
    for name in ("linearize", "linear_grid", "choose_damping", "margins", "multipliers", "open_loop", "LQR", "Kalman"):
        assert "at" in signature(name).parameters
    assert list(signature("equilibrium").parameters)[:2] == ["dae", "x"]


def test_gravity_is_a_vector() -> None:
    for name in ("concrete_pump", "hoist_crane", "tendon_arm", "yu_chen_2019", "Model"):
        assert len(signature(name).parameters["gravity"].default) == 3


def test_a_dae_shows_what_users_need() -> None:
    shown = [name for name in dir(subudhi_morris(modes=0)) if not name.startswith("_")]
    assert len(shown) <= 40


def literals(hint: typing.Any) -> set[str]:
    """Return the words that an annotation names."""
    if typing.get_origin(hint) is typing.Literal:
        return {word for word in typing.get_args(hint) if isinstance(word, str)}
    return {word for one in typing.get_args(hint) for word in literals(one)} if _is_union(hint) else set()


def _is_union(hint: typing.Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


@pytest.mark.parametrize(
    "name", [name for name, (call, _) in CALLS.items() if WORDS.search(inspect.getdoc(call) or "")]
)
def test_words_that_are_documented_are_completed_by_editors(name: str) -> None:
    call, owner = CALLS[name]
    hints = annotated_types(inspect.unwrap(call), signature(name), owner)
    for _, argument, words in WORDS.findall(inspect.getdoc(call) or ""):
        if argument in hints:
            assert literals(hints[argument]) >= set(re.findall(r'"([^"]+)"', words)), argument


def test_methods_are_those_of_the_register() -> None:
    hints = annotated_types(inspect.unwrap(fb.simulate), signature("simulate"))
    assert literals(hints["method"]) == set(METHODS)
