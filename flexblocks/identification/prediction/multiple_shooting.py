"""Multiple shooting: predictions in segments, whose start states are unknowns until the segments join.

The segments' starts, the nodes s, are sought with the unknowns z; that each segment ends where the next one begins is a
constraint, linearised along the segments, so that a step solves for z alone (condensing: Bock, Recent advances in
parameter identification techniques for O.D.E., 1983). Steps are judged by the exact penalty function of the gaps
(Nocedal & Wright, Numerical Optimization, section 18.5). First values of all unknowns and nodes are those of prediction
errors, of filters that trust the inputs ever more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from flexblocks.identification.prediction.gauss_newton import FTOL, NOISE_SETTLED, Budget, Minimum, Status, Stopped
from flexblocks.identification.prediction.kalman_gains import output_error_gains
from flexblocks.identification.prediction.predictor import Gains, Prediction, Predictor
from flexblocks.identification.prediction.problem import Evaluation, Problem, Weights
from flexblocks.identification.prediction.recorded import Recorded
from flexblocks.identification.prediction.trusted_inputs import by_prediction_errors

SEGMENTS = 20  # of the longest record
JOINED = 1e-7  # gap between segments, as a share of the range of a state
ITERATIONS = 100
ROUNDS = 10  # of estimated noise
LEAST_DAMPING, MOST_DAMPING = 1e-12, 1e6
LEAST_SHARE = 1e-4  # of a step


@dataclass(frozen=True, eq=False)
class Segment:
    """Part of a record: its number among the records, its samples, and which of all nodes it begins in.

    The first segment of a record begins in the start state, and has no node.
    """

    record: int
    part: Recorded
    node: int | None


@dataclass(frozen=True, eq=False)
class Joint:
    """Residuals and gaps of segments at some z and nodes, condensed.

    Attributes
    ----------
    evaluation : Evaluation
        Residuals as they are; derivatives along joined segments.
    closing : ndarray (m,)
        By what residuals change, to first order, where nodes move so that there are no gaps.
    gaps : ndarray (g, nx)
        Ends of segments less begins of the next ones, as shares of the ranges of states.
    moves : ndarray (g, nx)
        Of the nodes, that close the gaps to first order.
    by_z : ndarray (g, nx, k)
        Derivatives of the nodes along joined segments.
    """

    evaluation: Evaluation
    closing: np.ndarray
    gaps: np.ndarray
    moves: np.ndarray
    by_z: np.ndarray

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self.evaluation.cost) and np.all(np.isfinite(self.by_z)))

    @property
    def gap(self) -> float:
        return float(np.abs(self.gaps).sum())

    @property
    def is_joined(self) -> bool:
        return bool(np.all(np.abs(self.gaps) < JOINED))


class MultipleShooting:
    """Multiple shooting of a problem, with segments of a length [s]."""

    def __init__(self, problem: Problem, length: float | None, compiled: bool) -> None:
        self.problem, self._compiled = problem, compiled
        longest = max(float(record.t[-1] - record.t[0]) for record in problem.records)
        self._segments, self._nodes = _segments(problem.records, length or longest / SEGMENTS)
        self._states = len(problem.dae.x)
        columns = replace(problem.columns, starts=tuple(range(self._states)))
        self._predictor = Predictor(problem.dae, problem.measured, columns, compiled)

    def minimized(self, start: np.ndarray, budget: Budget, label: str) -> Minimum:
        """Return the minimum that is reached from a start z (k,)."""
        problem, begun = self.problem, budget.evaluations
        deviations = problem.first_deviations()
        best: tuple[Evaluation, Weights] | None = None
        status: Status = "failed"
        try:
            first = self._filtered(start, budget, label)
            if first is None:
                return Minimum(None, None, np.inf, status, budget.evaluations - begun)
            z, nodes = first
            for _ in range(ROUNDS if np.any(problem.estimated) else 1):
                weights = problem.weights(z, deviations)
                assert weights is not None  # those of a simulation
                z, nodes, joint, converged = self._joined(z, nodes, deviations, budget, label)
                if not joint.is_finite:
                    break
                best, status = (joint.evaluation, weights), "converged" if converged else "not converged"
                before, deviations = deviations, problem.deviations(*best)
                if np.abs(deviations / before - 1).max() < NOISE_SETTLED:
                    break
        except Stopped:
            status = budget.is_over or "time limit"
        if best is None:
            return Minimum(None, None, np.inf, status, budget.evaluations - begun)
        return Minimum(*best, best[0].cost + best[1].log_determinant, status, budget.evaluations - begun)

    def _joined(
        self, z: np.ndarray, nodes: np.ndarray, deviations: np.ndarray, budget: Budget, label: str
    ) -> tuple[np.ndarray, np.ndarray, Joint, bool]:
        """Return z and nodes (g, nx) of joined segments with the least squares; whether they are."""
        low, high = self.problem.unknowns.bounds()
        ranges = np.abs(nodes).max(axis=0, initial=0.0)
        ranges = np.where(ranges > 0, ranges, 1.0)
        now, damping, penalty = self._joint(z, nodes, deviations, ranges), 1e-3, 0.0
        for _ in range(ITERATIONS if now.is_finite else 0):
            J, r = now.evaluation.jacobian, now.evaluation.residuals + now.closing
            scale = np.sqrt(damping) * np.linalg.norm(J, axis=0)
            step = -np.linalg.lstsq(np.vstack([J, np.diag(scale)]), np.append(r, np.zeros(len(z))), rcond=None)[0]
            step = np.clip(z + step, low, high) - z
            expected = r + J @ step
            change = now.evaluation.cost - float(expected @ expected) / 2
            if now.gap > 0:
                penalty = max(penalty, -2 * change / now.gap)
            predicted = change + penalty * now.gap
            settled = predicted < FTOL * now.evaluation.cost and now.is_joined
            if settled:
                return z, nodes, now, True
            share = 1.0
            while share > LEAST_SHARE:
                at, moved = z + share * step, nodes + share * (now.moves + now.by_z @ step)
                there = self._joint(at, moved, deviations, ranges)
                budget.spend(f"{label}cost {now.evaluation.cost:.6g}, gaps {now.gap:.2g}")
                actual = now.evaluation.cost - there.evaluation.cost + penalty * (now.gap - there.gap)
                if there.is_finite and actual > 1e-4 * share * predicted:
                    break
                share /= 2
            else:
                return z, nodes, now, False
            damping = max(damping / 10, LEAST_DAMPING) if share == 1 else min(damping * 4, MOST_DAMPING)
            z, nodes, now = at, moved, there
        return z, nodes, now, False

    def _joint(self, z: np.ndarray, nodes: np.ndarray, deviations: np.ndarray, ranges: np.ndarray) -> Joint:
        """Return residuals and gaps, with what follows of them along the segments."""
        problem, common, k = self.problem, self.problem.columns.common, len(z)
        values, parts = problem.unknowns.values(z), [[] for _ in problem.records]
        closing: list[np.ndarray] = []
        gaps, moves = np.zeros_like(nodes), np.zeros_like(nodes)
        by_z_of_nodes = np.zeros((*nodes.shape, k))
        for segment, following in zip(self._segments, [*self._segments[1:], None], strict=True):
            x0, p, offsets = problem.arguments(values, segment.record)
            begin = x0 if segment.node is None else nodes[segment.node]
            gains = output_error_gains(segment.part, deviations, self._states)
            prediction, by_z = self._predictor(segment.part, gains, begin, p, offsets), self._by_z(segment, z)
            move = np.zeros(self._states)
            if segment.node is not None:
                by_z[common:], move = by_z_of_nodes[segment.node], moves[segment.node]
            n, ny = prediction.residuals.shape
            derivatives = prediction.derivatives.reshape(n * ny, -1)
            parts[segment.record].append((prediction, (derivatives @ by_z).reshape(n, ny, k)))
            closing.append(derivatives[:, common:] @ move)
            if following is not None and following.node is not None:
                gap = prediction.last - nodes[following.node]
                gaps[following.node] = gap / ranges
                moves[following.node] = gap + prediction.last_derivatives[:, common:] @ move
                by_z_of_nodes[following.node] = prediction.last_derivatives @ by_z
        predictions = [_one_after_the_other(each) for each in parts]
        prior, by_prior = problem.unknowns.prior(z)
        residuals = np.concatenate([p.residuals.ravel() for p in predictions])
        jacobian = np.vstack([*(p.derivatives.reshape(-1, k) for p in predictions), by_prior])
        evaluation = Evaluation(z, np.append(residuals, prior), jacobian, tuple(predictions), len(residuals))
        return Joint(evaluation, np.append(np.concatenate(closing), 0 * prior), gaps, moves, by_z_of_nodes)

    def _by_z(self, segment: Segment, z: np.ndarray) -> np.ndarray:
        """Return the derivatives (common + nx, k) in z of common unknowns and of where a segment begins."""
        unknowns, common = self.problem.unknowns, self.problem.columns.common
        slopes = np.diag(unknowns.slopes(z))
        by_z = np.zeros((common + self._states, len(z)))
        by_z[:common] = slopes[[i for i, each in enumerate(unknowns.sought) if each.kind != "start"]]
        for i, each in enumerate(unknowns.sought):
            if each.kind == "start" and each.record == segment.record and segment.node is None:
                by_z[common + each.position] = slopes[i]
        return by_z

    def _filtered(self, z: np.ndarray, budget: Budget, label: str) -> tuple[np.ndarray, np.ndarray] | None:
        """Return z and nodes (g, nx) by prediction errors; None where these are not finite."""
        problem = self.problem
        found = by_prediction_errors(problem, z, self._compiled, budget, label)
        if found.evaluation is None or found.weights is None:
            return None
        z = found.evaluation.z
        values, nodes, x, first = problem.unknowns.values(z), np.zeros((self._nodes, self._states)), np.zeros(0), 0
        for segment in self._segments:
            x0, p, offsets = problem.arguments(values, segment.record)
            if segment.node is None:
                x, first = x0, 0
            else:
                nodes[segment.node] = x
            rows = slice(first, first + len(segment.part))
            gains = found.weights.gains[segment.record]
            own = Gains(gains.correction[rows], gains.whitening[rows])
            x, first = self._predictor(segment.part, own, x, p, offsets).last, rows.stop
        return z, nodes


def _one_after_the_other(parts: list[tuple[Prediction, np.ndarray]]) -> Prediction:
    """Return the prediction of a record by those of its segments, with derivatives (n, ny, k) of their residuals."""
    e, r = (np.concatenate([getattr(p, name) for p, _ in parts]) for name in ("innovations", "residuals"))
    last = parts[-1][0]
    return Prediction(e, r, np.concatenate([J for _, J in parts]), last.last, last.last_derivatives)


def _segments(records: tuple[Recorded, ...], length: float) -> tuple[list[Segment], int]:
    """Return the segments of all records, of a length [s] at most and two samples at least, and how many nodes."""
    segments, nodes = [], 0
    for number, record in enumerate(records):
        count = max(1, min(int(np.ceil((record.t[-1] - record.t[0]) / length - 1e-9)), len(record) // 2))
        ends = np.linspace(0, len(record), count + 1).astype(int)
        for first, last in pairwise(ends):
            segments.append(Segment(number, record.part(int(first), int(last)), None if first == 0 else nodes))
            nodes += first > 0
    return segments, int(nodes)
