"""Costs of a receding horizon: distances of signals over their tolerances, effort beyond what holds the arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.control.design.riccati import cost_to_go
from flexblocks.dynamics.algorithms.energy import stored_energies, total
from flexblocks.errors import ParameterError, listing

from ..problem.signals.instant import instant
from ..problem.signals.signals import Signals
from .prediction import Prediction
from .scales import PACE

ELASTIC = "elastic_energy"
# Of the cost-to-go: the weight of states that no signal depends on, against one tolerance, each in its own scale.
UNTOLD = 1e-4
# An elastic coordinate's rate counts as a signal that is off by its tolerance where it moves the arm by as much within
# this share of the horizon: a regulator of the tip alone leaves vibrations as little damped as they are, and loses them
# to a model that is wrong. By trial: half of it leaves little damping where half of a payload is missing.
DAMPED = 0.01
# Coordinates that no motion without elastic energy moves, but for rounding.
RIGID = 1e-6
# What of the features is lost in rounding.
RANK = 1e-7
# A loss grows linearly where a signal is so many tolerances off, at least.
LEAST_CAP = 10.0


@dataclass(frozen=True, eq=False)
class Costs:
    """Residuals of a horizon's least squares.

    Attributes
    ----------
    model : Prediction
    signals : tuple of str
    tolerances : ndarray (k,)
        [unit of each signal]
    effort : ndarray (nu,)
        What of each input beyond what holds the arm weighs as a signal that is off by its tolerance [its unit].
    scales : ndarray (nx,)
        Of the states.
    posture : ndarray (nx,)
        The state in whose neighbourhood it works.
    """

    model: Prediction
    signals: tuple[str, ...]
    tolerances: np.ndarray
    effort: np.ndarray
    scales: np.ndarray
    posture: np.ndarray

    @cached_property
    def values(self) -> ca.SX:
        """The signals (k,) in x."""
        return named_values(self.model, self.signals)

    @cached_property
    def reference(self) -> ca.SX:
        return ca.SX.sym("reference", len(self.signals))

    @cached_property
    def rate(self) -> ca.SX:
        return ca.SX.sym("rate", len(self.signals))

    @cached_property
    def distances(self) -> ca.SX:
        return (self.values - self.reference) / self.tolerances

    @cached_property
    def stage(self) -> ca.SX:
        """Distances over tolerances, then efforts."""
        return ca.vertcat(self.distances, (self.model.u - self.model.holding) / self.effort)

    @cached_property
    def of_posture(self) -> list[int]:
        """The signals that are functions of the coordinates alone."""
        others = self.model.dae.x.symbol[self.model.n :]
        return [i for i in range(len(self.signals)) if not ca.depends_on(self.values[i], others)]

    def at(self, x: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the signals (k,), and derivatives of the stage's residuals in states and inputs, at rest in `x`."""
        dae, model = self.model.dae, self.model
        symbols = [dae.x.symbol, model.u, self.reference, dae.p.symbol, model.force]
        results = [self.values, *(ca.jacobian(self.stage, symbol) for symbol in (dae.x.symbol, model.u))]
        none = np.zeros(model.n)
        parts = model.function("at", results, symbols)(x, 0, 0, p, none)
        values, Jx, Ju = (np.nan_to_num(part.full()) for part in parts)
        return values.ravel(), Jx, Ju

    def caps(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return how far signals may pull (k,), in tolerances: as far as states in their scale move them."""
        Jx = self.at(x, p)[1][: len(self.signals)]
        return np.maximum(np.abs(Jx * self.scales).max(axis=1, initial=0.0), LEAST_CAP)

    def groups(self) -> list[int]:
        """Return, for each signal, the first of those that are limited together: places of one body, its speeds."""
        dae = self.model.dae
        kinds = [_kind(name, dae.with_outputs([name]).y if name not in dae.x else dae.x) for name in self.signals]
        return [kinds.index(kind) for kind in kinds]

    def stage_function(self, name: str) -> ca.Function:
        """Return (x, u, reference, p, force) -> residuals and their derivatives in x and u."""
        dae, model = self.model.dae, self.model
        results = [self.stage, *(ca.jacobian(self.stage, symbol) for symbol in (dae.x.symbol, model.u))]
        return model.function(name, results, [dae.x.symbol, model.u, self.reference, dae.p.symbol, model.force])

    @cached_property
    def features(self) -> ca.SX:
        """What vanishes in every equilibrium that meets the references, and moves with them: the states in other words.

        Distances of signals of the posture and their rates, the forces that are missing on coordinates that no input
        drives and the rates of these; then the distances of all other signals.
        """
        dae, model = self.model.dae, self.model
        q, v = dae.q, dae.v
        missing = ca.densify(ca.DM(model.undriven(self.posture, dae.p.start)).T @ model.missing)
        own, others = self.of_posture, [i for i in range(len(self.signals)) if i not in self.of_posture]
        speeds = (ca.jtimes(self.values[own], q, v) - self.rate[own]) / self.tolerances[own] if own else ca.SX(0, 1)
        parts = [self.distances[own], speeds, missing, ca.jtimes(missing, q, v), self.distances[others]]
        return ca.densify(ca.vertcat(*[part for part in parts if part.numel()], ca.SX(0, 1)))

    def terminal_function(self, name: str) -> ca.Function:
        """Return (x, reference, its rate, p, force) -> features and their derivatives in x."""
        dae, model = self.model.dae, self.model
        symbols = [dae.x.symbol, self.reference, self.rate, dae.p.symbol, model.force]
        return model.function(name, [self.features, ca.jacobian(self.features, dae.x.symbol)], symbols)

    def speeds(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return weights (nx,) of squares of scaled states, against a tolerance: of rates, of elastic ones more.

        Elastic are coordinates that no motion of the arm without elastic energy moves, as those of beams.
        """
        dae, n = self.model.dae, self.model.n
        caps = self.caps(x, p)[self.of_posture]
        energy = total(stored_energies(dae.tree, dae.q))
        stiffness = ca.Function("stiffness", [dae.q, dae.p.symbol], [ca.hessian(energy, dae.q)[0]])
        K = np.nan_to_num(stiffness(x[:n], p).full())
        size = np.sqrt(np.maximum(np.diag(K), 0.0))
        relative = np.where(size > 0, size, 1.0)
        values, vectors = np.linalg.eigh(K / relative / relative[:, None])
        rigid = np.linalg.norm(vectors[:, values < RIGID], axis=1)
        weights = np.where((np.arange(len(x)) >= n) & (np.arange(len(x)) < 2 * n), 1.0, 0.0)
        damped = max(1.0, float(np.max(caps, initial=0.0)) * DAMPED / PACE) ** 2
        weights[n : 2 * n] = np.where((size > 0) & (rigid < RIGID), damped, 1.0)
        return weights

    def cost_to_go(self, x: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the matrix of the features of which the cost-to-go is the quadratic form, and what it leaves out.

        The regulator's Riccati equation at rest in `x`, in the features; the second is a share of its norm.

        Raises
        ------
        ComputationError
            The Riccati equation has no stabilising solution.
        """
        dae, scales = self.model.dae, self.scales
        n = self.model.n
        x = np.concatenate([x[:n], np.zeros(n), x[2 * n :]])
        A, B, Z = self.model.linearized(x, p)
        _, Jx, Ju = self.at(x, p)
        untold = np.diag(np.maximum(self.speeds(x, p), UNTOLD) / scales**2)
        Q, S, R = Z.T @ (Jx.T @ Jx + untold) @ Z, Ju.T @ Jx @ Z, Ju.T @ Ju
        # Cross terms go with inputs that are measured from where these put them.
        gain = np.linalg.solve(R, S)
        names = [dae.x.names[int(np.argmax(np.abs(column)))] for column in Z.T]
        P = cost_to_go(A - B @ gain, B, Q - S.T @ gain, R, names)
        # Directions in their scale: those of the states that move in them.
        sizes = 1.0 / np.linalg.norm(Z / scales[:, None], axis=0)
        T = self.terminal_function("terminal")(x, 0, 0, p, np.zeros(n))[1].full() @ Z * sizes
        scaled = P * sizes * sizes[:, None]
        norms = np.linalg.norm(T, axis=1)
        norms = np.where(norms > 0, norms, 1.0)
        inverse = np.linalg.pinv(T / norms[:, None], rcond=RANK)
        weights = inverse.T @ scaled @ inverse
        left_out = np.linalg.norm(T.T @ (weights / norms / norms[:, None]) @ T - scaled) / np.linalg.norm(scaled)
        weights = weights / norms / norms[:, None]
        values, vectors = np.linalg.eigh((weights + weights.T) / 2)
        return vectors * np.maximum(values, 0.0) @ vectors.T, float(left_out)


def named_values(model: Prediction, names: tuple[str, ...]) -> ca.SX:
    """Return the named signals (k,) in the states of the model.

    Raises
    ------
    NameUnknownError
        There is no such signal.
    ParameterError
        It depends on accelerations, inputs or time.
    """
    dae = model.dae
    at = instant(dae)
    signals, found = Signals(at), []
    allowed = ca.vertcat(dae.x.symbol, dae.p.symbol)
    for name in names:
        value = total(stored_energies(dae.tree, dae.q)) if name == ELASTIC else ca.SX(signals[name])
        others = [symbol for symbol in ca.symvar(value) if not ca.depends_on(allowed, symbol)]
        if others:
            raise ParameterError(
                f"{model.where}: '{name}' depends on more than states ({listing(map(str, others))}); must be a signal "
                "of coordinates and their rates, such as a position, a speed or elastic_energy."
            )
        found.append(value)
    return ca.densify(ca.vertcat(*found))


def _kind(name: str, group: object) -> tuple[str, str]:
    unit = group.unit(name) if name in group else ""  # type: ignore[attr-defined, operator]
    block = name.removeprefix("der(").rpartition(".")[0]
    vectors = ("x", "y", "z", "velocity_x", "velocity_y", "velocity_z")
    last = name.rpartition(".")[2].rstrip(")")
    return (block, unit) if last in vectors else (name, unit)


def checked_sizes(given: float | Mapping[str, float], names: tuple[str, ...], what: str, where: str) -> np.ndarray:
    """Return numbers > 0 (k,), one for all or by name.

    Raises
    ------
    ParameterError
        One is missing, or is not a number > 0.
    """
    if not isinstance(given, Mapping):
        given = dict.fromkeys(names, given)
    if unknown := [name for name in given if name not in names]:
        raise ParameterError(f"{where}: {what} of {listing(unknown)}; must be of {listing(names)}.")
    if missing := [name for name in names if name not in given]:
        raise ParameterError(f"{where}: {what} of {listing(missing)} is missing; must be given, a number > 0.")
    return np.array([_positive(given[name], f"{where}: {what} of {name}") for name in names], dtype=float)


def _positive(value: object, where: str) -> float:
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not 0 < float(value) < np.inf:  # type: ignore[arg-type]
        raise ParameterError(f"{where} = {value!r}; must be a number > 0.")
    return float(value)  # type: ignore[arg-type]
