"""The lowest versions of the dependencies: those that pyproject.toml allows are those that .ci/floors tests."""

from __future__ import annotations

import re
import tomllib

from repository import ROOT


def numbers(version: str) -> tuple[int, ...]:
    """Return a version without the zeros at its end: 4.0.0 is 4."""
    parts = [int(part) for part in version.split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def versions(lines: list[str], sign: str) -> dict[str, tuple[int, ...]]:
    """Return the version behind the sign of each requirement, by name; a requirement of another form is refused."""
    found = {}
    for line in lines:
        parts = re.fullmatch(rf"([\w-]+){sign}([\d.]+)", line)
        assert parts, f"{line}: must be NAME{sign}VERSION"
        found[parts[1].lower()] = numbers(parts[2])
    return found


def versions_in(file: str) -> dict[str, tuple[int, ...]]:
    """Return the versions of a file of .ci, by name."""
    text = (ROOT / ".ci" / file).read_text(encoding="utf-8")
    return versions([line for line in text.splitlines() if not line.startswith("#")], "==")


def test_floors_are_those_that_are_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tested = versions_in("floors.txt")
    allowed = versions(project["dependencies"], ">=")
    extras = project["optional-dependencies"]
    for extra in ("plot", "control", "cli"):
        allowed |= versions(extras[extra], ">=")
    wanted = [line for line in extras["test"] if line.startswith(("pytest>", "pytest-xdist>", "hypothesis>"))]
    allowed |= versions(wanted, ">=")
    assert tested == allowed
    assert versions_in("floors-cluster.txt") == versions(extras["cluster"], ">=")
