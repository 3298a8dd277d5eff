"""Schedules of straight-line programs: operations of a kind that do not wait for each other are done at once.

For machines of arrays: each step does a few operations of every kind on values of earlier steps. All steps are alike,
so that a loop of a handful of instructions stands for a program of any length. List scheduling: what more operations
wait for goes first.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.export.equations.program import Constant, Entry, Operation, Program

# Operations that are others of two operands, one of which may be a number.
ZERO, ONE = 0.0, 1.0
ALIKE: Mapping[str, tuple[str, tuple[int | float, int | float]]] = {
    "NEG": ("SUB", (ZERO, 0)),
    "TWICE": ("ADD", (0, 0)),
    "SQ": ("MUL", (0, 0)),
    "INV": ("DIV", (ONE, 0)),
}
# Operand of a place that a step leaves empty: every operation and its derivatives are finite there.
IDLE, IDLE_ACOSH = 0.5, 2.0
Places = Sequence[tuple[tuple[int, int], int]]


@dataclass(frozen=True, eq=False)
class Schedule:
    """A program in steps. Values are kept in one array: constants, arguments, then what each step computes.

    Attributes
    ----------
    constants : ndarray (nc,)
    sizes : tuple of int
        Of the arguments, all of which follow the constants.
    operands : dict of ndarray (steps, arity, width)
        Of the operations of each kind, where their operands are among the values. Each step appends its results, the
        kinds in this order.
    results : tuple of dict
        For each result where its values are, by (row, column).
    """

    constants: np.ndarray
    sizes: tuple[int, ...]
    operands: Mapping[str, np.ndarray]
    results: tuple[Mapping[tuple[int, int], int], ...]

    @property
    def start(self) -> int:
        """Where the results of the first step are."""
        return len(self.constants) + sum(self.sizes)

    @property
    def stride(self) -> int:
        """Values that a step computes."""
        return sum(places.shape[2] for places in self.operands.values())

    @property
    def steps(self) -> int:
        return len(next(iter(self.operands.values()), ()))


def schedule(source: Program, sizes: Sequence[int]) -> Schedule:
    """Return the schedule of a program whose arguments have these sizes.

    A step is as wide as the longest chain of operations requires: with all of them in steps of that number.
    """
    kinds, numbers, operands = _binary(source)
    depth, height = _chains(source)
    counts = Counter(kinds.values())
    widths = {kind: -(-count // max(depth)) for kind, count in sorted(counts.items())}
    step = _steps(kinds, operands, height, widths)
    # Places: constants, arguments, steps
    constant = {value: place for place, value in enumerate(dict.fromkeys([IDLE, IDLE_ACOSH, *numbers]))}
    first = np.cumsum([len(constant), *sizes])
    offsets = dict(zip(widths, np.cumsum([0, *widths.values()]).tolist(), strict=False))
    stride, lane, place = sum(widths.values()), Counter[tuple[str, int]](), dict[int, int]()
    for position, value in enumerate(source.values):
        if isinstance(value, Constant):
            place[position] = constant[value.value]
        elif isinstance(value, Entry):
            place[position] = int(first[value.argument]) + value.index
        else:
            kind, at = kinds[position], step[position]
            place[position] = int(first[-1]) + at * stride + offsets[kind] + lane[kind, at]
            lane[kind, at] += 1
    idle = {kind: constant[IDLE_ACOSH if kind == "ACOSH" else IDLE] for kind in widths}
    arity = {kinds[position]: len(them) for position, them in operands.items()}
    steps = max(step.values(), default=-1) + 1
    tables = {kind: np.full((steps, arity[kind], width), idle[kind], np.int32) for kind, width in widths.items()}
    for position, them in operands.items():
        kind, at = kinds[position], step[position]
        column = place[position] - int(first[-1]) - at * stride - offsets[kind]
        tables[kind][at, :, column] = [constant[one] if isinstance(one, float) else place[one] for one in them]
    results = tuple({where: place[position] for where, position in result.items()} for result in source.results)
    return Schedule(np.array(list(constant)), tuple(sizes), tables, results)


Operands = dict[int, tuple[int | float, ...]]


def _binary(source: Program) -> tuple[dict[int, str], list[float], Operands]:
    """Return kinds and operands of the operations by position, numbers among them as such; and all numbers."""
    kinds, operands = dict[int, str](), Operands()
    numbers = [value.value for value in source.values if isinstance(value, Constant)]
    for position, value in enumerate(source.values):
        if not isinstance(value, Operation):
            continue
        kind, pattern = ALIKE.get(value.name, (value.name, tuple(range(len(value.operands)))))
        kinds[position] = kind
        operands[position] = tuple(one if isinstance(one, float) else value.operands[one] for one in pattern)
        numbers += [one for one in pattern if isinstance(one, float)]
    return kinds, numbers, operands


def _chains(source: Program) -> tuple[list[int], list[int]]:
    """Return for each value the longest chain of operations up to it, and from it on."""
    depth, height = [0] * len(source.values), [0] * len(source.values)
    for position, value in enumerate(source.values):
        if isinstance(value, Operation):
            depth[position] = 1 + max(depth[operand] for operand in value.operands)
    for position in reversed(range(len(source.values))):
        value = source.values[position]
        for operand in value.operands if isinstance(value, Operation) else ():
            height[operand] = max(height[operand], height[position] + 1)
    return [*depth, 1], height


def _steps(
    kinds: Mapping[int, str], operands: Operands, height: Sequence[int], widths: Mapping[str, int]
) -> dict[int, int]:
    """Return the step of each operation, of which a step has as many of a kind as it is wide."""
    waiting, users = dict[int, int](), dict[int, list[int]]()
    for position, them in operands.items():
        before = {one for one in them if not isinstance(one, float) and one in kinds}
        waiting[position] = len(before)
        for one in before:
            users.setdefault(int(one), []).append(position)
    ready: dict[str, list[tuple[int, int]]] = {kind: [] for kind in widths}
    for position, count in waiting.items():
        if count == 0:
            heapq.heappush(ready[kinds[position]], (-height[position], position))
    step, now = dict[int, int](), 0
    while any(ready.values()):
        done = [
            heapq.heappop(ready[kind])[1] for kind, width in widths.items() for _ in range(min(width, len(ready[kind])))
        ]
        for position in done:
            step[position] = now
        for position in done:
            for user in users.get(position, ()):
                waiting[user] -= 1
                if waiting[user] == 0:
                    heapq.heappush(ready[kinds[user]], (-height[user], user))
        now += 1
    return step
