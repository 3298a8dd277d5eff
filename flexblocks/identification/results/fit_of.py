"""From a minimum to a fit: covariance, undetermined parameters, residuals."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.identification.prediction.gauss_newton import Minimum
from flexblocks.identification.prediction.problem import Problem
from flexblocks.identification.results.covariance import inverse, spread_ratio
from flexblocks.identification.results.estimates import Attempt, Estimate, FittedRecord
from flexblocks.identification.results.fit import Fit
from flexblocks.identification.results.residual_tests import SignalResidual, signal_residual
from flexblocks.identification.results.undetermined import undetermined

NORMAL_95 = 1.959963984540054


def fit_of(
    problem: Problem, minimum: Minimum, method: str, attempts: tuple[Attempt, ...], given: Mapping[str, float]
) -> Fit:
    """Return the fit of a minimum."""
    evaluation, weights, unknowns = minimum.evaluation, minimum.weights, problem.unknowns
    assert evaluation is not None
    assert weights is not None
    expected, actual = _covariances(problem, minimum)
    values, slopes = unknowns.values(evaluation.z), unknowns.slopes(evaluation.z)
    with np.errstate(invalid="ignore", divide="ignore"):
        sizes = np.sqrt(np.diag(actual))
        widened = np.where(np.isfinite(sizes), sizes / np.sqrt(np.diag(expected)), 1.0)
        covariance = actual * np.outer(slopes, slopes)
    estimates = []
    for i, sought in enumerate(unknowns.sought):
        ends = np.clip(evaluation.z[i] + np.array([-1, 1]) * NORMAL_95 * sizes[i], *(b[i] for b in unknowns.bounds()))
        low, high = (
            float(unknowns.values(np.where(np.arange(len(unknowns)) == i, end, evaluation.z))[i]) for end in ends
        )
        kind, deviation = sought.kind, float(sizes[i] * slopes[i])
        estimates.append(Estimate(sought.name, sought.unit, float(values[i]), deviation, low, high, kind))
    data = evaluation.jacobian[: evaluation.data]
    noise = dict(zip(problem.measured, weights.deviations.tolist(), strict=True))
    noise |= {name: value for name, value in problem.noise.items() if name in problem.dae.u}
    return Fit(
        problem.dae,
        tuple(estimates),
        covariance,
        undetermined(unknowns, data.T @ data),
        signal_residuals(problem, minimum),
        fitted_records(problem, minimum),
        problem.measured,
        noise,
        method,
        minimum.status,
        minimum.cost,
        attempts,
        widened,
        given,
    )


def _covariances(problem: Problem, minimum: Minimum) -> tuple[np.ndarray, np.ndarray]:
    """Return the covariances (k, k) of z: for white residuals of unit variance, and for residuals as they are."""
    evaluation, k = minimum.evaluation, len(problem.unknowns)
    assert evaluation is not None
    first, jacobians = 0, []
    for prediction in evaluation.predictions:
        n, ny = prediction.residuals.shape
        jacobians.append(evaluation.jacobian[first : first + n * ny].reshape(n, ny, k))
        first += n * ny
    known = [record.known for record in problem.records]
    residuals = [prediction.residuals for prediction in evaluation.predictions]
    M, _ = spread_ratio(residuals, known, jacobians, k)
    by_prior = evaluation.jacobian[evaluation.data :]
    D = inverse(evaluation.information)
    told = np.isfinite(np.diag(D))
    part = np.ix_(told, told)
    actual = D.copy()
    actual[part] = D[part] @ (M + by_prior.T @ by_prior)[part] @ D[part]
    return D, actual


def fitted_records(problem: Problem, minimum: Minimum) -> tuple[FittedRecord, ...]:
    """Return each record beside its prediction."""
    assert minimum.evaluation is not None
    fitted = []
    for record, prediction in zip(problem.records, minimum.evaluation.predictions, strict=True):
        measured = np.where(record.known, record.y, np.nan)
        residuals = np.where(record.known, prediction.residuals, np.nan)
        fitted.append(FittedRecord(record.name, record.t, measured, measured - prediction.innovations, residuals))
    return tuple(fitted)


def signal_residuals(problem: Problem, minimum: Minimum) -> tuple[SignalResidual, ...]:
    """Return the figures of each measured variable in each record that has it."""
    units = {n: u for group in (problem.dae.x, problem.dae.y) for n, u in zip(group.names, group.units, strict=True)}
    found = []
    for record in fitted_records(problem, minimum):
        for i, name in enumerate(problem.measured):
            innovation = record.measured[:, i] - record.predicted[:, i]
            if np.any(np.isfinite(innovation)):
                series = record.measured[:, i], innovation, record.residuals[:, i]
                found.append(signal_residual(record.name, name, units.get(name, ""), record.t, *series))
    return tuple(found)
