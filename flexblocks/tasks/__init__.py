"""Tasks of studies: what is done for each case; see `flexblocks.study`."""

from flexblocks.public_calls import guard
from flexblocks.tasks.equilibrium import Equilibrium
from flexblocks.tasks.linearize import Linearize
from flexblocks.tasks.plan import Audit, Plan, Replay
from flexblocks.tasks.simulate import Simulate

__all__ = ["Audit", "Equilibrium", "Linearize", "Plan", "Replay", "Simulate"]

guard(__name__, __all__)
