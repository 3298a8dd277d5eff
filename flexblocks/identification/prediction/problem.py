"""Residuals of all records and their derivatives in the scaled unknowns: what every method minimises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.identification.prediction.kalman_gains import KalmanGains, linear_model, output_error_gains
from flexblocks.identification.prediction.predictor import Columns, Gains, Prediction, Predictor
from flexblocks.identification.prediction.recorded import Recorded
from flexblocks.identification.unknowns.sought import Unknowns

FIRST_GUESS = 0.01  # share of a signal's range that is its noise, before it is estimated


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Residuals at some values of the unknowns.

    Attributes
    ----------
    z : ndarray (k,)
    residuals : ndarray (m,)
        Those of the data, record after record, sample after sample, then those of what is known beforehand.
    jacobian : ndarray (m, k)
    predictions : tuple of Prediction
        Of each record.
    data : int
        How many residuals are those of the data.
    """

    z: np.ndarray
    residuals: np.ndarray
    jacobian: np.ndarray
    predictions: tuple[Prediction, ...]
    data: int

    @cached_property
    def compressed(self) -> np.ndarray:
        """Jacobian and residuals (k + 1, k + 1) side by side, turned so that few rows are left; their products stay."""
        both = np.column_stack([self.jacobian, self.residuals])
        rows = both if len(both) < both.shape[1] else np.linalg.qr(both, mode="r")
        missing = both.shape[1] - len(rows)
        return np.vstack([rows, np.zeros((missing, both.shape[1]))])

    @property
    def cost(self) -> float:
        """Half the sum of squares."""
        return float(self.residuals @ self.residuals) / 2

    @property
    def information(self) -> np.ndarray:
        """Information (k, k) of data and prior knowledge on z, for white residuals of unit variance."""
        return self.jacobian.T @ self.jacobian


@dataclass(frozen=True, eq=False)
class Weights:
    """What weighs innovations, from some values of the unknowns: held while residuals are minimised.

    Attributes
    ----------
    gains : tuple of Gains
        Of each record.
    deviations : ndarray (ny,)
        Standard deviations of the measurements.
    """

    gains: tuple[Gains, ...]
    deviations: np.ndarray

    @property
    def log_determinant(self) -> float:
        """Half the sum of the logarithms of the variances of all innovations, the other part of their likelihood."""
        diagonals = np.concatenate([np.diagonal(g.whitening, axis1=1, axis2=2).ravel() for g in self.gains])
        return -float(np.sum(np.log(diagonals[diagonals > 0])))


class Problem:
    """Residuals of an arm's predictions from records.

    Parameters
    ----------
    dae : DAE
    records : sequence of Recorded
    measured : tuple of str
    unknowns : Unknowns
    noise : dict of float
        Standard deviations of measurements, which are estimated where they are left out, and of inputs.
    uncertainty : dict of float
        Of the state at the start of each record, by name.
    p : dict or None
        Parameters that are not sought, where they are not those of the model.
    filters : bool
        Whether predictions are those of a Kalman filter, and not a simulation.
    compiled : bool
    """

    def __init__(
        self,
        dae: DAE,
        records: Sequence[Recorded],
        measured: tuple[str, ...],
        unknowns: Unknowns,
        noise: Mapping[str, float],
        uncertainty: Mapping[str, float],
        p: Mapping[str, float] | None,
        filters: bool,
        compiled: bool,
    ) -> None:
        self.dae, self.records, self.measured, self.unknowns = dae, tuple(records), measured, unknowns
        self.noise = dict(noise)
        self.estimated = np.array([name not in noise for name in measured])
        self._p = dae.p.values(p, "identify: p: ")
        lin = linear_model(dae, measured)
        self.columns = columns(unknowns)
        self.predictor = Predictor(dae, measured, self.columns, compiled)
        inputs = {name: deviation for name, deviation in noise.items() if name in dae.u}
        self.kalman = KalmanGains(dae, lin, inputs, uncertainty, compiled) if filters else None

    def coarser(self, count: int) -> Problem:
        """Return the same problem in every `count`-th sample of the records, of which inputs are means between them."""
        coarse = copy(self)
        coarse.records = tuple(record.coarser(count) for record in self.records)
        coarse.kalman = None if self.kalman is None else self.kalman.averaged(count)
        return coarse

    @property
    def is_reweighted(self) -> bool:
        """Whether weights depend on the unknowns."""
        return self.kalman is not None or bool(np.any(self.estimated))

    def first_deviations(self) -> np.ndarray:
        """Return standard deviations (ny,) of the measurements, of those to be estimated a first guess."""
        deviations = []
        for i, name in enumerate(self.measured):
            series = np.concatenate([record.y[record.known[:, i], i] for record in self.records])
            size = float(np.ptp(series)) if len(series) else 0.0
            deviations.append(self.noise.get(name, FIRST_GUESS * size or 1.0))
        return np.array(deviations)

    def arguments(
        self, values: np.ndarray, record: int
    ) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """Return start state, parameters, and offsets of measurements and inputs, for values of the unknowns."""
        x0, p = self.records[record].x0.copy(), self._p.copy()
        offsets = np.zeros(len(self.measured)), np.zeros(len(self.dae.u))
        for sought, value in zip(self.unknowns.sought, values, strict=True):
            if sought.kind == "parameter":
                p[sought.position] = value
            elif sought.kind == "start":
                if sought.record == record:
                    x0[sought.position] = value
            else:
                offsets[sought.kind == "input offset"][sought.position] = value
        return x0, p, offsets

    def weights(self, z: np.ndarray, deviations: np.ndarray) -> Weights | None:
        """Return the weights at z, for standard deviations (ny,) of measurements; None where a state overflows."""
        values, gains = self.unknowns.values(z), []
        for number, record in enumerate(self.records):
            own = (
                output_error_gains(record, deviations, len(self.dae.x))
                if self.kalman is None
                else self.kalman(record, deviations, *self.arguments(values, number))
            )
            if own is None:
                return None
            gains.append(own)
        return Weights(tuple(gains), deviations)

    def evaluate(self, z: np.ndarray, weights: Weights) -> Evaluation:
        """Return residuals and derivatives at z."""
        values, slopes = self.unknowns.values(z), self.unknowns.slopes(z)
        predictions, residuals, jacobians = [], [], []
        for number, (record, gains) in enumerate(zip(self.records, weights.gains, strict=True)):
            prediction = self.predictor(record, gains, *self.arguments(values, number))
            jacobian = np.zeros((prediction.residuals.size, len(z)))
            places = self._places(number)
            jacobian[:, places] = prediction.derivatives.reshape(len(jacobian), -1) * slopes[places]
            predictions.append(prediction)
            residuals.append(prediction.residuals.ravel())
            jacobians.append(jacobian)
        prior, by_prior = self.unknowns.prior(z)
        data = sum(len(each) for each in residuals)
        return Evaluation(
            z, np.concatenate([*residuals, prior]), np.vstack([*jacobians, by_prior]), tuple(predictions), data
        )

    def deviations(self, evaluation: Evaluation, weights: Weights) -> np.ndarray:
        """Return the standard deviations (ny,) of the measurements, from the residuals."""
        residuals = np.concatenate([prediction.residuals for prediction in evaluation.predictions])
        known = np.concatenate([record.known for record in self.records])
        sizes = np.sqrt(np.sum(residuals**2, axis=0) / np.maximum(known.sum(axis=0), 1))
        return np.where(self.estimated & (sizes > 0), weights.deviations * sizes, weights.deviations)

    def _places(self, record: int) -> list[int]:
        """Return the positions, among all unknowns, of those that a record's prediction has derivatives in."""
        own = [i for i, each in enumerate(self.unknowns.sought) if each.kind == "start" and each.record == record]
        kinds = "parameter", "output offset", "input offset"
        common = [i for kind in kinds for i, each in enumerate(self.unknowns.sought) if each.kind == kind]
        return common + own


def columns(unknowns: Unknowns) -> Columns:
    """Return the directions of derivatives of one record."""

    def of(kind: str) -> tuple[int, ...]:
        return tuple(dict.fromkeys(each.position for each in unknowns.sought if each.kind == kind))

    return Columns(of("parameter"), of("output offset"), of("input offset"), of("start"))
