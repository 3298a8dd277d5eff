"""The tables of fidelities in the documentation are what their script prints."""

from __future__ import annotations

import runpy

import pytest

from repository import ROOT


@pytest.mark.parametrize("table", ["lines", pytest.param("response_lines", marks=pytest.mark.slow)])
def test_table_in_the_documentation(table: str) -> None:
    printed = "\n".join(runpy.run_path(str(ROOT / "benchmarks" / "beam_fidelity.py"))[table]())
    assert printed in (ROOT / "docs" / "beams.md").read_text()
