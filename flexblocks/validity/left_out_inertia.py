"""Error of an arm's frequencies by the inertia that linear beam theory leaves out at a bent posture.

A beam with slopes v' is shorter by 1/2 int v'^2 dx, and its tip moves along it by -int v' dv' dx as it bends on. Linear
theory leaves that out, with the velocity of all that the tip carries. On a hinge it matters long before deflections are
large: a body that stays where it is as the beam bends beneath it is moved to and fro by the turning of the bent beam,
and linear theory misses that the beam's bending undoes this. The body's mass m then adds about 2 m (n pi v/l)^2 to the
inertia of the mode of n half waves, to be compared with the mass of the beam.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.block_numbers import PostureNumbers
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture
from flexblocks.errors import LargeDeflectionWarning
from flexblocks.interfaces import Block, SmallDeflections
from flexblocks.user_warning import warn
from flexblocks.validity.deflection_error import coordinates_of, linear_blocks
from flexblocks.validity.large_deflections import is_quiet

# Frequencies that are looked at: those above are rarely of interest.
MODES = 3
# An error of a frequency that is told of.
OFF = 0.1
# Not looked for where deflections stay below this share of the length.
LOOKED_FOR = 1e-3
# What moves slower than this share of the fastest mode of the arm does not oscillate but for rounding.
SLOWEST = 1e-8


@dataclass(frozen=True)
class InertiaError:
    """Error of the frequencies of an arm.

    Attributes
    ----------
    block : Block
        The beam that is bent the most.
    measure : SmallDeflections
    deflection : float
        Of it, in units of its length.
    frequency : float
        Of the linear model [Hz], that which is off by the most.
    error : float
        Relative to the true one.
    """

    block: Block
    measure: SmallDeflections
    deflection: float
    frequency: float
    error: float

    @property
    def text(self) -> str:
        """A sentence on the error, and on what holds there."""
        remedy = self.measure.remedy
        return (
            f"{self.block.where} deflects by {100 * self.deflection:.2g} % of its length, where {self.measure.name} "
            "leaves out how its tip moves along it as it bends, with all that it carries: the frequency of "
            f"{self.frequency:.4g} Hz is off by about {100 * self.error:.0f} %. "
            + (f"stiffening=True counts it; {remedy}" if self.measure.tension else f"{remedy[0].upper()}{remedy[1:]}")
        )


def inertia_error(
    dae: DAE, A: np.ndarray, coordinates: Sequence[str], x: np.ndarray, z: np.ndarray, p: np.ndarray
) -> InertiaError | None:
    """Return the error of the slowest frequencies at a state, if it is worth telling.

    Parameters
    ----------
    dae : DAE
    A : ndarray (k, k)
        Of the linear model in its minimal form: coordinates, their rates, first-order states.
    coordinates : sequence of str
        The independent ones (d).
    x, z, p : ndarray (nx,), (nz,), (np,)
    """
    bent = _bent(dae, x)
    if not bent:
        return None
    posture, places = dae.posture(x, z, p), [dae.x.index(name) for name in coordinates]
    motions = _motions(dae, places, posture[0], p)
    left_out = _left_out(dae, {each.index: each.along for each in bent}, *posture)
    moved = {f"{each.block}.{each.coordinate}" for each in dae.tree.prescribed}
    free = np.array([i for i, name in enumerate(coordinates) if name not in moved], dtype=int)
    M, change = (
        (motions.T @ matrix @ motions)[np.ix_(free, free)] for matrix in (mass_at_posture(dae.tree, *posture), left_out)
    )
    true, rows = A.copy(), len(places) + free
    true[rows] = np.linalg.solve(M + change, M @ A[rows])
    frequencies, others = _frequencies(A), _frequencies(true)
    count = min(len(frequencies), len(others), MODES)
    errors = np.abs(frequencies[:count] / others[:count] - 1.0)
    if not np.max(errors, initial=0.0) > OFF:
        return None
    worst, most = int(np.argmax(errors)), max(bent, key=lambda each: each.deflection)
    block = dae.tree.bodies[most.index].block
    return InertiaError(block, most.measure, most.deflection, float(frequencies[worst]), float(errors[worst]))


def warn_of_left_out_inertia(where: str, errors: Mapping[str, InertiaError | None]) -> None:
    """Warn, once, of frequencies that are off: of the worst of many points, by what each is called."""
    if is_quiet():
        return
    told = {name: error for name, error in errors.items() if error is not None}
    if told:
        name, worst = max(told.items(), key=lambda item: item[1].error)
        which = name if len(told) == 1 else f"at {len(told)} points, the most {name}"
        warn(f"{where}: {f'{which}: ' if which else ''}{worst.text}", LargeDeflectionWarning)


@dataclass(frozen=True, eq=False)
class _Bent:
    """A bent beam: the index of its body, and the motion of its tip along it per rate of its coordinates (k,)."""

    index: int
    measure: SmallDeflections
    along: np.ndarray
    deflection: float


def _bent(dae: DAE, x: np.ndarray) -> list[_Bent]:
    bent = []
    for index, measure in linear_blocks(dae):
        if measure.tension is None and measure.length is None:
            continue
        q = coordinates_of(dae, index, x[None])
        length = float(dae.tree.bodies[index].block.nominal.length) if measure.length is None else q[0, measure.length]
        relative = measure.relative(q)[0]
        deflection = float(np.linalg.norm(measure.deflections @ relative, axis=0).max())
        if not deflection > LOOKED_FOR:
            continue
        scale = 1.0 if measure.in_lengths is None else np.where(measure.in_lengths, 1 / length, 1.0)
        slopes = measure.slopes * scale
        along = -length * np.einsum("pki,k,pk->i", slopes, measure.weights, measure.slopes @ relative)
        bent.append(_Bent(index, measure, along, deflection))
    return bent


def _left_out(
    dae: DAE, rows: dict[int, np.ndarray], q: np.ndarray, p: np.ndarray, *dependent: np.ndarray
) -> np.ndarray:
    """Return what the mass matrix (n, n) gains as tips move along their beams, by body Jacobians."""
    tree, n = dae.tree, dae.tree.size
    numbers, change = PostureNumbers(tree, q, p, *dependent), np.zeros((n, n))
    jacobians: list[tuple[np.ndarray, np.ndarray]] = []
    for index, body in enumerate(tree.bodies):
        inlets = [np.zeros((6, n)), np.zeros((6, n))]
        if body.parent is not None and body.outlet is not None:
            along = numbers.map(body.parent, body.outlet)
            inlets = [along @ jacobian for jacobian in jacobians[body.parent]]
            if body.parent in rows and body.outlet == "frame_b":
                # The direction of the beam's root in the axes of its tip.
                motion = rows[body.parent] @ tree.bodies[body.parent].share.full()
                inlets[1][3:] += np.outer(along[:3, 0], motion)
        rates = body.share.full()
        jacobians.append((np.vstack([inlets[0], rates]), np.vstack([inlets[1], rates])))
        if body.terms.has_inertia:
            inertia = numbers.inertia(index)
            straight, true = jacobians[-1]
            change += true.T @ inertia @ true - straight.T @ inertia @ straight
    return change


def _motions(dae: DAE, places: list[int], q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the motion of all coordinates (n, d) with the independent ones, which keeps loops closed."""
    motions = np.zeros((len(q), len(places)))
    motions[places] = np.eye(len(places))
    if dae.tree.loops.closures:
        dependent = np.setdiff1d(np.arange(len(q)), places)
        J = closure_equations(dae).closures(q, p)[1].full()
        motions[dependent] = -np.linalg.lstsq(J[:, dependent], J[:, places], rcond=None)[0]
    return motions


def _frequencies(A: np.ndarray) -> np.ndarray:
    """Return those of the oscillating poles [Hz], the slowest first."""
    poles = np.linalg.eigvals(A)
    fastest = np.abs(poles).max(initial=0.0)
    return np.sort(np.abs(poles[poles.imag > SLOWEST * fastest])) / (2 * np.pi)
