"""Addresses of the JSON Schemas that saved files name, for editors."""

from __future__ import annotations

# Where the project is at home: `[project.urls]` in pyproject.toml says the same.
HOME = "https://github.com/flexblocks/flexblocks"
# A schema belongs to a version of the file format, not of the library: format 1 may grow, and stays format 1.
FOLDER = f"{HOME}/raw/main/flexblocks/schemas"


def schema_address(kind: str) -> str:
    """Return the address of a schema; `kind` is ``"model"`` or ``"problem"``."""
    return f"{FOLDER}/{kind}.schema.json"
