"""What docs/architecture.md and CONTRIBUTING.md say of the house holds: its picture, its ways, the files they name."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys

import pytest

from repository import ROOT

PAGES = [
    ROOT / "docs" / "architecture.md",
    ROOT / "docs" / "planner_maintainers.md",
    ROOT / "CONTRIBUTING.md",
    *(ROOT / room / "README.md" for room in ("optim", "flexblocks/beam", "flexblocks/control", "flexblocks/dynamics")),
]
# Named functions entered at run time, and their lines: docs/architecture.md, "Short ways, in numbers".
# Beyond 1 % of a length (far) the check of deflections derives once the pull along the beam, and warns of it here.
MOST = {"optim.plan": (771, 5200), "simulate": (190, 1280), "simulate far": (341, 2140), "replay": (195, 1430)}


@pytest.mark.slow
def test_the_picture_of_the_rooms_is_that_of_the_imports() -> None:
    drawn = runpy.run_path(str(ROOT / "docs" / "pictures" / "rooms.py"))["picture"]()
    kept = (ROOT / "docs" / "pictures" / "rooms.svg").read_text(encoding="utf-8")
    assert drawn == kept, "the imports have changed: python docs/pictures/rooms.py draws them anew"


def test_the_picture_of_a_plan_is_that_of_the_table() -> None:
    drawn = runpy.run_path(str(ROOT / "docs" / "pictures" / "plan_way.py"))["picture"]()
    kept = (ROOT / "docs" / "pictures" / "plan_way.svg").read_text(encoding="utf-8")
    assert drawn == kept, "the table has changed: python docs/pictures/plan_way.py draws it anew"


def test_simple_calls_enter_few_functions() -> None:
    """In a process of its own: what another test has derived or cached would make the ways look shorter."""
    script = (
        "import json; from benchmarks.entered_files import simplest;"
        "print(json.dumps({verb: [e.functions.total(), e.lines.total()] for verb, e in simplest().items()}))"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    counts = json.loads(run.stdout.splitlines()[-1])
    assert counts.keys() == MOST.keys()
    for verb, most in MOST.items():
        assert all(0 < count <= limit for count, limit in zip(counts[verb], most, strict=True)), (verb, counts[verb])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_guide_names_are_there(page) -> None:
    """Names in backticks that end in .py or a slash, from the root, the page's own folder or flexblocks."""
    text = page.read_text(encoding="utf-8")
    names = re.findall(r"`([\w./-]+(?:\.py|/))`", text) + re.findall(r"\]\(([\w./-]+)\)", text)
    assert len(names) > 5
    folders = [ROOT, page.parent, ROOT / "flexblocks", ROOT / "optim"]
    folders += [path for folder in (ROOT / "flexblocks", ROOT / "optim") for path in folder.rglob("*") if path.is_dir()]
    made = {"out/"} | set(re.findall(r"`([\w./-]+)` \(new\)", text))  # by `make demo`, and by the changes of a table
    missing = [name for name in names if name not in made and not any((folder / name).exists() for folder in folders)]
    assert not missing
