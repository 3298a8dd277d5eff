"""Register of the types that a problem file may name."""

from .course import Course
from .objectives import OBJECTIVES
from .path_constraints import PATH_CONSTRAINTS
from .path_constraints.capsule import Capsule
from .path_constraints.region import Cuboid, HalfSpace, Sphere
from .phase import Phase
from .pose import Pose
from .problem import Problem
from .rest_to_rest import RestToRest
from .via import Via

REGIONS = (Cuboid, Capsule, HalfSpace, Sphere)

PROBLEM_TYPES: tuple[type, ...] = (
    *OBJECTIVES,
    *PATH_CONSTRAINTS,
    *REGIONS,
    Course,
    Phase,
    Pose,
    Problem,
    RestToRest,
    Via,
)
