"""YAML and JSON files of plain data: mappings, lists, numbers, strings."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import yaml

from flexblocks.errors import FileFormatError
from flexblocks.files import readable_file, write_text

# By which a JSON file names its schema, for editors; no part of its content.
SCHEMA_KEY = "$schema"
YAML_SUFFIXES, JSON_SUFFIX = (".yaml", ".yml"), ".json"


# libyaml reads ten times as fast; it comes with PyYAML's wheels.
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Levels of lists and mappings: a model has five. Beyond a thousand Python's and libyaml's recursions break down.
MOST_LEVELS = 100
TOO_DEEP = f"not a {{}} file: more than {MOST_LEVELS} levels of lists and mappings."
TAG = "tag:yaml.org,2002:"
PLAIN = ("null", "bool", "int", "float", "str", "seq", "map")
# Values that aliases may repeat, beside those a file writes out: a hundred bytes can stand for billions.
MOST_REPEATED = 100_000


class _Loader(_Base):
    """Reads plain data only: no tag makes an object, and duplicate keys are refused."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 (how PyYAML chooses a schema)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        mark = node.start_mark
        if node.tag.removeprefix(TAG) not in PLAIN:
            words = f"the tag {node.tag.replace(TAG, '!!')}; must be plain numbers, strings, lists and mappings"
            raise yaml.MarkedYAMLError(None, None, words, mark)
        try:
            return super().construct_object(node, deep)
        except (yaml.YAMLError, RecursionError):
            raise
        except Exception:  # PyYAML reads text of another type than its tag says without checking it first
            words = f"{node.value!r} cannot be read as {node.tag.replace(TAG, '!!')}"
            raise yaml.MarkedYAMLError(None, None, words, mark) from None

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        if not isinstance(node, yaml.MappingNode):
            raise yaml.MarkedYAMLError(None, None, "what is here cannot be read as !!map", node.start_mark)
        known = set()
        for node_of_key, _ in node.value:
            key, mark = self.construct_object(node_of_key, deep=True), node_of_key.start_mark
            if not isinstance(key, Hashable):
                raise yaml.MarkedYAMLError(None, None, f"a key must be a name, and is {type(key).__name__}", mark)
            if key in known:
                raise yaml.MarkedYAMLError(None, None, f"duplicate key '{key}'", mark)
            known.add(key)
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """Writes every number so that it reads back exactly, and no anchors."""

    yaml_implicit_resolvers = {}  # noqa: RUF012

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


# A line end in YAML 1.1, which PyYAML writes as it is and reads as a space, unless a text is written with escapes.
NEXT_LINE = "\x85"


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar(f"{TAG}str", text, style='"' if NEXT_LINE in text else None)


_Dumper.add_representer(str, _text)


# The core schema of YAML 1.2. PyYAML's default is 1.1, where 1e6 is a string, 010 is eight and on is True.
for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", "~nN"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+."),
):
    for _class in (_Loader, _Dumper):
        _letters = [*_first, ""] if _tag == "null" else list(_first)
        _class.add_implicit_resolver(f"{TAG}{_tag}", re.compile(f"(?:{_pattern})$"), _letters)


def read_document(path: str | Path) -> Any:
    """Return the plain data in a YAML or JSON file, without the address of its schema.

    Raises
    ------
    FileFormatError
        The file cannot be read, has another suffix, is malformed, or contains a key twice.
    """
    path = Path(path)
    is_json = _is_json(path)
    try:
        text = readable_file(path).read_text(encoding="utf-8")
        data = json.loads(text, object_pairs_hook=_mapping) if is_json else _read_yaml(text)
        _check_size(data, len(text) + MOST_REPEATED)
        if isinstance(data, dict):
            data.pop(SCHEMA_KEY, None)
        return data
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read: {error.strerror}.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if "nesting depth" in (error.problem or ""):  # libyaml itself counts levels from 0.2.6 on
            raise FileFormatError(f"{path}: {TOO_DEEP.format('YAML')}") from None
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise FileFormatError(f"{path}: {place}not valid YAML: {error.problem or error.context}.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise FileFormatError(f"{path}: {place}: not valid JSON: {error.msg}.") from None
    except RecursionError:
        raise FileFormatError(f"{path}: {TOO_DEEP.format('JSON' if is_json else 'YAML')}") from None
    except Exception as error:  # tags of YAML read text by functions that raise whatever they run into
        raise FileFormatError(
            f"{path}: not a {'JSON' if is_json else 'YAML'} file: {str(error).rstrip('.')}."
        ) from None


def write_document(path: str | Path, data: Any, schema: str = "") -> None:
    """Write plain data to a YAML or JSON file; a file that is there already is replaced whole or not at all.

    The address of its JSON Schema, if there is one, is named first, so that editors complete and check the file.

    Raises
    ------
    FileFormatError
        The suffix is another one, or the file cannot be written.
    """
    path = Path(path)
    if _is_json(path):
        text = json.dumps(({SCHEMA_KEY: schema} if schema else {}) | data, indent=2, ensure_ascii=False) + "\n"
    else:
        text = yaml.dump(data, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)
        text = (f"# yaml-language-server: $schema={schema}\n" if schema else "") + text
    write_text(path, text)


def _read_yaml(text: str) -> Any:
    """Return the data of a YAML document; its levels are counted first, since libyaml ends Python at some thousand."""
    level = 0
    for event in yaml.parse(text, _Loader):
        level += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if level > MOST_LEVELS:
            mark = event.start_mark
            raise yaml.MarkedYAMLError(None, None, f"more than {MOST_LEVELS} levels of lists and mappings", mark)
    return yaml.load(text, _Loader)


def _check_size(data: Any, most: int) -> None:
    """Refuse data with aliases that contain themselves, or stand for more than `most` values in all."""
    waiting, count = [(data, 0)], 0
    while waiting:
        value, level = waiting.pop()
        if isinstance(value, dict):
            inside: Iterable[Any] = value.values()
        elif isinstance(value, (list, tuple, set)):
            inside = value
        else:
            continue
        if level >= MOST_LEVELS:
            raise ValueError(f"more than {MOST_LEVELS} levels of lists and mappings, or one that contains itself")
        count += len(value)
        if count > most:
            raise ValueError(f"its aliases stand for more than {most} values; write the values out")
        waiting.extend((one, level + 1) for one in inside)


def _is_json(path: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix not in (*YAML_SUFFIXES, JSON_SUFFIX):
        raise FileFormatError(f"{path}: ends in '{path.suffix}'; must end in .yaml, .yml or .json.")
    return suffix == JSON_SUFFIX


def _mapping(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if key in mapping:
            raise ValueError(f"duplicate key '{key}'")
        mapping[key] = value
    return mapping
