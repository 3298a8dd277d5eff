"""What objectives along the path cost: their kernels, and what these take as given."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError

from ..casadi_solver import CasadiGreyBox, Kernel
from ..collocation.interval import IntervalForm
from ..collocation.path_functions import path_kernel
from ..errors import ProblemError
from ..presolve.phase_transcription import Transcription
from ..problem.objective_terms import Final, Integral, Tracking
from ..problem.signals import Signals, instant
from .path_constraints import path_constants
from .read_solution import collocated_times
from .variable_index import Places


def path_cost(t: Transcription, at: Places, term: Tracking | Integral, name: str) -> CasadiGreyBox:
    """Return the grey box of an objective along the path; a final value is that of the last interval.

    Raises
    ------
    ProblemError
        A name that the arm has not; a course over time where the duration is free.
    """
    kernel, given = _kernel(t, term), path_constants(t)
    if isinstance(term, Final):
        return CasadiGreyBox(kernel, at.index[-1:], given[-1:], name=name, n_inputs=len(at.variables))
    if isinstance(term, Tracking):
        if t.is_free and term.of_time:
            raise ProblemError(
                "Tracking: a function of time, where the duration is free; give one of the share of the duration, from "
                '0 to 1, with over="share".'
            )
        references = term.references(collocated_times(t.mesh, t.scheme), t.mesh.duration)
        given = np.hstack([given, np.moveaxis(references, 0, 2).reshape(len(given), -1)])
    return CasadiGreyBox(kernel, at.index, given, name=name, n_inputs=len(at.variables))


def _kernel(t: Transcription, term: Tracking | Integral) -> Kernel:
    return _cached(t.dae, t.form, term)


@lru_cache(maxsize=32)
def _cached(dae: DAE, form: IntervalForm, term: Tracking | Integral) -> Kernel:
    at = instant(dae)
    try:
        if isinstance(term, Tracking):
            signals, ref = Signals(at), ca.SX.sym("ref", len(term.paths))
            distance = ca.vertcat(*[signals[name] for name in term.paths]) - ref
            return path_kernel(at, form, cost=ca.sumsqr(distance), reference=ref)
        final = isinstance(term, Final)
        points = (form.scheme.degree,) if final else None
        return path_kernel(at, form, cost=term.checked.at(at), points=points, integral=not final)
    except NameUnknownError as error:
        raise ProblemError(f"{type(term).__name__}: {error}") from error
