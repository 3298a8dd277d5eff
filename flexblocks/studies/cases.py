"""Cases of a study: values of named quantities, one of each for every case."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.rich_display import text_table

Case = dict[str, Any]
SHOWN = 10  # of a printed table
MOST = 10**8  # of a grid: a gigabyte for each name


@dataclass(frozen=True, eq=False)
class Cases:
    """Cases of a study, as `grid`, `samples` and `table` make them.

    ``cases[3]`` is one of them, a dict; ``len(cases)`` is their number.

    Attributes
    ----------
    columns : dict
        By name, the values of all cases: an ndarray (n,) of numbers, or a tuple of anything that pickles.
    attributes : dict
        How they were made, which distinguishes designs of experiments later.
    """

    columns: Mapping[str, np.ndarray | tuple[Any, ...]]
    attributes: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of what varies."""
        return tuple(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, index: int) -> Case:
        return {
            name: column[index].item() if isinstance(column, np.ndarray) else column[index]
            for name, column in self.columns.items()
        }

    def __iter__(self) -> Iterator[Case]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"Cases({len(self)} of {', '.join(self.names)})"

    def __str__(self) -> str:
        shown = [(i, *self[i].values()) for i in range(min(len(self), SHOWN))]
        left = [f"... {len(self) - SHOWN} more"] if len(self) > SHOWN else []
        return "\n".join([repr(self), text_table(("case", *self.names), shown), *left])


def grid(axes: Mapping[str, Sequence[Any] | np.ndarray]) -> Cases:
    """Full factorial design: all combinations of the values, the last axis fastest.

    Parameters
    ----------
    axes : dict
        Values by name, ``{"payload.mass": [0.1, 0.2], "link1.flexural_rigidity": [0.8, 1.0, 1.2]}``.

    Raises
    ------
    ParameterError
        No axis, one without values, or too many combinations.
    """
    columns = {name: _column(name, values, "grid") for name, values in _mapping(axes, "grid").items()}
    sizes = [len(column) for column in columns.values()]
    if math.prod(sizes) > MOST:
        some = ", ".join(map(str, sizes[:5])) + (", ..." if len(sizes) > 5 else "")
        count = f"{'more than ' if len(sizes) > 99 else ''}{float(math.prod(sizes[:99])):.3g}"
        raise ParameterError(
            f"grid: {len(sizes)} axes with {some} values are {count} cases; must be {MOST:.0e} at most. Take fewer "
            "values, or samples(...) of their ranges."
        )
    made: dict[str, np.ndarray | tuple[Any, ...]] = {}
    for k, (name, column) in enumerate(columns.items()):
        inner, outer = int(np.prod(sizes[k + 1 :])), int(np.prod(sizes[:k]))
        if isinstance(column, np.ndarray):
            made[name] = np.tile(np.repeat(column, inner), outer)
        else:
            made[name] = tuple(itertools.chain.from_iterable([value] * inner for value in column)) * outer
    return Cases(made, {"design": "grid", "shape": sizes})


def table(rows: Any) -> Cases:
    """Cases from a table.

    Parameters
    ----------
    rows : dict of sequences, sequence of dicts, or pandas.DataFrame
        Columns by name, or a dict for each case, all with the same names.

    Raises
    ------
    ParameterError
        The table is empty, or its columns differ in length.
    """
    if hasattr(rows, "to_dict") and hasattr(rows, "columns"):
        rows = {str(name): rows[name].tolist() for name in rows.columns}
    elif isinstance(rows, Sequence) and not isinstance(rows, (str, bytes)) and rows:
        if not all(isinstance(row, Mapping) and row.keys() == rows[0].keys() for row in rows):
            raise ParameterError("table: the cases must be dicts with the same names.")
        rows = {name: [row[name] for row in rows] for name in rows[0]}
    columns = {name: _column(name, values, "table") for name, values in _mapping(rows, "table").items()}
    if len({len(column) for column in columns.values()}) > 1:
        counts = ", ".join(f"{name}: {len(column)}" for name, column in columns.items())
        raise ParameterError(f"table: the numbers of values differ ({counts}); must be equal, one for each case.")
    return Cases(columns, {"design": "table"})


def as_cases(cases: Any) -> Cases:
    """Return the argument `cases` of a study: Cases, or what `table` takes."""
    return cases if isinstance(cases, Cases) else table(cases)


def _mapping(axes: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(axes, Mapping) or not axes or not all(isinstance(name, str) for name in axes):
        raise ParameterError(f"{where}: {axes!r}; must be a dict of values by name, such as {{'payload.mass': [1.0]}}.")
    return axes


def _column(name: str, values: Any, where: str) -> np.ndarray | tuple[Any, ...]:
    """Return finite numbers (n,), or a tuple of anything else."""
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__len__") or not len(values):
        raise ParameterError(f"{where}: {name} = {values!r}; must be a list of values, one at least.")
    try:
        numbers = np.array(values, dtype=float)
    except (TypeError, ValueError):
        return tuple(values)
    if numbers.ndim != 1 or any(isinstance(value, (str, bool, np.bool_)) for value in values):
        return tuple(values)
    if not np.all(np.isfinite(numbers)):
        raise ParameterError(f"{where}: {name}: value {int(np.argmin(np.isfinite(numbers)))} is not finite.")
    whole = np.array(values)  # numbers of links or modes stay whole
    return whole if whole.dtype.kind in "iu" else numbers
