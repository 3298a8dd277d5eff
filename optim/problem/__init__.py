"""What is asked of a motion: problems, phases, objectives, constraints along the path. Nothing here knows Pyomo."""

from .objective_terms import Effort, Final, Integral, Jerk, Time, Tracking, Vibration
from .path_constraints import KeepIn, KeepOut, Within
from .phase import Phase
from .problem import Problem
from .region import Box, HalfSpace, Sphere
from .rest_to_rest import RestToRest
from .via import Via

OBJECTIVE_TERMS = (Effort, Final, Integral, Jerk, Time, Tracking, Vibration)
PATH_CONSTRAINTS = (KeepIn, KeepOut, Within)
REGIONS = (Box, HalfSpace, Sphere)
# What a problem file may name.
PROBLEM_TYPES: tuple[type, ...] = (
    *OBJECTIVE_TERMS,
    *PATH_CONSTRAINTS,
    *REGIONS,
    Phase,
    Problem,
    RestToRest,
    Via,
)
