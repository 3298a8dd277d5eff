"""Moving horizon estimation in NumPy; what the kernel's `estimated` does in C."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .intervals import STAGES, OnIntervals, StepError
from .memory import Memory


class Window(Memory):
    """The window of a run.

    Attributes
    ----------
    xs, K, w, theta : ndarray (samples + 1, nx), (samples, rows), (samples, noises), (parameters,)
        What explains its samples: states, rates of its intervals, noise, parameters.
    u, y, acted : ndarray
        Inputs between samples; what was measured at samples, and the inputs that had acted until then.
    prior, P, next_prior, next_P : ndarray
        States and parameters at its start with their covariance, and those a sample later.
    flags : ndarray (3,)
        Samples after the first; whether it has begun (1), with a sample (2); outliers of the newest one.
    deviations : ndarray (parameters,)
    """

    xs: np.ndarray
    K: np.ndarray
    w: np.ndarray
    theta: np.ndarray
    u: np.ndarray
    y: np.ndarray
    acted: np.ndarray
    prior: np.ndarray
    P: np.ndarray
    next_prior: np.ndarray
    next_P: np.ndarray
    flags: np.ndarray
    deviations: np.ndarray

    def __init__(self, sizes: Mapping[str, int], values: np.ndarray | None = None) -> None:
        W, nx, parameters, ny, known = (sizes[name] for name in ("W", "NX", "NPAR", "NY", "NKNOWN"))
        nz = nx + parameters
        shapes = {
            "xs": (W + 1, nx),
            "K": (W, STAGES * sizes["RATES_"]),
            "w": (W, sizes["NW"]),
            "theta": (parameters,),
            "u": (W, known),
            "y": (W + 1, ny),
            "acted": (W + 1, known),
            "prior": (nz,),
            "P": (nz, nz),
            "next_prior": (nz,),
            "next_P": (nz, nz),
            "flags": (3,),
            "deviations": (parameters,),
        }
        super().__init__(shapes, values)

    @property
    def newest(self) -> int:
        """Index of the newest sample."""
        return round(float(self.flags[0]))


@dataclass(eq=False)
class Pass:
    """What a filter forwards leaves for the smoother backwards, a list entry for each sample."""

    z: list[np.ndarray] = field(default_factory=list)
    P: list[np.ndarray] = field(default_factory=list)
    rows: list[np.ndarray] = field(default_factory=list)
    gains: list[np.ndarray] = field(default_factory=list)
    left: list[np.ndarray] = field(default_factory=list)
    F: list[np.ndarray] = field(default_factory=list)
    G: list[np.ndarray] = field(default_factory=list)
    JK: list[np.ndarray] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Estimator(OnIntervals):
    """An estimator as the kernel in C has it."""

    def begun(self, x: np.ndarray, theta: np.ndarray) -> Window:
        """Return a window that begins with these states and parameters."""
        m = Window(self.sizes)
        m.xs[0], m.theta[:], m.prior[:] = x, theta, np.concatenate([x, theta])
        m.P[:] = np.diag(self.constants["UNCERTAINTY"])
        m.flags[1] = 1.0
        return m

    def estimate(self, m: Window, y: np.ndarray, acted: np.ndarray) -> None:
        """Change a window by a sample.

        Parameters
        ----------
        m : Window
        y : ndarray (ny,)
        acted : ndarray (known,)
            Inputs since the sample before.

        Raises
        ------
        StepError
        """
        with np.errstate(all="ignore"):
            if m.flags[1] > 1.5:
                self._extend(m, acted)
            m.flags[1] = 2.0
            m.y[m.newest], m.acted[m.newest] = y, acted
            for _ in range(self.sizes["GAUSS_NEWTON_STEPS"]):
                self._smooth(m)
        if not np.all(np.isfinite(m.xs[m.newest])):
            raise StepError("the estimate is not finite")

    def _extend(self, m: Window, acted: np.ndarray) -> None:
        """Add an interval that the equations of motion predict; a window that is full loses its first one."""
        count = m.newest
        if count == self.sizes["W"]:
            m.prior[:], m.P[:] = m.next_prior, m.next_P
            for part in (m.xs, m.K, m.w, m.u, m.y, m.acted):
                part[:-1] = part[1:].copy()
            count -= 1
        m.u[count], m.w[count] = acted, 0.0
        m.K[count] = m.K[count - 1] if count else 0.0
        m.xs[count + 1], m.K[count] = self.intervals.advanced(
            m.xs[count], self._chosen(m, count), m.K[count], self.constants["PERIOD"], self._known(acted), np.zeros(1)
        )
        m.flags[0] = count + 1

    def _known(self, u: np.ndarray) -> np.ndarray:
        return np.concatenate([u, self.constants["FIXED"]])

    def _chosen(self, m: Window, k: int) -> np.ndarray:
        return np.concatenate([m.w[k], m.theta])

    def _smooth(self, m: Window) -> None:
        """Take one step of Gauss and Newton over the window: a Kalman filter forwards, its smoother backwards."""
        nx, count, done = self.sizes["NX"], m.newest, Pass()
        z, P = m.prior.copy(), m.P.copy()
        for k in range(count + 1):
            z, P, outliers = self._corrected(m, k, z, P, done)
            if k < count:
                z, P = self._predicted(m, k, z, P, done)
            if k == 0 < count:
                m.next_prior[:], m.next_P[:] = z, P
        m.deviations[:] = np.sqrt(np.maximum(np.diag(P)[nx:], 0.0))
        m.flags[2] = outliers
        states, noises = self._backwards(count, done)
        if not (np.all(np.isfinite(states[0])) and np.all(np.isfinite(states[count]))):
            raise StepError("the smoothed states are not finite")
        low, high = self.constants["PARAMETER_LOW"], self.constants["PARAMETER_HIGH"]
        dtheta = np.clip(done.z[count][nx:], low, high) - m.theta
        for k in range(count):
            moves = np.concatenate([states[k] - m.xs[k], noises[k] - m.w[k], dtheta, [1.0]])
            m.K[k] += done.JK[k] @ moves
            m.w[k] = noises[k]
        m.xs[: count + 1] = states
        m.theta += dtheta

    def _corrected(
        self, m: Window, k: int, z: np.ndarray, P: np.ndarray, done: Pass
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """Return states and parameters with their covariance after a sample, and how many outliers it has."""
        x, nz = m.xs[k], len(z)
        h, Hx, Ht = (part.full() for part in self.functions["MEASURED"](x, m.theta, self._known(m.acted[k])))
        H, at = np.hstack([Hx, Ht]), np.concatenate([x, m.theta])
        rows, gains, left = np.zeros((len(h), nz)), np.zeros((len(h), nz)), np.zeros(len(h))
        z, P, outliers = z.copy(), P.copy(), 0
        for i, expected in enumerate(h[:, 0]):
            if not (np.isfinite(m.y[k, i]) and np.isfinite(expected)):
                continue
            rows[i], variance = H[i], float(self.constants["VARIANCE"][i])
            gain = P @ H[i]
            s = float(H[i] @ gain)
            innovation = m.y[k, i] - expected - H[i] @ (z - at)
            far = abs(innovation) / (self.constants["HUBER"] * np.sqrt(s + variance))
            s += variance * max(far * far, 1.0)
            outliers += far > 1.0
            left[i] = innovation / s
            z += gain * left[i]
            P -= np.outer(gain, gain) / s
            gains[i] = gain / s
        for part, value in ((done.rows, rows), (done.gains, gains), (done.left, left), (done.z, z), (done.P, P)):
            part.append(value)
        return z, P, int(outliers)

    def _predicted(self, m: Window, k: int, z: np.ndarray, P: np.ndarray, done: Pass) -> tuple[np.ndarray, np.ndarray]:
        """Return states and parameters with their covariance at the next sample."""
        nx, nu, nw = (self.sizes[name] for name in ("NX", "NU", "NW"))
        length, at = np.array([float(self.constants["PERIOD"])]), np.concatenate([m.xs[k], m.theta])
        x, v, K = m.xs[k][None], self._chosen(m, k)[None], m.K[k][None]
        JK = self.intervals.linearized(x, v, K, length, self._known(m.u[k]), np.zeros(1))
        moved = self.intervals.ends_moved(JK, length, columns=slice(nx, nx + nu + 1))[0]
        G, F = moved[:, :nw], np.eye(len(z))
        F[:nx, :nx], F[:nx, nx:] = self.intervals.transition(JK, length)[0], moved[:, nw:nu]
        after = F @ (z - at)
        after[nx:] = z[nx:]
        after[:nx] += self.intervals.ends(x, K, length)[0] + moved[:, nu] - G @ m.w[k]
        P = F @ P @ F.T
        P[:nx, :nx] += (G * self.constants["PROCESS"]) @ G.T
        P = (P + P.T) / 2
        if not (np.all(np.isfinite(after)) and np.all(np.isfinite(P))):
            raise StepError("the predicted state is not finite")
        for part, value in ((done.F, F), (done.G, G), (done.JK, JK[0])):
            part.append(value)
        return after, P

    def _backwards(self, count: int, done: Pass) -> tuple[np.ndarray, np.ndarray]:
        """Return states (count + 1, nx) and noises (count, noises) given all samples (Bryson and Frazier)."""
        nx = self.sizes["NX"]
        states, noises = np.zeros((count + 1, nx)), np.zeros((count, self.sizes["NW"]))
        lam = np.zeros(len(done.z[0]))
        for k in range(count, -1, -1):
            states[k] = (done.z[k] - done.P[k] @ lam)[:nx]
            if k == 0:
                break
            for i in reversed(range(len(done.left[k]))):
                lam = lam - done.rows[k][i] * (done.left[k][i] + done.gains[k][i] @ lam)
            noises[k - 1] = -self.constants["PROCESS"] * (done.G[k - 1].T @ lam[:nx])
            lam = done.F[k - 1].T @ lam
        return states, noises
