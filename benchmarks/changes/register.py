"""The register of changes, in the order of the table."""

from __future__ import annotations

from importlib import import_module

from benchmarks.changes.change import Change

NAMES = (
    "new_block",
    "new_joint",
    "new_discretization",
    "new_objective_term",
    "new_path_constraint",
    "new_law",
    "new_time_scale_criterion",
    "new_plot",
    "new_linear_format",
    "new_integrator",
    "new_transcription_option",
    "new_collocation_scheme",
    "jerk_limit",
    "infeasible_goal_message",
)

CHANGES: dict[str, Change] = {name: import_module(f"benchmarks.changes.{name}").CHANGE for name in NAMES}
