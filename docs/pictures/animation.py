"""Draw docs/pictures/animation.png: the animation that `flexblocks demo` writes, as a browser shows it.

Run from the repository, after `make demo`: ``python docs/pictures/animation.py``. Needs playwright and Chromium.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
OPTIONS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SET = """([id, value, event]) => {
    const element = document.querySelector(`#fb-${id}`);
    element.value = value;
    element.dispatchEvent(new Event(event));
}"""


def draw() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
        page = browser.new_page(viewport={"width": 1200, "height": 760}, reduced_motion="reduce")
        page.goto((ROOT / "out" / "animation.html").as_uri())
        for change in (["scrub", "1150", "input"], ["factor", "29", "input"], ["quantity", "bending moment", "change"]):
            page.evaluate(SET, change)
        page.select_option("#fb-group", "tip deflections [m]")
        page.wait_for_timeout(1500)
        page.screenshot(path=ROOT / "docs" / "pictures" / "animation.png")
        browser.close()


if __name__ == "__main__":
    draw()
