"""Find what a Pyomo model holds: objective, constraints, grey boxes; refuse what a nonlinear program cannot hold."""

from __future__ import annotations

from dataclasses import dataclass

import pyomo.environ as pyo
from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock
from pyomo.core.base.block import BlockData
from pyomo.core.base.constraint import ConstraintData
from pyomo.core.base.objective import ObjectiveData
from pyomo.network import Port
from pyomo.repn.util import categorize_valid_components

from .errors import UnsupportedModelError
from .greybox import CasadiGreyBox

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
class Components:
    """Active components of a model.

    Attributes
    ----------
    objective : ObjectiveData or None
    constraints : list of ConstraintData
    greyboxes : list of (ExternalGreyBoxBlockData, CasadiGreyBox)
    """

    objective: ObjectiveData | None
    constraints: list[ConstraintData]
    greyboxes: list[tuple[BlockData, CasadiGreyBox]]


def collect(model: BlockData) -> Components:
    """Return the active components of `model`.

    Raises
    ------
    UnsupportedModelError
        Several objectives, a grey box that is no CasadiGreyBox, or active components such as SOSConstraint or Disjunct.
    """
    _, unknown = categorize_valid_components(model, active=True, valid=_HARMLESS)
    if unknown:
        found = ", ".join(f"{kind.__name__} '{items[0].name}'" for kind, items in unknown.items())
        raise UnsupportedModelError(
            f"Model '{model.name}' has active components that no smooth nonlinear program holds: {found}. Transform or "
            "deactivate them."
        )

    def active(kind):
        return list(
            model.component_data_objects(kind, active=True, descend_into=(pyo.Block, ExternalGreyBoxBlock), sort=False)
        )

    objectives = active(pyo.Objective)
    if len(objectives) > 1:
        names = ", ".join(objective.name for objective in objectives)
        raise UnsupportedModelError(
            f"Model '{model.name}' has {len(objectives)} active objectives ({names}); must be one at most. Deactivate "
            "the others."
        )
    greyboxes = []
    for block in active(ExternalGreyBoxBlock):
        box = block.get_external_model()
        if not isinstance(box, CasadiGreyBox):
            raise UnsupportedModelError(
                f"Grey box '{block.name}' holds a {type(box).__name__}; SolverFactory('casadi') differentiates "
                "CasadiGreyBox only. Write it as one, or use a solver for general grey boxes (cyipopt)."
            )
        greyboxes.append((block, box))
    return Components(objectives[0] if objectives else None, active(pyo.Constraint), greyboxes)
