"""What a maintainer changes, in as few source files as docs/architecture.md says, and what comes of it works."""

from __future__ import annotations

import pytest

from benchmarks.changes.register import CHANGES
from benchmarks.changes.scratch import check

pytestmark = pytest.mark.slow  # each change starts Python anew, on a copy of the sources


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_works_and_takes_no_more_files_than_it_should(name: str) -> None:
    change = CHANGES[name]
    check(change)
    assert len(change.paths) <= change.at_most, change.paths
