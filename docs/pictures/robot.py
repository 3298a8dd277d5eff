"""Draw docs/pictures/robot.png: the arm of docs/gallery/robot_file.py on its way, as a browser shows it.

Run from the repository: ``python docs/pictures/robot.py``. Needs playwright and Chromium.
"""

from __future__ import annotations

import os
import runpy
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
OPTIONS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SHOW = """() => {
    const scrub = document.querySelector("#fb-scrub");
    scrub.value = 0.85 * scrub.max;
    scrub.dispatchEvent(new Event("input"));
}"""


def draw() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        page_file = Path(folder) / "robot.html"
        runpy.run_path(str(HERE.parent / "gallery/robot_file.py"))["plan"].animate().save(page_file)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
            page = browser.new_page(viewport={"width": 1200, "height": 760}, reduced_motion="reduce")
            page.goto(page_file.as_uri())
            page.evaluate(SHOW)
            page.wait_for_timeout(2500)
            page.screenshot(path=HERE / "robot.png")
            browser.close()


if __name__ == "__main__":
    draw()
