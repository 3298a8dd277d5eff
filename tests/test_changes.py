"""What a maintainer changes, in as few source files as docs/architecture.md says, and what comes of it works."""

from __future__ import annotations

import pytest

from benchmarks.changes.register import CHANGES
from benchmarks.changes.scratch import check
from repository import ROOT

# A class that others look up, and an entry of a table.
# `python -m benchmarks.changes` makes all of them.
MADE = ("new_block", "new_linear_format")


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_fits_and_takes_no_more_files_than_it_should(name: str) -> None:
    change = CHANGES[name]
    assert len(change.paths) <= change.at_most, change.paths
    assert not [path for path in change.files if (ROOT / path).exists()]
    for edit in change.edits:
        assert (ROOT / edit.path).read_text(encoding="utf-8").count(edit.anchor) == 1, edit.anchor


@pytest.mark.slow  # each starts Python anew, on a copy of the sources
@pytest.mark.parametrize("name", MADE)
def test_a_change_works(name: str) -> None:
    check(CHANGES[name])
