"""The register of the kinds of cases, in the order of the table."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from benchmarks.fuzz.outcome import Outcome

NAMES = ("arms", "arguments")

KINDS: dict[str, Callable[[int], Outcome]] = {name: import_module(f"benchmarks.fuzz.{name}").case for name in NAMES}
