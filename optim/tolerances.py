"""Tolerances of planning, each of one meaning: what counts as rounding, as solved, as feasible, as negligible."""

# Relative, below one absolute: difference of two computed values, or share of the largest singular value, that is none.
ROUNDING = 1e-9
LISTED = 1e-6  # of magnitudes: violation from which on a limit is listed, far above what a solver leaves
FEASIBLE = 1e-4  # violation of scaled equations up to which an iterate counts as a motion; by trial
NEGLIGIBLE = 1e-4  # of the reach, and of the largest kinetic energy: what a plan may miss by or leave; a choice
