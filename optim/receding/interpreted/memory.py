"""The memory of a run of a receding horizon: one vector with named parts, and the last ones of all runs."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping

import numpy as np

from ..layout import COUNTERS
from .intervals import STAGES

# Of a hash, so that a key is a whole number that a float holds with digits to spare.
KEY_BYTES = 5


class Memory:
    """One vector with named parts of these shapes, which are its attributes.

    Attributes
    ----------
    values : ndarray
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], values: np.ndarray | None = None) -> None:
        lengths = [int(np.prod(shape)) for shape in shapes.values()]
        self.values = np.zeros(sum(lengths)) if values is None else values.copy()
        parts = np.split(self.values, np.cumsum(lengths)[:-1])
        vars(self).update(
            {name: part.reshape(shape) for part, (name, shape) in zip(parts, shapes.items(), strict=True)}
        )

    @property
    def key(self) -> float:
        """A number > 0 that its content decides."""
        digest = hashlib.blake2b(self.values.tobytes(), digest_size=KEY_BYTES).digest()
        return float(int.from_bytes(digest, "big") + 1)


class Plan(Memory):
    """The plan and what else is kept from one sample to the next.

    Attributes
    ----------
    xs, us, K : ndarray (intervals + 1, nx), (intervals, nu), (intervals, rows)
        Plan, with the rates of its intervals.
    last : ndarray (nu,)
        The last command.
    pending : ndarray (waiting + 1, nu)
        Commands on their way; the last row is not used.
    predicted : ndarray (nx,)
        The state that was expected at this sample.
    force : ndarray (n,)
        Estimated generalised force.
    clock : ndarray (3,)
        Time [s], whether there is a plan, failures in a row.
    counters : ndarray
    """

    xs: np.ndarray
    us: np.ndarray
    K: np.ndarray
    last: np.ndarray
    pending: np.ndarray
    predicted: np.ndarray
    force: np.ndarray
    clock: np.ndarray
    counters: np.ndarray

    def __init__(self, sizes: Mapping[str, int], values: np.ndarray | None = None) -> None:
        N, nx, nu = sizes["N"], sizes["NX"], sizes["NU"]
        shapes = {
            "xs": (N + 1, nx),
            "us": (N, nu),
            "K": (N, STAGES * sizes["RATES_"]),
            "last": (nu,),
            "pending": (sizes["WAITING"] + 1, nu),
            "predicted": (nx,),
            "force": (sizes["NF"],),
            "clock": (3,),
            "counters": (len(COUNTERS),),
        }
        super().__init__(shapes, values)

    def count(self, name: str, by: float = 1.0) -> None:
        """Add to a counter."""
        self.counters[COUNTERS.index(name)] += by


class Ring:
    """The last memories of all runs, and the times of the iterations that made them, by their keys.

    Runs, copies and branches of runs never share a memory unless theirs are equal. Where that of a key is gone, what
    needs it begins anew.
    """

    def __init__(self, kept: int, timed: int) -> None:
        self._memories: OrderedDict[float, np.ndarray] = OrderedDict()
        self._times: OrderedDict[float, float] = OrderedDict()
        self._kept, self._timed, self._lock = kept, timed, threading.Lock()

    def found(self, key: float) -> np.ndarray | None:
        with self._lock:
            return self._memories.get(key)

    def keep(self, memory: Memory, seconds: float) -> float:
        """Keep a copy of a memory, and the time that making it took [s]; return its key."""
        key = memory.key
        with self._lock:
            for entries, value, most in (
                (self._memories, memory.values.copy(), self._kept),
                (self._times, seconds, self._timed),
            ):
                entries[key] = value  # pyright: ignore[reportArgumentType]
                entries.move_to_end(key)
                while len(entries) > most:
                    entries.popitem(last=False)
        return key

    def time_of(self, key: float) -> float | None:
        """Return the time [s] of the iteration that made this key, None where that is gone."""
        with self._lock:
            return self._times.get(key)
