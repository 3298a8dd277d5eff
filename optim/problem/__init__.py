"""The optimal control problem: phases, objectives, path constraints, via points. Nothing here imports Pyomo."""

from .objectives import OBJECTIVES
from .path_constraints import PATH_CONSTRAINTS
from .path_constraints.region import Box, HalfSpace, Sphere
from .phase import Phase
from .problem import Problem
from .rest_to_rest import RestToRest
from .via import Via

REGIONS = (Box, HalfSpace, Sphere)
# The types that a problem file may contain.
PROBLEM_TYPES: tuple[type, ...] = (
    *OBJECTIVES,
    *PATH_CONSTRAINTS,
    *REGIONS,
    Phase,
    Problem,
    RestToRest,
    Via,
)
