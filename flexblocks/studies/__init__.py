"""Studies: a task for many cases, on one computer or a cluster, kept in a store; what matters among what varies."""

from flexblocks.public_calls import guard
from flexblocks.studies.cases import Cases, grid, table
from flexblocks.studies.samples import samples
from flexblocks.studies.sensitivity import morris_design, morris_effects, sobol_design, sobol_indices
from flexblocks.studies.stores.store import StoreError
from flexblocks.studies.study import StudyError

__all__ = [
    "Cases",
    "StoreError",
    "StudyError",
    "grid",
    "morris_design",
    "morris_effects",
    "samples",
    "sobol_design",
    "sobol_indices",
    "table",
]

guard(__name__, __all__)
