"""Pages and pictures that scripts write are those of the code as it is."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from matplotlib.image import imread

from flexblocks.blocks import ALL_BLOCKS
from repository import ROOT

PICTURES = ROOT / "docs" / "pictures"


def test_blocks_at_a_glance_are_those_of_the_register() -> None:
    written = runpy.run_path(str(PICTURES / "blocks_at_a_glance.py"))["written"]()
    changed = [path.name for path, text in written.items() if path.read_text(encoding="utf-8") != text]
    assert not changed, "python docs/pictures/blocks_at_a_glance.py"
    drawn = {path.stem for path in (PICTURES / "blocks").glob("*.svg")}
    assert drawn == {block.__name__ for block in ALL_BLOCKS}
    page = written[ROOT / "docs" / "blocks_at_a_glance.md"]
    assert all(page.count(f"blocks/{name}.svg)") == 1 for name in drawn)


def test_bending_planes_are_as_drawn() -> None:
    drawn = runpy.run_path(str(PICTURES / "bending_planes.py"))["picture"]()
    assert drawn == (PICTURES / "bending_planes.svg").read_text(encoding="utf-8")


def test_every_example_of_the_gallery_has_its_machine() -> None:
    examples = {path.stem for path in (ROOT / "docs" / "gallery").glob("*.py")}
    assert {path.stem for path in (PICTURES / "gallery").glob("*.png")} == examples


@pytest.mark.parametrize("picture", sorted(PICTURES.rglob("*.png")), ids=lambda path: path.stem)
def test_a_picture_opens_and_a_page_shows_it(picture: Path) -> None:
    assert imread(picture).size
    name = picture.relative_to(ROOT / "docs").as_posix()
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs" / "_extensions").glob("*.py"), ROOT / "README.md"]
    assert "/gallery/" in name or any(name in page.read_text(encoding="utf-8") for page in pages)
