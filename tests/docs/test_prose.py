"""Guides stay guides: short, in short sentences, without measured figures; and the tables of statuses are whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from flexblocks.optim.solver_statistics import Status
from repository import ROOT

DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))
from prose import guides, measured  # noqa: E402

sys.path.remove(str(DOCS))


@pytest.fixture(scope="module", autouse=True)
def _unloaded() -> Iterator[None]:
    yield
    sys.modules.pop("prose", None)


@pytest.mark.parametrize("page", guides(), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_guide_is_short_with_short_sentences_and_few_numbers(page: Path) -> None:
    assert not measured(page.read_text(encoding="utf-8")).excesses


def test_most_pages_are_guides() -> None:
    names = {page.stem for page in guides()}
    assert names >= {
        "planning",
        "planning_results",
        "beams",
        "simulation",
        "blocks",
        "loops",
        "exports",
        "troubleshooting",
    }
    assert not names & {"planning_theory", "beams_theory", "architecture"}


def test_words_numbers_and_long_sentences_are_counted() -> None:
    long = "One" + " one" * 35
    text = f"""# Title with 7

It takes 3 s, not `4`, with rk4 in 2019. {long}.

```python
x = 5
```

$$ x = 6 $$

| a | 6 |
|---|---|

* An item of $8$.
"""
    prose = measured(text)
    assert prose.words == len(text.split())
    assert prose.numbers == pytest.approx(1000 / (10 + 36 + 4))
    assert len(prose.long) == 1
    assert prose.share_long == pytest.approx(1 / 3)
    assert not prose.history


@pytest.mark.parametrize("text", ["It takes 12 iterations.", "Found with seed 3.", "It takes 3 s instead of 9 s."])
def test_history_is_found(text) -> None:
    assert measured(text).history


def test_the_guide_has_every_status() -> None:
    text = (DOCS / "planning_results.md").read_text(encoding="utf-8")
    table = text.partition("### What the status says")[2].partition("###")[0]
    assert not [status for status in get_args(Status) if f'`"{status}"`' not in table]
