"""Outcome of a case as bytes: JSON, and behind it the arrays as they are in memory.

Nothing in it runs when it is read: texts, numbers, and arrays of plain types. What does not fit
together is refused.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError, ParameterError
from flexblocks.studies.outcome import Form, Outcome, Variable, refuse_name

SIZES = struct.Struct("<III")  # of the form, of the JSON of the rest, and of its arrays
PLAIN = "biufcmMS"  # kinds of arrays that are the bytes they are in memory
KINDS = {"float": float, "complex": complex, "str": str}
KIND_OF = {"f": "float", "c": "complex", "U": "str", "O": "str"}


MALFORMED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    ParameterError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
)


class RecordError(FileFormatError):
    """A record is not what flexblocks writes."""


class RecordWriter:
    """Writes outcomes as records; the form that they share is encoded once."""

    def __init__(self) -> None:
        self._form: tuple[Form | None, bytes] = (None, b"")

    def record(self, result: Outcome) -> bytes:
        """Return an outcome as bytes."""
        if result.form is not self._form[0]:
            self._form = result.form, b"" if result.form is None else _of_form(result.form)
        arrays: list[bytes] = []
        content = {
            "values": [_encoded(value, arrays) for value in result.values],
            "error": result.error,
            "warning": result.warning,
            "seconds": float(result.seconds),
        }
        text, buffer, form = json.dumps(content).encode(), b"".join(arrays), self._form[1]
        return b"".join([SIZES.pack(len(form), len(text), len(buffer)), form, text, buffer])


class RecordReader:
    """Reads records; those of one form share it."""

    def __init__(self) -> None:
        self._form: tuple[bytes, Form | None] = (b"", None)

    def outcome(self, record: bytes) -> Outcome:
        """Return the outcome of a record.

        Raises
        ------
        RecordError
        """
        try:
            return self._outcome(record)
        except MALFORMED as error:
            raise RecordError(f"is no outcome of a case ({type(error).__name__}: {error})") from error

    def _outcome(self, record: bytes) -> Outcome:
        form_size, size, buffer_size = SIZES.unpack_from(record)
        ends = SIZES.size + form_size, SIZES.size + form_size + size
        if len(record) != ends[1] + buffer_size:
            raise ValueError(f"{len(record)} bytes")
        encoded = record[SIZES.size : ends[0]]
        if encoded != self._form[0]:
            self._form = encoded, _form(encoded)
        form, content, buffer = self._form[1], json.loads(record[ends[0] : ends[1]]), record[ends[1] :]
        values = tuple(_decoded(value, buffer) for value in content["values"])
        texts, seconds = (content["error"], content["warning"]), content["seconds"]
        if not all(isinstance(text, str) for text in texts) or not isinstance(seconds, float):
            raise TypeError("texts or time")
        if form is None:
            return Outcome(None, (), texts[0] or "unknown", texts[1], seconds)
        for variable, value in zip(form.variables, values, strict=True):
            _check(variable, value)
        return Outcome(form, values, *texts, seconds)


def _of_form(form: Form) -> bytes:
    arrays: list[bytes] = []
    content = {
        "variables": [
            [one.name, one.dims, one.shape, one.kind.__name__, _encoded(dict(one.attributes), arrays)]
            for one in form.variables
        ],
        "coordinates": [
            [name, dims, _encoded(np.asarray(values), arrays), _encoded(dict(attributes), arrays)]
            for name, (dims, values, attributes) in form.coordinates.items()
        ],
        "attributes": _encoded(dict(form.attributes), arrays),
    }
    text, buffer = json.dumps(content).encode(), b"".join(arrays)
    return b"".join([SIZES.pack(0, len(text), len(buffer)), text, buffer])


def _form(encoded: bytes) -> Form | None:
    if not encoded:
        return None
    _, size, _ = SIZES.unpack_from(encoded)
    end = SIZES.size + size
    content, buffer = json.loads(encoded[SIZES.size : end]), encoded[end:]
    variables = []
    for name, dims, shape, kind, attributes in content["variables"]:
        described = tuple(_decoded(attributes, buffer).items())
        variables.append(Variable(_name(name), tuple(map(str, dims)), tuple(map(int, shape)), KINDS[kind], described))
    coordinates = {
        _name(name): (
            tuple(map(str, dims)),
            np.asarray(_decoded(values, buffer)),
            tuple(_decoded(attributes, buffer).items()),
        )
        for name, dims, values, attributes in content["coordinates"]
    }
    return Form(tuple(variables), coordinates, _decoded(content["attributes"], buffer))


def _name(name: str) -> str:
    refuse_name(name)
    return name


def _check(variable: Variable, value: Any) -> None:
    """Refuse a value that is not of the shape and the kind of its variable."""
    array = np.asarray(value)
    kind = KIND_OF.get(array.dtype.kind)
    if array.shape != variable.shape or kind != variable.kind.__name__:
        raise ValueError(f"{variable.name} of shape {array.shape}, {array.dtype}")


def _encoded(value: Any, arrays: list[bytes]) -> Any:
    """Return a value as JSON has it; what JSON has not is a mapping with one key that says what it is."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if array.dtype.kind not in PLAIN or array.dtype.names is not None:
            return {"texts": [list(array.shape), list(map(str, array.flat)), array.dtype.kind == "U"]}
        begin = sum(map(len, arrays))
        arrays.append(np.ascontiguousarray(array).tobytes())
        return {"array": [array.dtype.str, list(array.shape), begin]}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, Mapping):
        return {"dict": [[str(key), _encoded(one, arrays)] for key, one in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_encoded(one, arrays) for one in value]}
    if isinstance(value, list):
        return [_encoded(one, arrays) for one in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def _decoded(value: Any, buffer: bytes) -> Any:
    if isinstance(value, list):
        return [_decoded(one, buffer) for one in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "array":
        dtype, shape, place = content
        return _array(dtype, shape, place, buffer)
    if kind == "texts":
        shape, texts, of_equal_length = content
        array = np.empty(len(texts), dtype=object)
        array[:] = list(map(str, texts))
        return array.reshape(shape).astype(str if of_equal_length else object)
    if kind == "complex":
        return complex(*content)
    if kind == "tuple":
        return tuple(_decoded(one, buffer) for one in content)
    if kind == "dict":
        return {str(key): _decoded(one, buffer) for key, one in content}
    raise ValueError(f"unknown kind {kind!r}")


def _array(name: str, shape: list[int], begin: int, buffer: bytes) -> Any:
    dtype, count = np.dtype(str(name)), math.prod(map(int, shape))
    if dtype.kind not in PLAIN or dtype.names is not None or dtype.subdtype is not None or min(shape, default=0) < 0:
        raise ValueError(f"array of {name}")
    end = int(begin) + count * dtype.itemsize
    if not 0 <= begin <= end <= len(buffer):
        raise ValueError("array beyond the record")
    # A copy, which may be written, as what was computed may be.
    return np.frombuffer(buffer[begin:end], dtype=dtype, count=count).reshape(shape).copy()[()]
