"""Pictures of animations as the viewer draws them: ``python docs/pictures/viewer_pictures.py``, the cards.

Writes ``gallery/NAME.png`` beside this file for each example of the gallery, from the animations of a built site
(`make docs`). Needs playwright, Chromium and Pillow.
"""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path
from types import TracebackType

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OPTIONS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
BARE = ".fb-head, .fb-panel, .fb-legend, .fb-help, .fb-tip { visibility: hidden !important }"
BOTTOM = 240  # px of the controls and the plot below the view
SCRUB = """(share) => {
    const bar = document.querySelector('#fb-scrub');
    bar.value = Number(bar.min || 0) + share * (Number(bar.max) - Number(bar.min || 0));
    bar.dispatchEvent(new Event('input'));
}"""
CARD = (560, 420)


class Viewer:
    """A browser with one animation, without its panels."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.size = size

    def __enter__(self) -> Viewer:
        self._driver = sync_playwright().start()
        self._browser = self._driver.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
        viewport = {"width": self.size[0], "height": self.size[1] + BOTTOM}
        self._page = self._browser.new_page(viewport=viewport, reduced_motion="reduce")
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._browser.close()
        self._driver.stop()

    def open(self, path: Path) -> None:
        """Open the page of an animation."""
        self._page.goto(path.as_uri())
        self._page.add_style_tag(content=BARE)
        self._page.wait_for_timeout(1200)

    def picture(self, share: float) -> bytes:
        """Return the view at a share of the motion, as PNG."""
        self._page.evaluate(SCRUB, share)
        self._page.wait_for_timeout(120)
        return self._page.screenshot(clip={"x": 0, "y": 0, "width": self.size[0], "height": self.size[1]})


def cards() -> None:
    """Draw the card of each example of the gallery."""
    with Viewer(CARD) as viewer:
        for path in sorted((ROOT / "build" / "docs" / "_animations").glob("gallery-*-1.html")):
            viewer.open(path)
            name = re.sub(r"^gallery-|-1$", "", path.stem)
            picture = Image.open(io.BytesIO(viewer.picture(0.45))).convert("RGB").quantize(64)
            picture.save(HERE / "gallery" / f"{name}.png", optimize=True)


if __name__ == "__main__":
    (HERE / "gallery").mkdir(exist_ok=True)
    cards()
