"""Studies: a task for many cases, on one computer or a cluster, kept in a store; what matters among what varies."""

from flexblocks.public_calls import guard
from flexblocks.studies.cases import Cases, grid, table
from flexblocks.studies.samples import samples
from flexblocks.studies.store import StoreError
from flexblocks.studies.study import StudyError, study

__all__ = [
    "Cases",
    "StoreError",
    "StudyError",
    "grid",
    "samples",
    "study",
    "table",
]

guard(__name__, __all__)
