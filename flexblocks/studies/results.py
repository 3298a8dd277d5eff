"""Results of a study as they come in: buffered by blocks, and written within seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from flexblocks.errors import FlexblocksError
from flexblocks.studies.block import Block
from flexblocks.studies.cases import Cases
from flexblocks.studies.identity import Identity
from flexblocks.studies.outcome import DONE, FAILED, Form, Outcome
from flexblocks.studies.stores.store import Store, StoreError

EVERY = 4.0  # s between writes of what is not complete; it is in the journals until then
SHARE = 0.03  # of the time that these writes may take: the driver shares its core with a worker
SHOWN = 5  # failed cases whose errors a warning gives


class Results:
    """Results on their way to a store.

    Attributes
    ----------
    missing : ndarray of int
        Numbers of the cases that the store did not have.
    done, failed : int
        How many there are, those of earlier runs included.
    errors : dict
        Texts of the first errors, by case.
    """

    def __init__(self, store: Store, cases: Cases, identity: Identity, retry: bool) -> None:
        self._store = store
        with _telling(store):
            state, self._form = store.open(cases, identity)
        if retry:
            state[state == FAILED] = 0
        self.missing = np.flatnonzero(state == 0)
        self.failed = int(np.count_nonzero(state == FAILED))
        self.done = len(state) - len(self.missing)
        self.errors: dict[int, str] = {}
        self.warned: dict[int, str] = {}
        self._has = state != 0
        self._blocks: dict[int, Block] = {}
        self._compared: Form | None = None  # the last that was found to be as `_form`
        self._waiting: list[tuple[int, Outcome]] = []  # failures before the form is known
        self._written, self._cost = time.monotonic(), 0.0
        self._on_disk: list[Callable[[], object]] = []

    def put(self, index: int, result: Outcome) -> None:
        """Take the outcome of a case; one that is there already is kept."""
        if self._has[index]:
            return
        if self._form is None:
            if result.form is None:
                self._count(index, FAILED, result.error)
                self._waiting.append((index, result))
                return
            self._define(result.form)
        self._put(index, result, counted=False)

    def _define(self, form: Form) -> None:
        with _telling(self._store):
            self._store.define(form)
        self._form = form
        for index, result in self._waiting:
            self._put(index, result, counted=True)
        self._waiting = []

    def _put(self, index: int, result: Outcome, counted: bool) -> None:
        start = index - index % self._store.block_size
        if start not in self._blocks:
            with _telling(self._store):
                self._blocks[start] = self._store.read(start)
        # All of a batch have one form: it is compared once.
        form = result.form if result.form is not None and result.form is self._compared else self._form
        state = self._blocks[start].put(index, result, form)
        if state == DONE:
            self._compared = result.form
        if not counted:
            self._count(index, state, str(self._blocks[start].error[index - start]))
        if result.warning and len(self.warned) < SHOWN:
            self.warned[index] = result.warning

    def _count(self, index: int, state: int, error: str) -> None:
        self._has[index] = True
        self.done += 1
        self.failed += state == FAILED
        if state == FAILED and len(self.errors) < SHOWN:
            self.errors[index] = error

    def still_missing(self) -> np.ndarray:
        """Return the numbers of the cases that are not done yet."""
        return self.missing[~self._has[self.missing]]

    def after_writing(self, forget: Callable[[], object]) -> None:
        """Call a function when all that has come in by now is written."""
        self._on_disk.append(forget)

    def write(self, at_once: bool = False) -> None:
        """Write blocks that are complete, and the others if that was some time ago.

        Raises
        ------
        StoreError
            They cannot be written; they stay in the journals.
        """
        now = time.monotonic()
        everything = at_once or now - self._written > max(EVERY, self._cost / SHARE)
        if self._waiting and at_once:
            # No case has succeeded: what they say of their errors is all there is.
            waiting, self._waiting = self._waiting, []
            for index, result in waiting:
                self._put(index, result, counted=True)
        for start, block in list(self._blocks.items()):
            if everything or block.is_complete:
                with _telling(self._store):
                    self._store.write(block)
                if self._store.path is not None and block.is_complete:
                    del self._blocks[start]
        if everything:
            self._written, self._cost = time.monotonic(), time.monotonic() - now
        if everything and not self._waiting:
            forget, self._on_disk = self._on_disk, []
            for function in forget:
                function()

    def describe(self, cases: Cases, texts: Mapping[int, str]) -> str:
        """Return the first cases of `texts` with what varies in them."""
        lines = []
        for index, text in sorted(texts.items()):
            values = ", ".join(f"{name} = {_short(value)}" for name, value in cases[index].items())
            lines.append(f"case {index} ({values}): {text}")
        return "; ".join(lines)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class _telling:
    """Context in which what a library or the system says of a file becomes an error that says what is to be done."""

    def __init__(self, store: Store) -> None:
        self._path = store.path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, FlexblocksError) and self._path is not None:
            reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
            raise StoreError(
                f"{self._path}: cannot be read or written: {reason}. What is finished is there or in the journals "
                "beside it; make room or access, and start the study again."
            ) from error
