"""Active components of a Pyomo model; anything but a smooth nonlinear program is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyomo.environ as pyo
from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock
from pyomo.core.base.block import BlockData
from pyomo.core.base.constraint import ConstraintData
from pyomo.core.base.matrix_constraint import _MatrixConstraintData
from pyomo.core.base.objective import ObjectiveData
from pyomo.core.base.var import VarData
from pyomo.dae import DerivativeVar, Integral
from pyomo.network import Port
from pyomo.repn.util import categorize_valid_components

from ..greyboxes.greybox import CasadiGreyBox
from .errors import UnsupportedModelError

_HARMLESS = {
    pyo.Block,
    pyo.Objective,
    pyo.Constraint,
    pyo.Var,
    pyo.Param,
    pyo.Expression,
    pyo.ExternalFunction,
    pyo.Set,
    pyo.RangeSet,
    pyo.BuildAction,
    pyo.BuildCheck,
    pyo.Suffix,
    Port,
    ExternalGreyBoxBlock,
}


@dataclass(frozen=True)
class BoxOnVariables:
    """A grey box with its variables.

    Attributes
    ----------
    name : str
        Name of its Pyomo block.
    model : CasadiGreyBox
    inputs : list of VarData
    output : VarData or None
        Carries the summed cost, if the box has one.
    """

    name: str
    model: CasadiGreyBox
    inputs: list[VarData]
    output: VarData | None


@dataclass(frozen=True)
class Components:
    """Active components of a model.

    Attributes
    ----------
    objective : ObjectiveData or None
    constraints : list of ConstraintData
    boxes : list of BoxOnVariables
    """

    objective: ObjectiveData | None
    constraints: list[ConstraintData]
    boxes: list[BoxOnVariables]


def collect(model: BlockData) -> Components:
    """Return the active components of `model`.

    Raises
    ------
    UnsupportedModelError
        No constructed model, several objectives, a grey box that is not a CasadiGreyBox, active components such as
        SOSConstraint or Disjunct, or differential equations that are not discretized.
    """
    _check_constructed(model)
    _check_discretized(model)
    _, unknown = categorize_valid_components(model, active=True, valid=_HARMLESS)
    if unknown:
        examples = ", ".join(f"{kind.__name__} '{items[0].name}'" for kind, items in unknown.items())
        raise UnsupportedModelError(
            f"Model '{model.name}' has active components that a smooth nonlinear program cannot contain: "
            f"{examples}. Transform or deactivate them."
        )
    objectives = _active(model, pyo.Objective)
    if len(objectives) > 1:
        names = ", ".join(objective.name for objective in objectives)
        raise UnsupportedModelError(
            f"Model '{model.name}' has {len(objectives)} active objectives ({names}); must be one at most. Deactivate "
            "the others."
        )
    return Components(
        objective=objectives[0] if objectives else None,
        constraints=_active(model, pyo.Constraint),
        boxes=[_box(block) for block in _active(model, ExternalGreyBoxBlock)],
    )


def _check_discretized(model: BlockData) -> None:
    """Refuse derivatives and integrals over continuous sets: until they are discretised, they are free variables."""
    for kind in (DerivativeVar, Integral):
        for component in model.component_objects(kind, active=True, descend_into=True):
            raise UnsupportedModelError(
                f"{kind.__name__} '{component.name}' is not discretised, and nothing ties it to its variable. Apply "
                "TransformationFactory('dae.collocation') or 'dae.finite_difference' to the model first."
            )


def bounded_expression(constraint: ConstraintData) -> tuple[Any, Any, Any]:
    """Return lower bound, body and upper bound of a constraint; None for a bound that there is not."""
    if isinstance(constraint, _MatrixConstraintData):
        lower, upper = constraint.has_lb(), constraint.has_ub()
        return constraint.lower if lower else None, constraint.body, constraint.upper if upper else None
    return constraint.to_bounded_expression(evaluate_bounds=True)


def _check_constructed(model: object) -> None:
    if not isinstance(model, BlockData):
        raise UnsupportedModelError(
            f"Got {type(model).__name__} '{model}' to solve; must be a ConcreteModel or one of its blocks."
        )
    if not model.parent_component().is_constructed():  # pyright: ignore[reportOptionalMemberAccess]
        raise UnsupportedModelError(
            f"Model '{model.name}' is abstract: its components are not constructed. Solve what its create_instance() "
            "returns."
        )


def _active(model: BlockData, kind: type) -> list[Any]:
    """Return the active component data of a kind, each once however many References there are to it.

    Pyomo's `component_data_objects` fails on a MatrixConstraint, whose `values` takes no order.
    """
    descend: Any = (pyo.Block, ExternalGreyBoxBlock)  # what a user adds to a grey box's block counts as well
    active: dict[int, Any] = {}
    for component in model.component_objects(kind, active=True, descend_into=descend, sort=False):
        for data in component.values():
            if data.active:
                active[id(data)] = data
    return list(active.values())


def _box(block: Any) -> BoxOnVariables:
    model = block.get_external_model()
    if not isinstance(model, CasadiGreyBox):
        raise UnsupportedModelError(
            f"Grey box '{block.name}' holds a {type(model).__name__}; SolverFactory('casadi') differentiates "
            "CasadiGreyBox only. Write it as one, or use a solver for general grey boxes (cyipopt)."
        )
    output = block.outputs["cost"] if model.has_cost else None
    return BoxOnVariables(block.name, model, list(block.inputs.values()), output)
