"""The table of fidelities in the documentation is what its script prints."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_table_in_the_documentation() -> None:
    table = "\n".join(runpy.run_path(str(ROOT / "benchmarks" / "beam_fidelity.py"))["lines"]())
    assert table in (ROOT / "docs" / "beams.md").read_text()
