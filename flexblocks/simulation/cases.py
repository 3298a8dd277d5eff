"""Cases of a batch: which arguments vary over the runs, and the arguments of each run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing
from flexblocks.interfaces.variables import Variables

HINT = "give a list with one value for each run"


@dataclass(frozen=True, eq=False)
class Variation:
    """Axis of a batch: an argument that varies from run to run.

    Attributes
    ----------
    argument : str
        ``"u"``, ``"x0"`` or ``"p"``.
    columns : dict
        By name, a value for each run: one name, or all names of a group that is passed as a matrix.
    """

    argument: str
    columns: Mapping[str, Any]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def label(self) -> str:
        """Name in messages."""
        names = list(self.columns)
        return f"{self.argument}[{names[0]}]" if len(names) == 1 else self.argument


@dataclass(frozen=True, eq=False)
class Cases:
    """Arguments of all runs of a batch.

    Attributes
    ----------
    fixed : dict
        By argument and name, the values that all runs share.
    axes : tuple of Variation
    choice : ndarray of int (K, axes)
        Index of the value of each axis for each run.
    """

    fixed: Mapping[str, Mapping[str, Any]]
    axes: tuple[Variation, ...]
    choice: np.ndarray

    def __len__(self) -> int:
        return len(self.choice)

    def arguments(self, argument: str, run: int) -> dict[str, Any]:
        """Return the values of ``u``, ``x0`` or ``p`` for a run, by name."""
        values = dict(self.fixed[argument])
        for axis, i in zip(self.axes, self.choice[run], strict=True):
            if axis.argument == argument:
                values |= {name: column[i] for name, column in axis.columns.items()}
        return values

    def key(self, argument: str, run: int) -> tuple[int, ...]:
        """Return a key that is equal for runs with the same values of an argument."""
        chosen = zip(self.axes, self.choice[run].tolist(), strict=True)
        return tuple(i for axis, i in chosen if axis.argument == argument)


def cases(dae: DAE, u: Any, x0: Any, p: Any, product: bool, where: str) -> Cases:
    """Return the cases of a batch.

    Parameters
    ----------
    dae : DAE
    u, x0, p : dict, array or None
        Arguments of `simulate_batch`.
    product : bool
        Whether to take all combinations of the values; otherwise the i-th values belong to run i.
    where : str
        Name of the caller, for messages.

    Raises
    ------
    NameUnknownError
        A name that the arm does not have.
    ParameterError
        Nothing varies, or the numbers of values differ.
    """
    if u is not None and not isinstance(u, Mapping):
        raise ParameterError(f"{where}: u = {u!r}; must be a dict from input names to signals or lists of them.")
    fixed: dict[str, Mapping[str, Any]] = {}
    axes: list[Variation] = []
    for argument, group, values, varies in (
        ("u", dae.u, u, _is_list_of_signals),
        ("x0", dae.x, x0, _is_sequence),
        ("p", dae.p, p, _is_sequence),
    ):
        fixed[argument], varying = _split(argument, group, values, varies, where)
        axes += varying
    if not axes:
        raise ParameterError(f"{where}: nothing differs from run to run; {HINT}, or use fb.simulate.")
    for axis in axes:
        if not len(axis):
            raise ParameterError(f"{where}: {axis.label} is empty; {HINT}.")
    lengths = [len(axis) for axis in axes]
    if product:
        return Cases(fixed, tuple(axes), np.array(list(itertools.product(*map(range, lengths)))))
    if len(set(lengths)) > 1:
        counts = ", ".join(f"{axis.label}: {len(axis)}" for axis in axes)
        raise ParameterError(
            f"{where}: the numbers of values differ ({counts}); must be equal, one for each run, or set "
            "product=True to run all combinations."
        )
    return Cases(fixed, tuple(axes), np.tile(np.arange(lengths[0])[:, None], len(axes)))


def _split(
    argument: str, group: Variables, values: Any, varies: Callable[[Any], bool], where: str
) -> tuple[Mapping[str, Any], list[Variation]]:
    """Return the values that all runs share, and those that vary."""
    if values is None:
        return {}, []
    if not isinstance(values, Mapping):
        return _split_array(argument, group, values, where)
    for name in values:
        group.index(name)
    for name, value in values.items():
        if argument == "u" and not varies(value) and _is_sequence(value) and not _is_pair(value):
            raise ParameterError(
                f"{where}: u[{name}] is an array or tuple, which is ambiguous, over time or over the runs; give a "
                "list with one signal for each run, or the pair (times, values)."
            )
    axes = [Variation(argument, {name: list(value)}) for name, value in values.items() if varies(value)]
    return {name: value for name, value in values.items() if not varies(value)}, axes


def _split_array(argument: str, group: Variables, values: Any, where: str) -> tuple[Mapping[str, Any], list[Variation]]:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros((0, 0, 0))
    if isinstance(values, (list, tuple)) and any(isinstance(value, Mapping) for value in values):
        raise ParameterError(
            f"{where}: {argument} is a list of dicts; must be one dict by name, of lists with a value for each run, as "
            f'{argument}={{"{group.names[0]}": [...]}}.'
        )
    if array.ndim not in (1, 2) or array.shape[-1] != len(group):
        raise ParameterError(
            f"{where}: {argument} is of shape {np.shape(values) if array.ndim < 3 else 'unknown'}; must be "
            f"({len(group)},) or (runs, {len(group)}), in the order {listing(group.names)}; or give a dict by name."
        )
    columns = dict(zip(group.names, array.T, strict=True))
    return (columns, []) if array.ndim == 1 else ({}, [Variation(argument, columns)])


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _is_list_of_signals(value: Any) -> bool:
    return isinstance(value, list)


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(np.ndim(part) == 1 for part in value)
