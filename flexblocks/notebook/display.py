"""Display in a notebook: the kind of content that belongs to each kind of object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexblocks.compare import Comparison
from flexblocks.dae.dae import DAE
from flexblocks.linear.grid.linear_grid import LinearGrid
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.modes import Modes
from flexblocks.modeling.model import Model
from flexblocks.modeling.model_check import ModelCheck
from flexblocks.notebook import arm, linear, motion, plan
from flexblocks.notebook.content import Content
from flexblocks.notebook.page import page
from flexblocks.simulation.trajectory import Trajectory

CONTENTS: dict[type, Callable[[Any], Content]] = {
    Model: arm.model,
    ModelCheck: arm.check,
    DAE: arm.dae,
    Trajectory: motion.trajectory,
    Comparison: motion.comparison,
    LinearModel: linear.linear_model,
    Modes: linear.modes,
    LinearGrid: linear.grid,
}


def html(shown: Any) -> str:
    """Return an object as HTML.

    Parameters
    ----------
    shown : Model, ModelCheck, DAE, Trajectory, Comparison, LinearModel, Modes, LinearGrid, Plan, Replay or Audit

    Raises
    ------
    TypeError
        Another kind of object, which has no such form.
    """
    for kind in type(shown).__mro__:
        if kind in CONTENTS:
            return page(CONTENTS[kind](shown))
    # Planning imports Pyomo, which is loaded if there is a plan to show.
    from flexblocks.optim import Audit, Plan, Replay

    planning: dict[type, Callable[[Any], Content]] = {Plan: plan.plan, Replay: plan.replay, Audit: plan.audit}
    for kind, content in planning.items():
        if isinstance(shown, kind):
            return page(content(shown))
    raise TypeError(f"{type(shown).__name__} has no form for notebooks")
