"""Arms of the library, assembled once for all tests: equations do not change."""

from __future__ import annotations

from functools import cache

import flexblocks as fb
from flexblocks import models


@cache
def subudhi_morris(**options: object) -> fb.DAE:
    """Return the two-link arm, with the options of `flexblocks.models.subudhi_morris_2002`."""
    return fb.assemble(models.subudhi_morris_2002(**options))
