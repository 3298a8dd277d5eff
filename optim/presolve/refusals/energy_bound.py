"""Energy bound: how far limited inputs can move an arm from rest in a given time, whatever their time history.

With E the sum of all energies, V_0 the least potential energy and s = sqrt(2 (E - V_0)), the power of the inputs gives

    s der(s) = u' B' v <= |B u| |v| <= F s,    |v|^2 = v' M v <= s^2,    |B u|^2 = u' B' M^-1 B u <= F^2

so that s(t) <= s(0) + F t, and a coordinate moves by |der(q_k)| <= sqrt((M^-1)_kk) s. Dampers only take energy away,
and closed loops only forbid motions. F and (M^-1)_kk are the largest over all postures.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.constraints.closed_posture import deforming
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.energy import stored_energies
from flexblocks.statics.operating_point import OperatingPoint

from ...errors import ProblemError
from ..bounds import Limits
from ..equilibrium import turning
from ..phase_transcription import PhaseTranscription
from ..transcribed_problem import TranscribedProblem

POSTURES = 256  # at which the largest F and M^-1 are looked for
# The bound must be exceeded by this factor: the largest values over postures are samples, and deflections move masses,
# too. Short of it, the solver says more: which limit yields, when and by how much.
MARGIN = 10.0


@dataclass(frozen=True, eq=False)
class EnergyBound:
    """Bound of the motions of an arm from rest.

    Attributes
    ----------
    start : float
        s at the start [J^1/2]: sqrt(2 (V - V_0)), zero without gravity and prestress.
    force : float
        F [J^1/2/s].
    mobility : ndarray (n,)
        The largest sqrt((M^-1)_kk) of each coordinate [unit/J^1/2].
    way : float
        The least length of a way from start to goal in the metric of M [J^1/2 s]: the largest of
        |d' (q_1 - q_0)| / sqrt(d' M^-1 d), over coordinates and momenta d = M (q_1 - q_0).
    """

    start: float
    force: float
    mobility: np.ndarray
    way: float

    def length(self, duration: float) -> float:
        """Return the length [J^1/2 s] of the longest way within a duration [s]."""
        return self.start * duration + self.force * duration**2 / 2

    def travel(self, duration: float) -> np.ndarray:
        """Return how far each coordinate can move at most (n,), within a duration [s]."""
        return self.mobility * self.length(duration)

    @property
    def shortest(self) -> float:
        """The duration [s] below which the goal cannot be reached."""
        # Positive root of force/2 T^2 + start T = way, in the form that does not cancel.
        rate = self.start + np.sqrt(self.start**2 + 2 * self.force * self.way)
        return float(2 * self.way / rate) if rate > 0 else np.inf if self.way > 0 else 0.0


def check_impulse(transcribed: TranscribedProblem) -> None:
    """Refuse a motion between known equilibria for which the inputs are too weak in the time there is."""
    for t in transcribed.phases:
        if not isinstance(t.phase.duration, str) and t.begin.is_known_rest and t.end.is_known_rest:
            _check(t, float(np.max(t.phase.duration)))


def _check(t: PhaseTranscription, longest: float) -> None:
    dae, start, goal = t.dae, t.start, t.goal
    bound = energy_bound(dae, t.limits, start, goal)
    if bound is None or bound.way <= MARGIN * bound.length(longest):
        return
    share, n, most = bound.length(longest) / bound.way, dae.tree.size, _largest(t.limits)
    worst = int(np.argmax(np.abs(goal.x[:n] - start.x[:n]) / bound.mobility))
    weak = ", ".join(f"{name} at most {most[i]:g} {dae.u.units[i]}" for i, name in enumerate(dae.u.names))
    raise ProblemError(
        f"plan: goal: {dae.q_names[worst]} = {goal.x[worst]:.4g} {dae.x.units[worst]} cannot be reached from "
        f"{start.x[worst]:.4g} within {longest:.4g} s: the inputs ({weak}) move the arm by no more than "
        f"{100 * share:.2g} % of the way in that time, and need more than {bound.shortest:.3g} s. "
        "Raise the limits or the duration."
    )


def energy_bound(dae: DAE, limits: Limits, start: OperatingPoint, goal: OperatingPoint) -> EnergyBound | None:
    """Return the bound for motions from a point of rest; None if it does not hold for this arm.

    It holds where the power of all forces but the inputs' comes from potentials and dampers: inputs are forces with
    limits, and there are no states besides those of motion.
    """
    n = dae.tree.size
    if not is_conservative(dae, limits):
        return None
    postures = _postures(dae, limits, start.x[:n], goal.x[:n])
    if postures is None or (kinetics := _kinetics(dae, limits, postures, start.p)) is None:
        return None
    count = postures.shape[1]
    weight, stored = (
        part.full().ravel() for part in _potentials(dae).map(count)(postures, np.tile(start.p[:, None], (1, count)))
    )
    # The drop of the weights is that to the lowest sample, doubled for what lies between samples.
    drop = 2 * (weight[0] - weight.min()) + stored[0] - min(stored.min(), 0.0)
    return EnergyBound(float(np.sqrt(2 * max(drop, 0.0))), *kinetics)


def _kinetics(dae: DAE, limits: Limits, postures: np.ndarray, p: np.ndarray) -> tuple[float, np.ndarray, float] | None:
    """Return F, the mobility (n,) and the least way, from postures (n, k); the first two are start and goal.

    More postures raise F and the mobility, and shorten the way. None if a coordinate moves no mass.
    """
    n, count = postures.shape
    p = np.tile(p[:, None], (1, count))
    masses = np.array(dae.mass_matrix.map(count)(postures, p)).reshape(n, count, n).transpose(1, 0, 2)
    B = np.array(_input_directions(dae).map(count)(postures, p)).reshape(n, count, len(dae.u)).transpose(1, 0, 2)
    size = np.sqrt(np.einsum("kii->ki", masses))
    if not n or not (size > 0).all():
        return None
    scaled = masses / (size[:, :, None] * size[:, None, :])
    if np.linalg.eigvalsh(scaled)[:, 0].min() < 1e-12:
        return None
    inverse = np.linalg.inv(scaled)
    driven = B / size[:, :, None]
    by_input = np.einsum("kiu,kij,kju->ku", driven, inverse, driven)
    mobility = np.max(np.sqrt(np.einsum("kii->ki", inverse)) / size, axis=0)
    step = postures[:, 1] - postures[:, 0]
    ways = np.abs(step) / mobility
    for momentum in masses[:2] @ step:
        d = momentum / size
        norm = np.sqrt(np.max(np.einsum("ki,kij,kj->k", d, inverse, d)))
        ways = np.append(ways, abs(momentum @ step) / norm if norm > 0 else 0.0)
    return float(np.max(np.sqrt(by_input) @ _largest(limits))), mobility, float(ways.max())


def _largest(limits: Limits) -> np.ndarray:
    """Return the largest magnitude of each input (nu,)."""
    return np.abs(limits.u).max(axis=1, initial=0.0)


def is_conservative(dae: DAE, limits: Limits) -> bool:
    """Whether all forces are limited inputs, B(q) u, or come from potentials and dampers."""
    n, z, u = dae.tree.size, dae.z.symbol, dae.u.symbol
    if not np.isfinite(_largest(limits)).all():
        return False
    if len(dae.z) or len(dae.x) != 2 * n or dae.tree.dependent_names or dae.clocks:
        return False
    # Coordinates that become singular somewhere have no largest mobility.
    if dae.tree.charted:
        return False
    # Loads that do not depend on inputs (friction, follower forces) are not among the applied forces.
    for body in dae.tree.bodies:
        inputs = body.terms.symbols.u
        efforts = ca.vertcat(*[ca.SX(load.effort) for load in body.terms.physics.loads], ca.SX(0, 1))
        if ca.sparsify(ca.substitute(efforts, inputs, ca.SX.zeros(inputs.shape))).nnz():
            return False
    applied = ca.SX(dae.expressions.applied)
    idle = ca.substitute(applied, u, ca.SX.zeros(u.shape))
    return not ca.sparsify(idle).nnz() and not ca.depends_on(ca.jacobian(applied, u), ca.vertcat(dae.v, z, u))


def _input_directions(dae: DAE) -> ca.Function:
    """Return the function (q, p) -> B (n, nu)."""
    B = ca.jacobian(ca.SX(dae.expressions.applied), dae.u.symbol)
    return ca.Function("input_directions", [dae.q, dae.p.symbol], [ca.densify(B)])


def _potentials(dae: DAE) -> ca.Function:
    """Return (q, p) -> potential energy of the weights and stored energy [J]."""
    p = dae.p.symbol
    stored = sum(stored_energies(dae.tree, dae.q).values(), ca.SX(0))
    _, potential = dae.energy.call([ca.vertcat(dae.q, ca.SX(dae.tree.size, 1)), p], True, False)
    return ca.Function("potentials", [dae.q, p], [ca.densify(potential - stored), ca.densify(stored)])


def _postures(dae: DAE, limits: Limits, start: np.ndarray, goal: np.ndarray) -> np.ndarray | None:
    """Return postures (n, k), the start first; None if a weight could fall without end."""
    n = dae.tree.size
    ranges = {f"{body.name}.{c.name}": (c.low, c.high) for body in dae.tree.bodies for c in body.terms.coordinates}
    low, high = np.empty(n), np.empty(n)
    for k, name in enumerate(dae.q_names):
        bounds = ranges.get(name, (-np.inf, np.inf))
        low[k], high[k] = max(bounds[0], limits.x[k, 0]), min(bounds[1], limits.x[k, 1])
    away = np.abs(goal - start)
    joints = ~deforming(dae)
    angles = turning(dae)
    weighs = bool(dae.tree.gravity.nnz())
    if weighs and np.any(joints & ~angles & ~(np.isfinite(low) & np.isfinite(high))):
        return None
    # Angles turn all the way, slides go beyond both ends, deflections stay near those at rest.
    near, far = np.minimum(start, goal), np.maximum(start, goal)
    reach = np.where(angles, np.pi, 2 * (away + np.maximum(np.abs(start), np.abs(goal))))
    reach = np.where(joints, reach, away)
    low, high = np.maximum(low, near - reach), np.minimum(high, far + reach)
    shares = np.random.default_rng(0).uniform(size=(POSTURES, n))
    samples = low + shares * np.maximum(high - low, 0.0)
    return np.vstack([start, goal, samples]).T
