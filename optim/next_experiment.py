"""The next experiment: the motion that adds most to what a fit knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from flexblocks.errors import NameUnknownError
from flexblocks.identification.results.fit import Fit

from .errors import ProblemError
from .planner import plan
from .problem.objectives.excitation import UNKNOWN, Excitation
from .problem.objectives.objective import Objective
from .problem.problem import Problem
from .problem.rest_to_rest import RestToRest
from .results.plan import Plan


def next_experiment(
    fit: Fit, problem: Problem | RestToRest, *, criterion: Literal["D", "A"] = "D", **options: Any
) -> Plan:
    """Plan the next experiment: the motion that most reduces the uncertainty of a fit's parameters.

    Parameters
    ----------
    fit : Fit
        Its parameters, with their values; what it measured, with the noise that it had.
    problem : Problem or RestToRest
        Start, end, duration and limits of the motion; its objective counts with a thousandth beside the uncertainty, so
        that of equally good motions the one of least effort is taken.
    criterion : "D" or "A"
        See `Excitation`.
    **options
        Of `plan`.

    Returns
    -------
    Plan

    Raises
    ------
    ProblemError
        The fit has no arm, or no parameter.
    FlexblocksError
        See `plan`.

    Warns
    -----
    PlanWarning
        A parameter that the motion does not show.
    """
    parameters = [each for each in fit.estimates if each.kind == "parameter"]
    if fit.dae is None or not parameters:
        raise ProblemError("next_experiment: the fit has no arm or no parameter; fit.of(dae) gives it its arm.")
    names = [each.name for each in parameters]
    noise = {name: fit.noise[name] for name in fit.measured}
    if unknown := [name for name in noise if name not in fit.dae.x and name not in fit.dae.y]:
        raise NameUnknownError(f"next_experiment: '{unknown[0]}' is neither a state nor an output of the arm.")
    step = float(np.median(np.diff(fit.records[0].t)))
    aim = Excitation(names, noise, criterion, step, known_information(fit))
    beside = problem.objective
    assert isinstance(beside, Objective)
    return plan(fit.dae, replace(problem, objective=aim + 1e-3 * beside), p=fit.p, **options)


def known_information(fit: Fit) -> np.ndarray:
    """Return what a fit knows, on the logarithms of its parameters: the inverse of their covariance."""
    places = [i for i, each in enumerate(fit.estimates) if each.kind == "parameter"]
    shares = np.array([fit.estimates[i].value or 1.0 for i in places])
    covariance = fit.covariance[np.ix_(places, places)] / np.outer(shares, shares)
    information = np.eye(len(places)) / UNKNOWN**2
    told = np.flatnonzero(np.isfinite(np.diag(covariance)))
    part = covariance[np.ix_(told, told)]
    sizes = np.sqrt(np.diag(part))
    information[np.ix_(told, told)] += np.linalg.pinv(part / np.outer(sizes, sizes), hermitian=True) / np.outer(
        sizes, sizes
    )
    return information
