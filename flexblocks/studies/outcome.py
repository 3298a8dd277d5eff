"""Outcome of a case: named numbers, arrays and texts, or the text of an error."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.studies.cases import Case
from flexblocks.user_warning import collected_warnings

DONE, FAILED = 1, 2  # 0 is missing
KINDS = {"b": float, "i": float, "u": float, "f": float, "c": complex, "U": str, "O": str}
RESERVED = ("", ".", "..", "case", "state", "error", "warning", "seconds")
Attributes = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Variable:
    """Form of a variable of all cases: what of it does not depend on the case."""

    name: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    kind: type
    attributes: Attributes = ()


@dataclass(frozen=True)
class Form:
    """Form of the outcomes of a study, the same for all its cases.

    Attributes
    ----------
    variables : tuple of Variable
    coordinates : dict
        By name (dims, values, attributes), such as the times of motions.
    attributes : dict
        Of the whole, such as the model's name.
    """

    variables: tuple[Variable, ...]
    coordinates: Mapping[str, tuple[tuple[str, ...], np.ndarray, Attributes]] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Outcome:
    """Outcome of a case.

    Attributes
    ----------
    form : Form or None
        None if the case failed.
    values : tuple
        In the order of the form's variables.
    error : str
        Text of the error of a case that failed, otherwise empty.
    warning : str
        Texts of the warnings of flexblocks during the case.
    seconds : float
        Time it took [s].
    """

    form: Form | None
    values: tuple[Any, ...] = ()
    error: str = ""
    warning: str = ""
    seconds: float = 0.0

    @property
    def state(self) -> int:
        """DONE or FAILED."""
        return FAILED if self.form is None else DONE


def outcome(function: Callable[[Case], Any], case: Case) -> Outcome:
    """Return the outcome of a function for a case; an error of it is one, too."""
    began = time.perf_counter()
    with collected_warnings() as withheld:
        try:
            form, values = described(function(case))
            error = ""
        except Exception as failure:  # of the user's task: whatever it raises is the outcome of this case
            form, values, error = None, (), text_of(failure)
    warnings = "\n".join(f"{kind.category.__name__}: {message}" for message, kind in withheld)
    return Outcome(form, values, error, warnings, time.perf_counter() - began)


def text_of(error: BaseException) -> str:
    """Return the text of an error, never empty."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def described(result: Any) -> tuple[Form, tuple[Any, ...]]:
    """Return form and values of what a task has returned.

    Raises
    ------
    ParameterError
        It is nothing that a Dataset can hold.

    Notes
    -----
    Tasks of the library return form and values themselves, which takes a hundredth of the time of a Dataset.
    """
    if isinstance(result, tuple):
        if len(result) == 2 and isinstance(result[0], Form):
            return result
    elif hasattr(result, "to_xarray"):
        result = result.to_xarray()
    if hasattr(result, "data_vars"):
        return _of_dataset(result)
    if not isinstance(result, Mapping):
        result = {"value": result}
    variables, values = [], []
    for name, value in result.items():
        dims, array, attributes = _parts(str(name), value)
        variables.append(_variable(str(name), dims, array, attributes))
        values.append(_converted(array, variables[-1].kind))
    return Form(tuple(variables)), tuple(values)


def _of_dataset(dataset: Any) -> tuple[Form, tuple[Any, ...]]:
    variables, values = [], []
    for name, data in dataset.data_vars.items():
        variables.append(_variable(str(name), tuple(map(str, data.dims)), data.values, dict(data.attrs)))
        values.append(_converted(data.values, variables[-1].kind))
    for name in dataset.coords:
        refuse_name(str(name))
    coordinates = {
        str(name): (tuple(map(str, data.dims)), np.asarray(data.values), tuple(data.attrs.items()))
        for name, data in dataset.coords.items()
    }
    return Form(tuple(variables), coordinates, dict(dataset.attrs)), tuple(values)


def _parts(name: str, value: Any) -> tuple[tuple[str, ...] | None, np.ndarray, Mapping[str, Any]]:
    """Return dims, array and attributes of a value: a number, an array, a text, or (dims, array[, attributes])."""
    if isinstance(value, tuple) and len(value) in (2, 3) and _are_dims(value[0]):
        dims = (value[0],) if isinstance(value[0], str) else tuple(value[0])
        return dims, np.asarray(value[1]), value[2] if len(value) == 3 else {}
    try:
        return None, np.asarray(value), {}
    except ValueError as error:
        raise ParameterError(f"study: the task's result '{name}': {error}") from None


def _are_dims(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(dim, str) for dim in value))


def _variable(name: str, dims: tuple[str, ...] | None, array: np.ndarray, attributes: Mapping[str, Any]) -> Variable:
    kind = KINDS.get(array.dtype.kind)
    if kind is None or (array.dtype.kind == "O" and not all(isinstance(one, str) for one in array.flat)):
        raise ParameterError(
            f"study: the task's result '{name}' is a {type(array.item() if array.ndim == 0 else array).__name__}; must "
            "be a number, a text, an array of these, or a dict of such; or a Dataset or Trajectory."
        )
    refuse_name(name)
    dims = tuple(f"{name}_{k}" for k in range(array.ndim)) if dims is None else dims
    if len(dims) != array.ndim:
        raise ParameterError(f"study: the task's result '{name}' has dimensions {dims} for shape {array.shape}.")
    return Variable(name, dims, array.shape, kind, tuple(attributes.items()))


def refuse_name(name: str) -> None:
    """Refuse the name of a result, a coordinate or a dimension that a store cannot hold.

    Raises
    ------
    ParameterError
    """
    if "/" in name or "\\" in name or name in RESERVED:
        raise ParameterError(f"study: the task's result '{name}' cannot have this name; choose another.")


def _converted(array: np.ndarray, kind: type) -> Any:
    return array.astype(object if kind is str else kind)[()]  # a text alone is no array


def same_form(first: Form, other: Form) -> str:
    """Return what differs between two forms, empty if nothing does."""
    if first is other:
        return ""
    theirs = {variable.name: variable for variable in other.variables}
    for variable in first.variables:
        match = theirs.pop(variable.name, None)
        if match is None:
            return f"has no '{variable.name}'"
        if match.shape != variable.shape:
            return f"has '{variable.name}' of shape {match.shape}, not {variable.shape}"
        if match.dims != variable.dims:
            return f"has '{variable.name}' over {match.dims}, not {variable.dims}"
        if match.kind is not variable.kind:
            return f"has '{variable.name}' of type {match.kind.__name__}, not {variable.kind.__name__}"
    if theirs:
        return f"has '{next(iter(theirs))}', too"
    for name, (_, values, _) in first.coordinates.items():
        if name not in other.coordinates or not np.array_equal(values, other.coordinates[name][1]):
            return f"has another coordinate '{name}'"
    return ""


def same_layout(first: Form, other: Form) -> bool:
    """Whether values of one form are in the places that another form says."""
    same_order = [one.name for one in first.variables] == [one.name for one in other.variables]
    return first is other or (same_order and not same_form(first, other))
