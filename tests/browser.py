"""A browser for tests: headless Chromium, driven by playwright, where there is one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OPTIONS = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


def browser_path() -> str:
    """Return the path of a browser, or skip the test by a sentence."""
    pytest.importorskip("playwright", reason="playwright is not installed: no browser is driven.")
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("There is no Chromium on this machine (Debian: apt-get install chromium): no page is opened.")
    return path


@contextmanager
def opened(
    path: Path, size: tuple[int, int] = (1400, 900), dark: bool = False, scale: float = 1.0
) -> Iterator[tuple[Any, list[str]]]:
    """Open a file in a browser; yield the page and a list of everything that went wrong, which grows.

    The display has `scale` pixels a pixel of the page.
    Errors of the console and of scripts are wrong, and so are requests other than of the file itself.
    """
    executable = browser_path()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(OPTIONS))
        page = browser.new_page(
            viewport={"width": size[0], "height": size[1]},
            device_scale_factor=scale,
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",  # nothing plays by itself: pictures are of the times that tests choose
        )
        wrong: list[str] = []
        page.on("console", lambda m: wrong.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        address = path.resolve().as_uri()
        page.on(
            "request",
            lambda r: None if r.url == address or r.url.startswith(("data:", "blob:")) else wrong.append(r.url),
        )
        page.goto(address)
        page.wait_for_timeout(600)
        yield page, wrong
        browser.close()
