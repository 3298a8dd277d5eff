"""The tables of fidelities in the documentation are what their script prints."""

from __future__ import annotations

import math
import runpy

import pytest

from repository import ROOT

# Constants that are equal up to rounding, which differs from processor to processor, are one operation or two; of
# printed figures the last digit may be another.
ROUNDING = 0.1


@pytest.mark.parametrize("table", ["lines", pytest.param("response_lines", marks=pytest.mark.slow)])
def test_table_in_the_documentation(table: str) -> None:
    printed = list(runpy.run_path(str(ROOT / "benchmarks" / "beam_fidelity.py"))[table]())
    documented = (ROOT / "docs" / "benchmarks" / "beam_fidelity.md").read_text().splitlines()
    begin = documented.index(printed[0])
    assert not documented[begin + len(printed)].startswith("|")
    for line, here in zip(documented[begin:], printed, strict=False):
        for cell, computed in zip(line.split("|"), here.split("|"), strict=True):
            assert _agree(cell, computed), (line, here)


def _agree(cell: str, computed: str) -> bool:
    """Whether two cells of a table have the same text, or numbers apart by rounding."""
    try:
        return math.isclose(float(cell), float(computed), rel_tol=ROUNDING)
    except ValueError:
        return cell == computed
