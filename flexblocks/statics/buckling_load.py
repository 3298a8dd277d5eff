"""Buckling load: the load at which an arm at rest loses its stiffness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.forward_jacobian import forward_jacobian
from flexblocks.dae.require_differentiable import require_differentiable
from flexblocks.errors import ComputationError, ParameterError
from flexblocks.libraries import scipy
from flexblocks.plausibility import computable
from flexblocks.rich_display import text_table
from flexblocks.statics.balance import rest_residuals, unknown_slices, unknown_vector
from flexblocks.statics.equilibrium import equilibrium
from flexblocks.statics.operating_point import OperatingPoint, point_at_rest
from flexblocks.statics.problem import RANK, Statics, pose
from flexblocks.statics.solvers import polished
from flexblocks.validity.large_deflections import without_warning

# Equilibria up to the load at which the stiffness would be lost if it changed in proportion, and how many times that
# load is looked at. A choice.
STEPS, FARTHEST = 16, 8
# Halvings of the last step: the load is known to 1e-12 of it.
HALVINGS = 40
# Asymmetry of a stiffness, relative to its largest entry, that is rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class BucklingLoad:
    """Load at which an arm at rest loses its stiffness.

    Attributes
    ----------
    input : str
        Name of the input that loads the arm.
    load : float
        Its value [unit of the input].
    unit : str
    kind : "divergence" or "flutter"
        What happens beyond it: a mode moves away without vibrating, as its stiffness vanishes; or two modes whose
        frequencies meet vibrate with growing amplitude, which forces that follow the arm can do.
    frequency : float
        Of that vibration [rad/s]; 0 of a divergence.
    mode : dict of float
        How the arm moves there, by coordinate; the largest entry is 1.
    at : OperatingPoint
        The equilibrium under the load.
    """

    input: str
    load: float
    unit: str
    kind: Literal["divergence", "flutter"]
    frequency: float
    mode: Mapping[str, float]
    at: OperatingPoint

    def __str__(self) -> str:
        how = f"flutter at {self.frequency:.4g} rad/s" if self.kind == "flutter" else "divergence"
        largest = sorted(self.mode.items(), key=lambda entry: -abs(entry[1]))[:8]
        head = f"Buckling load {self.input} = {self.load:.6g} {self.unit}, {how}"
        return f"{head}\n{text_table(('coordinate', 'mode'), largest)}"


def buckling_load(
    dae: DAE,
    input: str,
    largest: float | None = None,
    u: Mapping[str, float] | None = None,
    p: Mapping[str, float] | np.ndarray | None = None,
) -> BucklingLoad:
    """Find the load at which an arm at rest loses its stiffness: of Euler's column, Beck's, a frame that tips over.

    Parameters
    ----------
    dae : DAE
        Of beams that know what tension does to bending: `StrainModes`, `RigidSegments`, or ``stiffening=True``.
    input : str
        Name of the input that loads the arm, such as ``"weight.force_y"`` of a `WorldForce`, a dead load, or of one
        that follows the arm, ``resolve_in="frame"``.
    largest : float, optional
        The load up to which is looked [unit of the input]; its sign is the direction. By default both directions are
        looked at, up to eight times the load at which the stiffness would be lost if it changed in proportion to the
        load, and the smaller load is returned.
    u : dict, optional
        Values of other inputs by name; those left out are held at their start values.
    p : dict or array, optional
        Values of symbolic parameters.

    Returns
    -------
    BucklingLoad
        ``print`` it for the mode.

    Raises
    ------
    NameUnknownError
        An unknown input or parameter.
    ParameterError
        `largest` is 0 or no finite number; the arm has first-order states, algebraic variables or a sampled controller.
    NoEquilibriumError
        There is no equilibrium without the load.
    ComputationError
        The arm has no stiffness, or too little, without the load; or it keeps its stiffness up to `largest`.

    Notes
    -----
    Equilibria q(load) are followed from zero load in small steps, with all that the arm deflects before it buckles.
    Along them the eigenvalues of M^-1 K, the squares of the natural frequencies without damping, are real and positive
    as long as the arm is stable. The load is that at which one of them vanishes (bifurcation, or a limit point, at
    which the equilibria end), or two meet and become a conjugate pair (flutter; Bolotin, Nonconservative Problems of
    the Theory of Elastic Stability, 1963). It is found by bisection. Damping, which can lower a flutter load, is left
    out.
    """
    require_differentiable(dae, "buckling_load")
    dae.u.index(input)
    if largest is not None and not (computable(largest) and largest):
        raise ParameterError(f"buckling_load: largest = {largest!r}; must be a finite number other than 0.")
    if states := (*dae.x.names[2 * dae.tree.size :], *dae.z.names):
        raise ParameterError(
            f"buckling_load: '{dae.name}' has the states {', '.join(states)}, whose stiffness is none of a position "
            "alone; take springs in place of the drives that have them."
        )
    held = {**dict(zip(dae.u.names, dae.u.start.tolist(), strict=True)), **(u or {}), input: 0.0}
    with without_warning():
        arm = _LoadedArm(dae, input, equilibrium(dae, u=held, p=p), pose(dae, {}, held, p))
        ends = [largest] if largest is not None else [end for sign in (1, -1) if (end := sign * arm.farthest())]
        found = [load for end in ends if (load := arm.first_loss(end)) is not None]
    if not found:
        reach = " and ".join(f"{end:.4g}" for end in ends) or "any load"
        raise ComputationError(
            f"buckling_load: '{dae.name}' keeps its stiffness up to {input} = {reach} {dae.u.unit(input)}. Beams by "
            "modes and elements need stiffening=True for tension and pressure to change their stiffness."
        )
    return min(found, key=lambda each: abs(each.load))


class _LoadedArm:
    """An arm under one growing load, from its equilibrium without the load."""

    def __init__(self, dae: DAE, name: str, unloaded: OperatingPoint, problem: Statics) -> None:
        self._dae, self._name, self._problem = dae, name, problem
        self._at = unknown_slices(dae)
        self._load = self._at.u.start + dae.u.index(name)
        self._start = unknown_vector(dae, unloaded.x, unloaded.z, unloaded.forces, unloaded.u)
        squares, _ = self._modes(self._start)
        if self._is_lost(squares):
            raise ComputationError(
                f"buckling_load: '{dae.name}' has a motion without stiffness at {name} = 0: the least square of a "
                f"frequency is {np.min(np.real(squares)):.3g} rad2/s2. Hold free joints by "
                "fb.assemble(model, locked={...}), or give them springs."
            )

    def farthest(self) -> float:
        """Return how far is looked: a multiple of the load at which a stiffness in proportion would be lost."""
        s, q = self._start, self._at.q
        _, J, _ = self._problem.evaluated(s)
        change = rest_tangent(self._dae)(s, self._problem.p, self._slope(s)).full()[q, q]
        moves = self._moves(J)
        K, change = moves.T @ J[q, q] @ moves, moves.T @ change @ moves
        sizes, axes = np.linalg.eigh((K + K.T) / 2)
        unit = axes / np.sqrt(np.abs(sizes))  # motions that store the same energy
        size = np.linalg.norm(unit.T @ change @ unit, 2) if len(K) else 0.0
        return FARTHEST / float(size) if size > 0 else 0.0

    def first_loss(self, end: float) -> BucklingLoad | None:
        """Return the first load on the way to `end` at which stiffness is lost; None if there is none."""
        stable = (0.0, self._start)
        for load in np.linspace(0.0, end, STEPS * FARTHEST + 1)[1:].tolist():
            s = self._stable(stable, load)
            if s is None:
                return self._described(*self._bisected(stable, load))
            stable = (load, s)
        return None

    def _bisected(self, stable: tuple[float, np.ndarray], lost: float) -> tuple[float, np.ndarray]:
        for _ in range(HALVINGS):
            middle = (stable[0] + lost) / 2
            s = self._stable(stable, middle)
            if s is None:
                lost = middle
            else:
                stable = (middle, s)
        return stable

    def _stable(self, known: tuple[float, np.ndarray], load: float) -> np.ndarray | None:
        """Return the unknowns of statics at a load from those at another; None if there are none, or none stable."""
        before, s = known
        s = s + self._slope(s) * (load - before)
        s[self._load] = load
        s = polished(self._problem, s)
        if not self._problem.balanced(s):
            return None
        return None if self._is_lost(self._modes(s)[0]) else s

    def _slope(self, s: np.ndarray) -> np.ndarray:
        """Return the derivative (ns,) of the unknowns of statics in the load."""
        _, J, _ = self._problem.evaluated(s)
        slope, free = np.zeros_like(s), self._problem.free
        slope[self._load] = 1.0
        slope[free] = np.linalg.lstsq(J[:, free], -J[:, self._load], rcond=None)[0]
        return slope

    def _modes(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the squares of the frequencies (d,) [rad2/s2] and their shapes over the coordinates (n, d)."""
        _, J, _ = self._problem.evaluated(s)
        q, moves = self._at.q, self._moves(J)
        K, M = moves.T @ J[q, q] @ moves, moves.T @ self._problem.mass_at(s) @ moves
        unit = np.linalg.inv(np.linalg.cholesky((M + M.T) / 2)).T  # motions of unit mass
        reduced = unit.T @ K @ unit
        symmetric = np.max(np.abs(reduced - reduced.T), initial=0.0) <= ROUNDING * np.max(np.abs(reduced), initial=0.0)
        squares, shapes = np.linalg.eigh((reduced + reduced.T) / 2) if symmetric else np.linalg.eig(reduced)
        return squares, moves @ unit @ shapes

    def _moves(self, J: np.ndarray) -> np.ndarray:
        """Return the motions (n, d) that loops and held coordinates allow, from the Jacobian of the residuals."""
        problem = self._problem
        moves = np.eye(problem.size)[:, problem.free[self._at.q]]
        closures = J[problem.rows - problem.closures : problem.rows, self._at.q] @ moves
        return moves @ scipy.linalg.null_space(closures, rcond=RANK) if len(closures) else moves

    @staticmethod
    def _is_lost(squares: np.ndarray) -> bool:
        return bool(np.any(np.imag(squares))) or bool(np.any(np.real(squares) <= 0.0))

    def _described(self, load: float, s: np.ndarray) -> BucklingLoad:
        squares, shapes = self._modes(s)
        real = np.real(squares)
        order = np.argsort(real)
        apart = np.diff(real[order])
        flutters = len(apart) > 0 and np.min(apart) < real[order[0]]
        chosen = order[np.argmin(apart) if flutters else 0]
        shape = np.real(shapes[:, chosen])
        return BucklingLoad(
            input=self._name,
            load=load,
            unit=self._dae.u.unit(self._name),
            kind="flutter" if flutters else "divergence",
            frequency=float(np.sqrt(real[chosen])) if flutters else 0.0,
            mode=dict(zip(self._dae.q_names, (shape / shape[np.argmax(np.abs(shape))]).tolist(), strict=True)),
            at=point_at_rest(self._dae, s, self._problem.p),
        )


def rest_tangent(dae: DAE) -> ca.Function:
    """Return the function (s, p, ds) -> change of the Jacobian in s of the residuals at rest along ds."""
    residuals = rest_residuals(dae)
    s, p = residuals.mx_in()
    ds = ca.MX.sym("ds", s.shape)
    J = forward_jacobian(residuals, [0])(s, p)
    return ca.Function("rest_tangent", [s, p, ds], [ca.reshape(ca.jtimes(ca.vec(J), s, ds), J.shape)])
