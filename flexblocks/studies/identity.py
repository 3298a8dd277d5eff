"""Identity of a study: what of its task and cases decides on the results, as texts that two runs can compare."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError
from flexblocks.modeling.model import Model
from flexblocks.modeling.model_data import to_data
from flexblocks.studies.cases import Cases
from flexblocks.studies.worker import pickled

LONG = 200  # characters of a value that are kept as they are; of longer ones a digest
DEEPEST = 30

Identity = dict[str, str]


def identity(task: Any, cases: Cases) -> Identity:
    """Return the identity of a study: texts by the path of what they describe."""
    described = {"task": task, "cases": {"number": len(cases), **cases.columns}}
    return dict(_entries("", described))


def difference(stored: Identity, asked: Identity) -> str:
    """Return in words what differs first, empty if nothing does."""
    for path in dict.fromkeys([*asked, *stored]):
        there, here = stored.get(path, "nothing"), asked.get(path, "nothing")
        if there != here:
            return f"{path} is {there} there and {here} here"
    return ""


def _entries(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield path and text of a value and of all that it is made of."""
    # A function may hold itself.
    parts = _parts(value) if path.count(".") < DEEPEST else None
    if parts is None:
        yield path, _text(value)
        return
    yield path, type(value).__name__
    for name, part in parts:
        yield from _entries(f"{path}.{name}" if path else str(name), part)


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """Return what a value is made of, by name; None for a value that is one thing."""
    if isinstance(value, DAE):
        return _of_dae(value)
    if isinstance(value, Model):
        try:
            return list(to_data(value, value.name).items())
        except FlexblocksError:
            return [("blocks", dict(value.blocks)), ("graph", sorted(map(str, value.graph.edges)))]
    if isinstance(value, functools.partial):
        return [("function", value.func), ("arguments", list(value.args)), ("keywords", dict(value.keywords))]
    if isinstance(value, types.FunctionType):
        return [("name", _name_of(value)), ("code", _code(value.__code__)), *_closed_over(value)]
    if isinstance(value, types.MethodType):
        return [("name", _name_of(value)), ("of", value.__self__)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value) if field.repr]
    if isinstance(value, Mapping):
        return [(str(name), part) for name, part in value.items()]
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)  # the order of a set of texts is another one in each process
    if isinstance(value, (list, tuple)) and not _is_plain(value):
        return [(str(i), part) for i, part in enumerate(value)]
    return None


def _of_dae(dae: DAE) -> list[tuple[str, Any]]:
    """Return the names of a DAE, and the code of its equations, which is the same wherever it is assembled."""
    functions = [dae.motion, dae.output, dae.energy]
    names = [("x", dae.x), ("z", dae.z), ("u", dae.u), ("p", dae.p), ("y", dae.y)]
    return [
        ("name", dae.name),
        *((group, ", ".join(variables.names)) for group, variables in names),
        *((f"{group} start", variables.start) for group, variables in names[:4]),
        ("equations", "".join(function.serialize() for function in functions)),
        ("clocks", str([(c.period, c.offset, c.change.serialize(), c.noises) for c in dae.clocks])),
    ]


def _closed_over(function: types.FunctionType) -> list[tuple[str, Any]]:
    """Return what a function carries with it: defaults and variables of the functions around it."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    held = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *cells]
    return [(f"holds {i}", value) for i, value in enumerate(held)]


def _code(code: types.CodeType) -> str:
    """Return the instructions of a function without places in its file, so that comments may change."""
    return "code " + " ".join([code.co_code.hex(), *code.co_names, *map(_constant, code.co_consts[1:])])


def _constant(value: Any) -> str:
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(repr, value)))}}}"
    return _code(value) if isinstance(value, types.CodeType) else repr(value)


def _name_of(function: Callable[..., Any]) -> str:
    # A script is __main__ to itself and something else to workers; its name is that of its file.
    module = inspect.getmodule(function)
    return f"{getattr(module, '__name__', '')}.{getattr(function, '__qualname__', repr(function))}"


def _is_plain(values: Any) -> bool:
    return len(values) > 20 and all(isinstance(value, (int, float, str)) for value in values)


def _text(value: Any) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value)
        if value.dtype.kind != "O":
            short = np.array2string(value, separator=", ") if value.size <= 4 else f"{value.shape} "
            return short if value.size <= 4 else short + _digest(np.ascontiguousarray(value).tobytes())
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)) or _is_plain_sequence(value):
        text = repr(value)
        return text if len(text) <= LONG else f"{text[:20]}... {_digest(text.encode())}"
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    parts = vars(value) if hasattr(value, "__dict__") else None
    if parts is not None and all(isinstance(part, types.FunctionType) or not callable(part) for part in parts.values()):
        texts = dict(_entries("", parts))
        return f"{type(value).__qualname__} {_digest(repr(sorted(texts.items())).encode())}"
    return f"{type(value).__qualname__} {_digest(pickled(value))}"


def _is_plain_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
