"""Magnitudes of Vars and rows: declared to the solver for scaling, and what violations are compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock
from pyomo.core.expr.calculus.derivatives import differentiate
from pyomo.core.expr.visitor import identify_variables

from flexblocks.constraints.loop_equations import regular_mass

from ..casadi_solver import CasadiGreyBox
from ..presolve.magnitudes.characteristic_magnitudes import (
    Characteristics,
    Magnitudes,
    characteristics,
    turn_of_the_heaviest,
)
from ..presolve.phase_transcription import PhaseTranscription
from .read_solution import values
from .trajectories import PhaseTrajectory, all_phase_trajectories
from .variable_index import REACHED

# What is at rest has the magnitude of what moves.
AT_REST = {
    "rest": "q",
    "rest_rates": "v",
    "inputs": "u",
    "algebraics": "z",
    "forces": "f",
    "inputs_rates": "du",
    "first_order_rates": "dw",
}
# What a plan uses of a variable counts no less than this share of the most that it uses of any of the same unit: an arm
# that moves in a plane has nothing but rounding across it.
LEAST = 1e-6
# An arm that stays has nothing but rounding: where no coordinate moves by `LEAST` of the heaviest joint's turn by a
# radian, which scaled its program, motions count with this share of that turn.
REST = 1e-2
RATES = {"v": "q", "a": "v", "dw": "w", "du": "u"}  # with the variables whose rates they are
TURN = 2.4  # [rad], of which no multiple comes near to another one for long


def declare_magnitudes(b: Any, t: PhaseTranscription) -> None:
    """Declare magnitudes and deviations of the Vars of the block `b` to every grey box on them that constrains them."""
    found = characteristics(t)
    sizes = _by_component(b, t, found.magnitudes)
    deviations = _deviations(b, t, found)
    for block in (part for part in b.component_objects(descend_into=False) if hasattr(part, "get_external_model")):
        box = block.get_external_model()
        if not isinstance(box, CasadiGreyBox) or box.has_cost:
            continue
        box.magnitudes = np.array([sizes.get(id(variable), 1.0) for variable in block.inputs.values()])
        box.deviations = np.array([deviations.get(id(variable), 0.0) for variable in block.inputs.values()])


def _by_component(b: Any, t: PhaseTranscription, sizes: Magnitudes) -> dict[int, float]:
    """Return the magnitude of every Var by its id."""
    found = _of_motion(b, sizes | ({"path": _path_magnitudes(b, t)} if t.path.rows else {}))
    if t.is_free:
        found[id(b.T)] = t.mesh.duration
    found |= {id(b.p[name]): abs(b.p[name].value) or 1.0 for name in t.design_names}
    return found


def _of_motion(b: Any, sizes: Magnitudes) -> dict[int, float]:
    """Return the magnitudes of Vars by their ids, for those that `sizes` has, and for what is like them at the ends."""
    alike = {f"{end}_{group}": name for end in ("start", "goal") for group, name in AT_REST.items()} | REACHED
    by_name = sizes | {name: sizes[of] for name, of in alike.items() if of in sizes}
    found: dict[int, float] = {}
    for name, magnitudes_of in by_name.items():
        variables = list(getattr(b, name).values()) if hasattr(b, name) else []
        repeated = np.tile(magnitudes_of, len(variables) // max(len(magnitudes_of), 1))
        found |= zip(map(id, variables), repeated.tolist(), strict=True)
    return found


def _deviations(b: Any, t: PhaseTranscription, found: Characteristics) -> dict[int, float]:
    """Return by how much every Var of the motion differs from the first guess in a motion beside it, by its id.

    The rigid arm's motion is bent there by its own forces. An arm that stays has each variable off by another share of
    its magnitude, as equal ones would cancel in a spring.
    """
    n, inner = t.dae.tree.size, t.mesh.within(t.scheme.nodes)
    if found.bending is None:
        off = {name: size * np.cos(TURN * np.arange(len(size))) for name, size in found.magnitudes.items()}
    else:
        q, v = (found.bending(t.mesh.times, order) for order in (0, 1))
        e = found.bending(inner) @ t.static.amounts(n).T
        off = {"q": q, "v": v, "a": found.bending(inner, 2), "e": e, "reached_q": q[-1], "reached_v": v[-1]}
    values: dict[int, float] = {}
    for name, by in off.items():
        variables = list(getattr(b, name).values()) if hasattr(b, name) else []
        whole = np.broadcast_to(by, (len(variables) // max(by.shape[-1], 1), by.shape[-1])) if by.ndim == 1 else by
        values |= zip(map(id, variables), whole.ravel().tolist(), strict=True)
    return values


def _path_magnitudes(b: Any, t: PhaseTranscription) -> np.ndarray:
    """Return the magnitudes of the path values (m,): half of the first guess's largest, or their limits."""
    guessed = np.array([variable.value for variable in b.path.values()], dtype=float).reshape(-1, len(t.path))
    limits = np.abs([t.path.low, t.path.high])
    limit = np.max(np.where(np.isfinite(limits), limits, 0.0), axis=0)
    size = np.maximum(limit, np.max(np.abs(guessed), axis=0) / 2)
    return np.where((size > 0) & np.isfinite(size), size, 1.0)


class RowMagnitudes:
    """The magnitudes of variables, and those of rows: the sums of those of their linearised terms.

    Parameters
    ----------
    m : pyomo.environ.ConcreteModel
    of_plan : bool
        Variables count as they were declared to the solver, what has no declared magnitude, as Vars of the user's own,
        with 1; or, `of_plan`, those of the motion with the most that it makes of them, and others without a declared
        one with no less than their values. The first measures how far an iterate is off; the second what its equations
        are worth, however the solver scaled them.

    Notes
    -----
    Rows without a gradient have 1.
    """

    def __init__(self, m: Any, of_plan: bool = False) -> None:
        self._of: dict[int, float] = {}
        self._of_plan = of_plan
        for block in grey_boxes(m):
            declared = getattr(block.get_external_model(), "magnitudes", None)
            if declared is not None:
                self._of |= zip(map(id, block.inputs.values()), declared.tolist(), strict=True)
        for traj in all_phase_trajectories(m) if of_plan else ():
            used = _of_motion(traj.block, _used(traj))
            self._of |= {variable: size for variable, size in used.items() if size > 0}

    def of_variable(self, variable: Any) -> float:
        declared = self._of.get(id(variable))
        if declared is None:
            return max(abs(variable.value or 0.0), 1.0) if self._of_plan else 1.0
        return declared

    def of_constraint(self, constraint: Any) -> float:
        variables = list(identify_variables(constraint.body, include_fixed=self._of_plan))
        slopes = np.array(differentiate(constraint.body, wrt_list=variables), dtype=float)
        sizes = np.array([self.of_variable(each) for each in variables])
        return float(_or_one(np.array([np.sum(np.abs(slopes * sizes))]))[0])

    def of_box(self, block: Any) -> np.ndarray:
        """Return those of the residuals (m,) of a grey box that has the present values as its inputs."""
        jacobian = block.get_external_model().evaluate_jacobian_equality_constraints()
        counts = [self._of_plan or not each.fixed for each in block.inputs.values()]
        sizes = np.where(counts, [self.of_variable(each) for each in block.inputs.values()], 0.0)
        terms = np.abs(jacobian.data * sizes[jacobian.col])
        return _or_one(np.bincount(jacobian.row, terms, minlength=jacobian.shape[0]))


def _used(traj: PhaseTrajectory) -> Magnitudes:
    """Return the largest values of the variables along a planned motion, by Var; see `LEAST` and `REST`."""
    b, t = traj.block, traj.transcription
    dae, n = t.dae, t.dae.tree.size
    of_q, of_w = np.array(dae.x.units[:n]), np.array(dae.x.units[2 * n :])
    units = (
        dict.fromkeys("qva", of_q)
        | dict.fromkeys(("w", "dw"), of_w)
        | dict.fromkeys(("u", "du"), np.array(dae.u.units))
    )
    units["z"] = np.array(dae.z.units)
    mass = np.diag(regular_mass(dae, *dae.posture(t.start.x, t.start.z, t.start.p)))
    turn = turn_of_the_heaviest(of_q, mass)
    stays = bool(np.all(np.ptp(values(b.q, -1, n), axis=0) <= LEAST * turn))
    least = {part: REST * turn / traj.mesh.duration**order for order, part in enumerate("qva")} if stays else {}
    used: Magnitudes = {}
    for part in ("q", "v", "a", "w", "dw", "z", "f", "e", "u", "du"):
        if not hasattr(b, part) or not len(getattr(b, part)):
            continue
        names = dict.fromkeys(index[-1] for index in getattr(b, part))
        peak = np.max(np.abs(values(getattr(b, part), -1, len(names))), axis=0)
        used[part] = np.maximum(peak, LEAST * _alike(peak, units.get(part)))
        if part in least:
            used[part] = np.maximum(used[part], least[part])
        if RATES.get(part) in used:
            used[part] = np.maximum(used[part], LEAST * used[RATES[part]] / traj.mesh.duration)
    return used


def _alike(peak: np.ndarray, units: np.ndarray | None) -> np.ndarray:
    """Return the largest of the values with the same unit."""
    return np.full_like(peak, peak.max()) if units is None else np.array([peak[units == unit].max() for unit in units])


def grey_boxes(m: Any) -> list[Any]:
    return list(m.component_data_objects(ExternalGreyBoxBlock, descend_into=(pyo.Block, ExternalGreyBoxBlock)))


def _or_one(sums: np.ndarray) -> np.ndarray:
    return np.where((sums > 0) & np.isfinite(sums), sums, 1.0)
