"""Guides stay guides: short, in short sentences, without measured figures; and the tables of statuses are whole."""

from __future__ import annotations

import re
import sys
from typing import get_args

import pytest

from flexblocks.optim.solver_statistics import Status
from repository import ROOT

DOCS = ROOT / "docs"
GUIDES = ("planning.md", "beams.md")
MOST_WORDS = 3000
MOST_NUMBERS = 15  # in 1000 words
MOST_LONG = 0.1  # share of sentences above 35 words


@pytest.fixture
def measured(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    monkeypatch.delitem(sys.modules, "prose", raising=False)
    from prose import measured

    return measured


@pytest.mark.parametrize("page", GUIDES)
def test_a_guide_is_short_and_has_few_figures(page, measured) -> None:
    prose = measured((DOCS / page).read_text(encoding="utf-8"))
    assert prose.words <= MOST_WORDS
    assert prose.numbers <= MOST_NUMBERS
    assert prose.long <= MOST_LONG


@pytest.mark.parametrize("page", GUIDES)
def test_a_guide_has_no_history(page) -> None:
    """Nor iterations and seeds of single solves, which belong in docs/benchmarks."""
    text = (DOCS / page).read_text(encoding="utf-8")
    assert not re.findall(r"\d+ iterations|\bseeds?\b|\binstead of \d", text)


def test_words_numbers_and_long_sentences_are_counted(measured) -> None:
    long = "One" + " one" * 35
    text = f"# Title\n\nIt takes 3 s, not `4`. {long}.\n\n```python\nx = 5\n```\n\n| a | 6 |\n|---|---|\n\n* An item.\n"
    prose = measured(text)
    assert prose.words == 1 + 6 + 36 + 2 + 2
    assert prose.numbers == pytest.approx(1000 / (1 + 6 + 36 + 2))
    assert prose.long == pytest.approx(1 / 3)


def test_the_guide_has_every_status() -> None:
    text = (DOCS / "planning.md").read_text(encoding="utf-8")
    table = text.partition("### What the status says")[2].partition("###")[0]
    assert not [status for status in get_args(Status) if f'`"{status}"`' not in table]
