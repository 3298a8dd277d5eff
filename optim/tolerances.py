"""Tolerances of planning, each of one meaning: what counts as rounding, as met, as left over, as feasible, as none."""

# Relative, below one absolute: difference of two computed values, or share of the largest singular value, that is none.
ROUNDING = 1e-9
MET = 1e-8  # of a search or Newton's method: error up to which its equations count as met
# Of magnitudes: what sums of many terms, searches and solvers leave. A limit exceeded by more is listed.
RESIDUE = 1e-6
FEASIBLE = 1e-4  # violation of scaled equations up to which an iterate counts as a motion; by trial
NEGLIGIBLE = 1e-4  # of the reach, and of the largest kinetic energy: what a plan may miss by or leave; a choice
