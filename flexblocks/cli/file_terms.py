"""Messages in the terms of the command line: options and keys of files in place of Python's calls.

stiffening=True                      stiffening: true
fb.AssumedModes(3, tip='auto')       {type: AssumedModes, n: 3, tip: auto}
method='implicit', highest=200.0     --method implicit, --highest 200.0, in a command that has these options
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Collection, Mapping
from typing import Any

# Calls without others inside, and keywords: what stands for values in messages ("n", "...") is no Python.
_CALL = re.compile(r"\b(?:fb\.|optim\.)?(?P<type>[A-Z]\w+)\((?P<arguments>[^()]*)\)")
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"
_VALUE = rf"""True|False|None|\.\.\.|"[^"]*"|'[^']*'|{_NUMBER}|\{{[^{{}}]*\}}|\[[^][]*\]|[a-z]\w*(?![\w(.])"""
_KEYWORD = re.compile(rf"(?<![\w.-])(?P<name>[a-z]\w*)=(?P<value>{_VALUE})?")
_NAMED = {"True": "true", "False": "false", "None": "null"}


def in_file_terms(message: str, options: Collection[str] = ()) -> str:
    """Return a message in which Python's calls and keywords are written as in a file.

    Parameters
    ----------
    message : str
    options : collection of str
        Options of the command, as ``--method``, which take the place of keywords of that name.
    """
    if "=" not in message and "(" not in message:
        return message
    kinds = _types()
    message = _CALL.sub(lambda found: _mapping(found, kinds), message)
    return _KEYWORD.sub(lambda found: _entry(found["name"], found["value"], options), message)


def _types() -> Mapping[str, type]:
    """Return the types that files may name."""
    from flexblocks.modeling.model_data import LIBRARY
    from flexblocks.optim.problem.serialization import TYPES

    return {**TYPES, **LIBRARY}


def _mapping(found: re.Match[str], kinds: Mapping[str, type]) -> str:
    """Return a call of a type as a mapping of a file; what is no such call as it is."""
    kind: Any = kinds.get(found["type"])
    if kind is None:
        return found[0]
    names = [field.name for field in dataclasses.fields(kind) if field.init and field.name != "name"]
    parts = [part.strip() for part in re.split(r",\s*(?![^\[{]*[\]}])", found["arguments"]) if part.strip()]
    entries = [f"type: {found['type']}"]
    for position, part in enumerate(parts):
        name, equals, value = part.partition("=")
        if equals:
            entries.append(f"{name}: {_written(value)}")
        elif part == "...":
            entries.append(part)
        elif position < len(names):
            entries.append(f"{names[position]}: {_written(part)}")
        else:
            return found[0]
    return f"{{{', '.join(entries)}}}"


def _entry(name: str, value: str | None, options: Collection[str]) -> str:
    """Return a keyword as an option of the command, if it has one of that name, or as a key of a file."""
    option = f"--{name.replace('_', '-')}"
    if option in options:
        return option if value in (None, "True") else f"{option} {_written(value)}"
    return name if value is None else f"{name}: {_written(value)}"


def _written(value: str) -> str:
    """Return a value of Python as YAML has it; as it is, if it stands for one."""
    if value in _NAMED:
        return _NAMED[value]
    try:
        plain = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value
    return plain if isinstance(plain, str) else value
