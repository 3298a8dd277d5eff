"""Block of results: those of consecutive cases, in arrays, as they are written."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexblocks.studies.outcome import FAILED, Form, Outcome, Variable, same_form

EMPTY = {float: np.nan, complex: complex(np.nan, np.nan), str: ""}
DTYPES = {float: np.float64, complex: np.complex128, str: object}


@dataclass(eq=False)
class Block:
    """Results of the cases from `start` to before `stop`; nan or an empty text where there is none.

    Attributes
    ----------
    start, stop : int
    state : ndarray of uint8
        0 missing, 1 done, 2 failed.
    error, warning : ndarray of str objects
    seconds : ndarray
        Time that each case took [s].
    values : dict of ndarray
        By the name of the variable, (cases, ...).
    told : set of str
        Which of `error` and `warning` have texts in the store, which others may have to replace.
    """

    start: int
    stop: int
    state: np.ndarray = field(init=False)
    error: np.ndarray = field(init=False)
    warning: np.ndarray = field(init=False)
    seconds: np.ndarray = field(init=False)
    values: dict[str, np.ndarray] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        size = self.stop - self.start
        self.state = np.zeros(size, dtype=np.uint8)
        self.error, self.warning = np.full(size, "", dtype=object), np.full(size, "", dtype=object)
        self.seconds = np.full(size, np.nan)

    @property
    def is_complete(self) -> bool:
        """Whether no case is missing."""
        return bool(self.state.all())

    def put(self, index: int, result: Outcome, form: Form | None) -> int:
        """Store the outcome of a case and return its state; one of another form is a failure."""
        i = index - self.start
        error, state = result.error, result.state
        if result.form is not None and form is not None:
            other = same_form(form, result.form)
            if other:
                error, state = f"the result {other}, as the first one of the study has it; must be of one form.", FAILED
            else:
                where = {variable.name: k for k, variable in enumerate(result.form.variables)}
                for variable in form.variables:
                    if variable.name not in self.values:
                        self.values[variable.name] = empty(variable, self.stop - self.start)
                    self.values[variable.name][i] = result.values[where[variable.name]]
        self.state[i], self.error[i], self.warning[i], self.seconds[i] = state, error, result.warning, result.seconds
        return state


def empty(variable: Variable, size: int) -> np.ndarray:
    """Return the values of a variable for cases without a result."""
    return np.full((size, *variable.shape), EMPTY[variable.kind], dtype=DTYPES[variable.kind])
