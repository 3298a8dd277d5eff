"""The table of relaxations, in the order in which they are relaxed, and in which they are taken back."""

from __future__ import annotations

from ..relaxation import Relaxation
from .duration import Duration
from .mesh import Mesh
from .modes import Modes
from .objective import Objective
from .obstacles import Obstacles
from .rates import Rates
from .rest import Rest
from .scenarios import Scenarios
from .sharp_laws import SharpLaws

RELAXATIONS: tuple[type[Relaxation], ...] = (
    Obstacles,
    Rest,
    Modes,
    Rates,
    Objective,
    Duration,
    Scenarios,
    SharpLaws,
    Mesh,
)
