"""Signals of many runs by name: what rewards, ends of episodes and observations are functions of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion

TIME = "time"


class Signals(Mapping[str, np.ndarray]):
    """Values (runs,) of the states, inputs, outputs and parameters of an arm by name, and of ``"time"`` [s].

    Outputs are computed when the first of them is read.
    """

    def __init__(self, dae: DAE, x: np.ndarray, u: np.ndarray, p: np.ndarray, time: np.ndarray) -> None:
        self._dae, self._x, self._u, self._p, self._time = dae, x, u, p, time

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the values (runs,) of one signal.

        Raises
        ------
        NameUnknownError
            The arm has no variable of that name.
        ParameterError
            An output of an arm with algebraic variables, which rollouts do not return.
        """
        if name == TIME:
            return self._time.copy()
        dae = self._dae
        for group, values in ((dae.x, self._x), (dae.u, self._u), (dae.p, self._p)):
            if name in group.names:
                return values[:, group.index(name)].copy()
        if name in dae.y.names:
            return self._outputs[:, dae.y.index(name)].copy()
        raise NameUnknownError(f"signals of '{dae.name}': there is no '{name}'{suggestion(name, list(self))}")

    def __iter__(self) -> Iterator[str]:
        dae = self._dae
        return iter((TIME, *dae.x.names, *dae.u.names, *dae.p.names, *dae.y.names))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self._x)

    @cached_property
    def _outputs(self) -> np.ndarray:
        """Outputs (runs, ny)."""
        if len(self._dae.z):
            raise ParameterError(
                f"signals of '{self._dae.name}': outputs of an arm with algebraic variables are not among the signals "
                "of rollouts; name states."
            )
        return self._dae.output(self._x.T, self._u.T, self._p.T).full().T


def stacked(signals: Signals, names: tuple[str, ...]) -> np.ndarray:
    """Return some signals as an array (runs, names)."""
    return np.stack([signals[name] for name in names], axis=1)
