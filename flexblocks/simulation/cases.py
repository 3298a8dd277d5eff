"""The cases of a batch: what differs from run to run, and what each run is given."""

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
    """One thing that varies from run to run.

    Attributes
    ----------
    argument : str
        ``"u"``, ``"x0"`` or ``"p"``.
    columns : dict
        By name, a value for each run: one name, or all of a group that was given as a matrix.
    """

    argument: str
    columns: Mapping[str, Any]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def label(self) -> str:
        """What it is called in messages."""
        names = list(self.columns)
        return f"{self.argument}[{names[0]}]" if len(names) == 1 else self.argument


@dataclass(frozen=True, eq=False)
class Cases:
    """What the runs are given.

    Attributes
    ----------
    fixed : dict
        By argument and name, what all runs share.
    axes : tuple of Variation
    choice : ndarray of int (K, axes)
        Which value of each axis a run takes.
    """

    fixed: Mapping[str, Mapping[str, Any]]
    axes: tuple[Variation, ...]
    choice: np.ndarray

    def __len__(self) -> int:
        return len(self.choice)

    def given(self, argument: str, run: int) -> dict[str, Any]:
        """Return what a run is given for an argument, by name."""
        found = dict(self.fixed[argument])
        for axis, i in zip(self.axes, self.choice[run], strict=True):
            if axis.argument == argument:
                found |= {name: values[i] for name, values in axis.columns.items()}
        return found

    def key(self, argument: str, run: int) -> tuple[int, ...]:
        """Return what is equal for runs that are given the same for an argument."""
        chosen = zip(self.axes, self.choice[run].tolist(), strict=True)
        return tuple(i for axis, i in chosen if axis.argument == argument)


def cases(dae: DAE, u: Any, x0: Any, p: Any, product: bool, where: str) -> Cases:
    """Return the cases of a batch.

    Parameters
    ----------
    dae : DAE
    u, x0, p : dict, array or None
        As the user gave them.
    product : bool
        Whether every value goes with every other; otherwise first goes with first, second with second.
    where : str
        What was called, for messages.

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
    for argument, group, given, varies in (
        ("u", dae.u, u, _is_list_of_signals),
        ("x0", dae.x, x0, _is_sequence),
        ("p", dae.p, p, _is_sequence),
    ):
        fixed[argument], found = _split(argument, group, given, varies, where)
        axes += found
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
    argument: str, group: Variables, given: Any, varies: Callable[[Any], bool], where: str
) -> tuple[Mapping[str, Any], list[Variation]]:
    """Return what all runs share, and what varies."""
    if given is None:
        return {}, []
    if not isinstance(given, Mapping):
        return _split_array(argument, group, given, where)
    for name in given:
        group.index(name)
    for name, value in given.items():
        if argument == "u" and not varies(value) and _is_sequence(value) and not _is_pair(value):
            raise ParameterError(
                f"{where}: u[{name}] is an array or tuple, which might be meant over time or over the runs; give a "
                "list with one signal for each run, or the pair (times, values)."
            )
    axes = [Variation(argument, {name: list(value)}) for name, value in given.items() if varies(value)]
    return {name: value for name, value in given.items() if not varies(value)}, axes


def _split_array(argument: str, group: Variables, given: Any, where: str) -> tuple[Mapping[str, Any], list[Variation]]:
    try:
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros((0, 0, 0))
    if array.ndim not in (1, 2) or array.shape[-1] != len(group):
        raise ParameterError(
            f"{where}: {argument} is of shape {np.shape(given) if array.ndim < 3 else 'unknown'}; must be "
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
