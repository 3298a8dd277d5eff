"""The quadratic programme around a plan: linearised intervals, costs and limits of all stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .condensed_qp import Programme
from .evaluated import evaluated
from .intervals import OnIntervals, StepError
from .memory import Plan


class Sampled(Protocol):
    """What is worked at: parameters, whether references are out of reach, and a check that may raise."""

    p: np.ndarray
    limited: bool

    def check(self) -> None: ...


@dataclass(frozen=True, eq=False)
class References:
    """Those of all stages (intervals + 1, k), and their rates at the end (k,)."""

    values: np.ndarray
    rate: np.ndarray


@dataclass(frozen=True, eq=False)
class Linearized:
    """A plan linearised: the programme, what unknowns of intervals follow from its solution, its largest defect."""

    qp: Programme
    JK: np.ndarray
    defect: float


@dataclass(frozen=True, eq=False)
class Horizon(OnIntervals):
    """The programme around a plan."""

    def linearized(self, m: Plan, x: np.ndarray, references: References, sample: Sampled) -> Linearized:
        """Return the programme around the plan of a memory, which begins at x.

        Raises
        ------
        StepError
        """
        c, size = self.constants, self.sizes
        N, nx, nu, prev = (size[name] for name in ("N", "NX", "NU", "NPREV"))
        nxa, grid, scale = nx + prev, c["GRID"], c["SIGMA"]
        p = sample.p
        sample.check()
        JK = self.intervals.linearized(m.xs[:-1], m.us, m.K, grid, p, m.force)
        sample.check()
        step = slice(nx + nu, nx + nu + 1)
        A, B, b = np.zeros((N, nxa, nxa)), np.zeros((N, nxa, nu)), np.zeros((N, nxa))
        A[:, :nx, :nx] = self.intervals.transition(JK, grid) * scale / scale[:, None]
        B[:, :nx] = self.intervals.ends_moved(JK, grid, columns=slice(nx, nx + nu)) * c["SIZE"] / scale[:, None]
        B[:, nx + np.arange(prev), np.arange(prev)] = 1.0
        ends = self.intervals.ends(m.xs[:-1], m.K, grid) + self.intervals.ends_moved(JK, grid, columns=step)[:, :, 0]
        b[:, :nx] = (ends - m.xs[1:]) / scale
        first = np.concatenate([(x - m.xs[0]) / scale, np.zeros(prev)])
        defect = max(float(np.abs(b).max()), float(np.abs(first).max()))
        Q, S, R, q, r, sample.limited = self._costs(m, references, p)
        C, D, low, high = self._limits(m, p)
        u_low, u_high = (c["ULOW"] - m.us) / c["SIZE"], (c["UHIGH"] - m.us) / c["SIZE"]
        most = c["RATE"] * grid[0]
        u_low[0] = np.maximum(u_low[0], (m.last - most - m.us[0]) / c["SIZE"])
        u_high[0] = np.minimum(u_high[0], (m.last + most - m.us[0]) / c["SIZE"])
        qp = Programme(first, A, B, b, Q, S, R, q, r, C, D, low, high, u_low, u_high)
        return Linearized(qp, JK, defect)

    def _costs(self, m: Plan, references: References, p: np.ndarray) -> tuple[Any, ...]:
        c, size = self.constants, self.sizes
        N, n, nx, nu = (size[name] for name in ("N", "NQ", "NX", "NU"))
        nxa, scale = nx + size["NPREV"], c["SIGMA"]
        Q, S, q = np.zeros((N + 1, nxa, nxa)), np.zeros((N, nu, nxa)), np.zeros((N + 1, nxa))
        R, r = np.zeros((N, nu, nu)), np.zeros((N, nu))
        points = [m.xs[:-1], m.us, references.values[:-1]]
        rows, Jx, Ju = evaluated(self.functions["STAGE"], points, [p, m.force])
        Jx, Ju, any_limited = Jx * scale, Ju * c["SIZE"], False
        for k in range(N):
            residuals, limited = _capped(rows[k, :, 0], c["CAP"], c["GROUP"])
            any_limited |= limited
            w = c["GRID"][k] * c["COST"]
            Q[k, :nx, :nx] = w * Jx[k].T @ Jx[k] + np.diag(
                c["REGULAR_X"] + w * (c["REST"] + (np.arange(nx) < n) * self._left_out(residuals, c["CAP"], c["GROUP"]))
            )
            q[k, :nx] = w * (c["REST"] * m.xs[k] / scale + Jx[k].T @ residuals)
            S[k, :, :nx], R[k] = w * Ju[k].T @ Jx[k], w * Ju[k].T @ Ju[k] + c["REGULAR_U"] * np.eye(nu)
            r[k] = w * Ju[k].T @ residuals
        points = [m.xs[-1:], references.values[-1:], references.rate[None]]
        rows, J = evaluated(self.functions["TERMINAL"], points, [p, m.force])
        residuals, limited = _capped(rows[0, :, 0], c["TERMINAL_CAP"], c["TERMINAL_GROUP"])
        curvature = self._left_out(residuals, c["TERMINAL_CAP"], c["TERMINAL_GROUP"])
        along = np.diag(c["REGULAR_X"] + (np.arange(nx) < n) * c["GRID"][-1] * c["COST"] * curvature)
        J = J[0] * scale
        Q[-1, :nx, :nx] = c["COST"] * J.T @ c["COST_TO_GO"] @ J + along
        q[-1, :nx] = c["COST"] * J.T @ c["COST_TO_GO"] @ residuals
        return Q, S, R, q, r, any_limited or limited

    def _left_out(self, r: np.ndarray, cap: np.ndarray, group: np.ndarray) -> float:
        """Return a bound on the curvature that Gauss and Newton leave out, residuals times second derivatives."""
        firsts = [i for i in np.unique(group) if np.isfinite(cap[i])]
        return sum(self.constants["SHARE"] * cap[i] * float(np.linalg.norm(r[group == i])) for i in firsts)

    def _limits(self, m: Plan, p: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return limits on states and outputs, linearised; rates of inputs behind them."""
        c, size = self.constants, self.sizes
        N, nx, nu, count, rows = (size[name] for name in ("N", "NX", "NU", "NLIM", "NG"))
        C, D = np.zeros((N + 1, rows, nx + size["NPREV"])), np.zeros((N + 1, rows, nu))
        low, high = np.zeros((N + 1, rows)), np.zeros((N + 1, rows))
        if count:
            # At the end the last input goes on.
            inputs = np.vstack([m.us, m.us[-1:]])
            g, J, Ju = evaluated(self.functions["LIMITS"], [m.xs, inputs], [p, m.force])
            D[:-1, :count] = (Ju * c["SIZE"] / c["LIMIT_SIZE"][:, None])[:-1]
            C[:, :count, :nx] = J * c["SIGMA"] / c["LIMIT_SIZE"][:, None]
            low[:, :count] = (c["LIMIT_LOW"] - g[:, :, 0]) / c["LIMIT_SIZE"]
            high[:, :count] = (c["LIMIT_HIGH"] - g[:, :, 0]) / c["LIMIT_SIZE"]
        if rows > count:
            C[:-1, count:, nx:], D[:-1, count:] = -np.eye(nu), np.eye(nu)
            change = np.diff(m.us, axis=0, prepend=m.us[:1])
            most = c["RATE"] * c["GRID"][:, None]
            low[:-1, count:], high[:-1, count:] = (-most - change) / c["SIZE"], (most - change) / c["SIZE"]
        return C, D, low, high

    def look_ahead(self, m: Plan, now: np.ndarray) -> References | None:
        """Return the references over the horizon; None where one is no number."""
        if not self.sizes["NREF"]:
            return References(np.zeros((self.sizes["N"] + 1, 0)), np.zeros(0))
        grid = self.constants["GRID"]
        start = float(m.clock[0]) + self.constants["DELAY"]
        times = start + np.concatenate([[0.0], np.cumsum(grid)])
        values, rates = evaluated(self.functions["REFERENCE"], [times[:, None]], [now])
        found = References(values[:, :, 0], rates[-1, :, 0])
        finite = np.all(np.isfinite(found.values)) and np.all(np.isfinite(found.rate))
        return found if finite else None

    def changed(self, m: Plan, made: Linearized, dx: np.ndarray, du: np.ndarray) -> None:
        """Change the plan by a solution of the programme, a step beyond the range of linearisations in part.

        Raises
        ------
        StepError
        """
        c, nx = self.constants, self.sizes["NX"]
        if not (np.all(np.isfinite(dx)) and np.all(np.isfinite(du))):
            raise StepError("the quadratic programme has no finite solution")
        farthest = float(np.abs(dx[1:, :nx]).max())
        share = min(1.0, c["FARTHEST"] / farthest) if farthest > 0 else 1.0
        dx, du = share * c["SIGMA"] * dx[:, :nx], share * c["SIZE"] * du
        moves = np.concatenate([dx[:-1], du, np.full((len(du), 1), share)], axis=1)
        m.K += np.einsum("kic,kc->ki", made.JK, moves)
        m.us += du
        m.xs += dx


def _capped(r: np.ndarray, cap: np.ndarray, group: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return residuals, those beyond their caps drawn back to them, together in each group, and whether any was.

    So a loss grows linearly, and no reference pulls farther than a linearisation reaches.
    """
    r, limited = r.copy(), False
    for first in np.unique(group):
        if not np.isfinite(cap[first]):
            continue
        own = group == first
        size = float(np.linalg.norm(r[own] / cap[own]))
        if size > 1.0:
            r[own] /= size
            limited = True
    return r, limited
