"""Register of the laws: each returns what is wrong in one line, or an empty string."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.fuzz.laws.invariance import (
    file_holds_the_model,
    planar_arm_is_the_same_in_every_plane,
    symbolic_parameters_change_nothing,
)
from benchmarks.fuzz.laws.mechanics import (
    energy_changes_by_the_power_of_all_forces,
    inverse_dynamics_inverts_forward_dynamics,
    kinetic_energy_is_that_of_the_mass_matrix,
    recursion_agrees_with_the_closed_form,
)
from benchmarks.fuzz.laws.trial import Trial

LAWS: tuple[Callable[[Trial], str], ...] = (
    kinetic_energy_is_that_of_the_mass_matrix,
    energy_changes_by_the_power_of_all_forces,
    inverse_dynamics_inverts_forward_dynamics,
    recursion_agrees_with_the_closed_form,
    planar_arm_is_the_same_in_every_plane,
    symbolic_parameters_change_nothing,
    file_holds_the_model,
)
