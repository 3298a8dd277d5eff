"""YAML and JSON files of plain data: mappings, lists, numbers, strings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from flexblocks.atomic_file import write_text
from flexblocks.errors import FileFormatError
from flexblocks.file_paths import readable_file

YAML_SUFFIXES, JSON_SUFFIX = (".yaml", ".yml"), ".json"


class _Loader(yaml.SafeLoader):
    """Reads plain data only: no tag makes an object, and duplicate keys are refused."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 (how PyYAML chooses a schema)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        pairs = [(self.construct_object(key, deep=True), key.start_mark) for key, _ in node.value]
        for i, (key, mark) in enumerate(pairs):
            if key in [other for other, _ in pairs[:i]]:
                raise yaml.MarkedYAMLError(None, None, f"duplicate key '{key}'", mark)
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """Writes every number so that it reads back exactly, and no anchors."""

    yaml_implicit_resolvers = {}  # noqa: RUF012

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


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
        _class.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})$"), _letters)


def read_document(path: str | Path) -> Any:
    """Return the plain data in a YAML or JSON file.

    Raises
    ------
    FileFormatError
        The file cannot be read, has another suffix, is malformed, or contains a key twice.
    """
    path = Path(path)
    is_json = _is_json(path)
    try:
        text = readable_file(path).read_text(encoding="utf-8")
        return json.loads(text, object_pairs_hook=_mapping) if is_json else yaml.load(text, _Loader)
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read: {error.strerror}.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise FileFormatError(f"{path}: {place}not valid YAML: {error.problem or error.context}.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise FileFormatError(f"{path}: {place}: not valid JSON: {error.msg}.") from None
    except (ValueError, TypeError, RecursionError, yaml.YAMLError) as error:
        raise FileFormatError(f"{path}: not a {'JSON' if is_json else 'YAML'} file: {error}.") from None


def write_document(path: str | Path, data: Any) -> None:
    """Write plain data to a YAML or JSON file; a file that is there already is replaced whole or not at all.

    Raises
    ------
    FileFormatError
        The suffix is another one, or the file cannot be written.
    """
    path = Path(path)
    if _is_json(path):
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    else:
        text = yaml.dump(data, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)
    write_text(path, text)


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
