"""Progress of a long solve."""

from __future__ import annotations

from flexblocks.progress import ProgressDisplay

from .casadi_solver import Iteration


class Progress(ProgressDisplay):
    """A line with iteration, objective and infeasibility, as the solver's iteration callback.

    Parameters
    ----------
    name : str
        What is planned.
    show : bool or None
        None for solves of more than 2 s, on a terminal or in a notebook.
    """

    def __init__(self, name: str, show: bool | None) -> None:
        super().__init__(f"Planning {name}", None, show)

    def __enter__(self) -> Progress:
        super().__enter__()
        return self

    def __call__(self, iteration: Iteration) -> None:
        """Show an iteration."""
        self.update(
            f"iteration {iteration.number}, objective {iteration.objective:.6g}, "
            f"infeasibility {iteration.infeasibility:.1e}"
        )
