"""Runtime type checks against annotations: which argument of a call is of the wrong type, in words."""

from __future__ import annotations

import ast
import collections.abc
import importlib.util
import inspect
import itertools
import os
import reprlib
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any

import casadi as ca
import numpy as np

# Entries of a container that are looked at: a wrong one among more is named by the error it causes.
MOST_ENTRIES = 10_000
# What each plain type is called, and what passes as it: NumPy's and CasADi's scalars, lists as tuples.
SCALARS: dict[Any, str] = {
    float: "a number",
    int: "an integer",
    bool: "True or False",
    str: "a string",
    type(None): "None",
    np.ndarray: "an array of numbers",
}
MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
SEQUENCES = (
    list,
    tuple,
    set,
    frozenset,
    collections.abc.Sequence,
    collections.abc.Iterable,
    collections.abc.Collection,
)
ITERABLE = (collections.abc.Iterable, collections.abc.Collection)
UNIONS = (typing.Union, types.UnionType)


class _Names(dict):
    """Names of a module for its annotations, with those it imports under TYPE_CHECKING alone."""

    def __missing__(self, name: str) -> Any:
        known = vars(sys.modules["builtins"])
        return known[name] if name in known else _imported_for_types(str(self["__name__"]), name)


def _imported_for_types(module: str, name: str) -> Any:
    """Return what a module imports by this name somewhere in its source; Any if it does not."""
    for statement in ast.walk(ast.parse(inspect.getsource(sys.modules[module]))):
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                if (alias.asname or alias.name) == name:
                    source = importlib.util.resolve_name("." * statement.level + (statement.module or ""), module)
                    return getattr(importlib.import_module(source), alias.name)
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                if (alias.asname or alias.name) == name:
                    return importlib.import_module(alias.name)
    return Any


def short(value: Any) -> str:
    """Return how a value is written, in about 30 characters; its type, if it cannot be written."""
    try:
        return reprlib.repr(value)
    except Exception:  # integers of more than 4300 digits have no digits, and what users write may raise anything
        return f"<{type(value).__name__}>"


def annotated_types(
    function: Callable[..., Any], signature: inspect.Signature, owner: type | None = None
) -> dict[str, Any]:
    """Return the annotations of a function's parameters, evaluated; `owner` is its class if it is a constructor.

    The constructor of a dataclass has fields of base classes among its parameters, which were annotated in other
    modules.
    """
    evaluated = {}
    for name, parameter in signature.parameters.items():
        written = Any if parameter.annotation is parameter.empty else parameter.annotation
        module = getattr(function, "__module__", "")
        for base in owner.__mro__ if owner else ():
            if name in vars(base).get("__annotations__", {}):
                module = base.__module__
                break
        scope = _Names(vars(sys.modules[module]) if module in sys.modules else {})
        try:
            evaluated[name] = eval(written, {}, scope) if isinstance(written, str) else written
        except Exception:  # an annotation for readers alone says nothing about what may come
            evaluated[name] = Any
    return evaluated


def mismatches(signature: inspect.Signature, arguments: Mapping[str, Any], hints: Mapping[str, Any]) -> list[str]:
    """Return what is of the wrong type among the arguments of a call, each as ``t = 'x' (str); must be a number``."""
    found = []
    for name, value in arguments.items():
        parameter = signature.parameters[name]
        if value is parameter.default or name not in hints:
            continue
        values = {name: value}
        if parameter.kind is parameter.VAR_POSITIONAL:
            values = {f"{name}[{i}]": entry for i, entry in enumerate(value)}
        elif parameter.kind is parameter.VAR_KEYWORD:
            values = value
        for place, entry in values.items():
            found += [message for message in [mismatch(place, entry, hints[name])] if message]
    return found


def not_plain(arguments: Mapping[str, Any], hints: Mapping[str, Any]) -> list[str]:
    """Return which numbers among the arguments came as matrices of CasADi, or masked, as `mismatches` does.

    Most functions take these; one that ended in an error without a mismatch does not.
    """
    kinds = (ca.SX, ca.DM, ca.MX, np.ma.core.MaskedConstant)
    return [
        f"{name} = {short(value)} ({type(value).__name__}); must be a plain number, such as float(value)"
        for name, value in arguments.items()
        if isinstance(value, kinds) and float in (hints.get(name), *typing.get_args(hints.get(name)))
    ]


def mismatch(place: str, value: Any, hint: Any) -> str | None:
    """Return in words how a value differs from its annotation, None if it does not."""
    wrong = next(_wrong(place, value, hint), None)
    if wrong is None:
        return None
    where, entry, expected = wrong
    return f"{where} = {short(entry)} ({type(entry).__name__}); must be {expected}"


def in_words(hint: Any) -> str:
    """Return what an annotation allows, in words: ``a mapping of names to numbers``."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    kind = origin or hint
    if origin in UNIONS:
        return " or ".join(dict.fromkeys(in_words(one) for one in inside))
    if origin is typing.Literal:
        return " or ".join(map(repr, inside))
    if kind in SCALARS:
        return SCALARS[kind]
    if kind in MAPPINGS:
        return f"a dict by name of {_plural(inside[1])}" if len(inside) == 2 else "a dict"
    if kind is tuple and inside and inside[-1] is not Ellipsis:
        return f"a sequence of {len(inside)}: " + ", ".join(in_words(one) for one in inside)
    if kind in SEQUENCES:
        return f"a sequence of {_plural(inside[0])}" if inside else "a sequence"
    if kind is collections.abc.Callable:
        return "a function"
    if kind is type:
        return "a class"
    if kind is Any or not isinstance(kind, type):
        return "as documented"
    if issubclass(kind, os.PathLike):  # pyright: ignore[reportGeneralTypeIssues]
        return "a path"
    return f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__}"


def _plural(hint: Any) -> str:
    plurals = {float: "numbers", int: "integers", str: "strings", bool: "True or False"}
    return plurals.get(hint) or in_words(hint)


def _wrong(place: str, value: Any, hint: Any) -> Iterator[tuple[str, Any, str]]:
    """Yield (place, value, what is expected) of the first thing that is of another type."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    kind = origin or hint
    if origin is typing.Annotated:
        yield from _wrong(place, value, inside[0])
    elif origin in UNIONS:
        each = [next(_wrong(place, value, one), None) for one in inside]
        if None not in each:
            # What is wrong inside a value says more than that the value is.
            deeper = [wrong for wrong in each if wrong is not None and wrong[0] != place]
            yield deeper[0] if len(deeper) == 1 else (place, value, in_words(hint))
    elif origin is typing.Literal:
        if not any(value is one or (type(value) is type(one) and value == one) for one in inside):
            yield place, value, in_words(hint)
    elif kind in MAPPINGS:
        yield from _wrong_in_mapping(place, value, hint, inside)
    elif kind in SEQUENCES:
        yield from _wrong_in_sequence(place, value, hint, inside)
    elif not _plain_matches(value, kind):
        yield place, value, in_words(hint)


def _wrong_in_mapping(place: str, value: Any, hint: Any, inside: tuple[Any, ...]) -> Iterator[tuple[str, Any, str]]:
    if not isinstance(value, Mapping):
        yield place, value, in_words(hint)
    elif len(inside) == 2:
        for name, entry in list(value.items())[:MOST_ENTRIES]:
            yield from _wrong(f"a name in {place}", name, inside[0])
            yield from _wrong(f"{place}[{short(name)}]", entry, inside[1])


def _wrong_in_sequence(place: str, value: Any, hint: Any, inside: tuple[Any, ...]) -> Iterator[tuple[str, Any, str]]:
    kind = typing.get_origin(hint) or hint
    if isinstance(value, (str, bytes, Mapping)) and not (kind in ITERABLE and isinstance(value, Mapping)):
        # A string is a sequence of strings; where that is meant, the annotation says str as well.
        yield place, value, in_words(hint)
        return
    if not isinstance(value, collections.abc.Iterable):
        yield place, value, in_words(hint)
        return
    if isinstance(value, collections.abc.Iterator):
        return  # to look at its entries would use them up
    try:
        entries = list(itertools.islice(value, MOST_ENTRIES))
    except TypeError:  # matrices of CasADi and NumPy's numbers have __iter__, and nothing to iterate over
        yield place, value, in_words(hint)
        return
    fixed = kind is tuple and inside and inside[-1] is not Ellipsis
    if fixed and len(entries) != len(inside):
        yield place, value, in_words(hint)
        return
    for i, entry in enumerate(entries):
        expected = inside[i] if fixed else inside[0] if inside else Any
        yield from _wrong(f"{place}[{i}]", entry, expected)


def _plain_matches(value: Any, kind: Any) -> bool:
    """Whether a value passes as a type that has no entries; what cannot be checked passes."""
    if kind is Any or kind is object:
        return True
    if kind is None or kind is type(None):
        return value is None
    if kind is float:
        return _is_number(value)
    if kind is int:
        return isinstance(value, (Integral, np.integer)) and not isinstance(value, bool)
    if kind is bool:
        return isinstance(value, (bool, np.bool_))
    if kind is np.ndarray:
        return _is_array(value)
    if kind is collections.abc.Callable:
        return callable(value)
    if not isinstance(kind, type):
        return True
    if issubclass(kind, os.PathLike):  # pyright: ignore[reportGeneralTypeIssues]
        return isinstance(value, os.PathLike)
    if getattr(kind, "_is_protocol", False):
        asked = [name for name in (*vars(kind), *vars(kind).get("__annotations__", {})) if not name.startswith("_")]
        return all(hasattr(value, name) for name in asked)
    return isinstance(value, kind)


def _is_number(value: Any) -> bool:
    if isinstance(value, (ca.SX, ca.DM, ca.MX)):
        return value.shape == (1, 1)
    if isinstance(value, bool):
        return False
    if isinstance(value, (np.ndarray, np.generic)):
        return value.size == 1 and value.dtype.kind in "iuf"
    return isinstance(value, Real)


def _is_array(value: Any) -> bool:
    if isinstance(value, (ca.SX, ca.DM, ca.MX)):
        return True
    if isinstance(value, (str, bytes, Mapping)) or value is None:
        return False
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except Exception:  # whatever NumPy says of it, it is no array of numbers
        return False
