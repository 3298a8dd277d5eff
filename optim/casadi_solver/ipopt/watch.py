"""Iteration callback: reports progress, keeps the last iterate, stops on Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.interrupt import Interrupt

from ..program.nlp import NonlinearProgram
from ..program.trivial import TOLERANCE
from .data import ProgramData
from .iterate import Iterate
from .scaling import Scaling


@dataclass(frozen=True)
class Iteration:
    """One iteration, as passed to the iteration callback.

    Attributes
    ----------
    number : int
        From 0, the start.
    objective : float
        In the user's sense, unscaled.
    infeasibility : float
        Largest violation of a constraint, in its unit.
    worst : str
        The name of the constraint that is violated most, as the solver scales them; empty if none is.
    scaled_infeasibility : float
        Largest violation as the solver scales them: 1 is as much as the constraint's own magnitude.
    """

    number: int
    objective: float
    infeasibility: float
    worst: str = ""
    scaled_infeasibility: float = 0.0

    def __str__(self) -> str:
        text = f"iteration {self.number}, objective {self.objective:.6g}, infeasibility {self.scaled_infeasibility:.1e}"
        return f"{text} in {self.worst}" if self.worst else text

    @classmethod
    def of(
        cls, number: int, point: Iterate, nlp: NonlinearProgram, data: ProgramData, scaling: Scaling | None
    ) -> Iteration:
        """Return the report of an unscaled iterate of a program."""
        violation = np.maximum(data.lower - point.g, point.g - data.upper)
        felt = violation if scaling is None else violation * scaling.g
        worst = int(np.argmax(felt)) if len(felt) else -1
        name = nlp.row_name(worst) if worst >= 0 and felt[worst] > TOLERANCE else ""
        most, most_felt = (float(each.max(initial=0.0)) for each in (violation, felt))
        return cls(number, nlp.sense * point.f, most, name, most_felt)


class Watch(ca.Callback):
    """The callback that CasADi calls after every iteration.

    Attributes
    ----------
    last : dict of casadi.DM
        The last iterate, keys as in the result of `casadi.nlpsol`; empty before the first.
    interrupt : Interrupt
        Ctrl-C stops the solver at the next iteration.
    error : BaseException or None
        The exception raised by the user's callback.
    """

    def __init__(self, n: int, m: int, n_p: int):
        ca.Callback.__init__(self)
        self._sizes = {"x": n, "f": 1, "g": m, "lam_x": n, "lam_g": m, "lam_p": n_p}
        self.restart(None)
        self.construct("watch", {})

    def restart(self, callback: Callable[[int, dict[str, ca.DM]], object] | None) -> None:
        """Reset for a solve; `callback` takes number and point of every iteration and returns true to stop."""
        self._callback = callback
        self.number = 0
        self.last: dict[str, ca.DM] = {}
        self.interrupt = Interrupt()
        self.error: BaseException | None = None

    def get_n_in(self) -> int:
        return ca.nlpsol_n_out()

    def get_n_out(self) -> int:
        return 1

    def get_name_in(self, i: int) -> str:
        return ca.nlpsol_out(i)

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self._sizes[ca.nlpsol_out(i)], 1)

    def eval(self, arg):
        self.last = {ca.nlpsol_out(i): item for i, item in enumerate(arg)}
        try:
            stop = self._callback is not None and bool(self._callback(self.number, self.last))
        except KeyboardInterrupt:
            stop = True
            self.interrupt.ask()
        except BaseException as error:  # must not unwind through IPOPT; the solver raises it again
            stop, self.error = True, error
        self.number += 1
        return [int(stop or self.interrupt.asked)]
