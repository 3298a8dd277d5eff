"""Animations in a real browser: nothing goes wrong, the arm is seen, moves, bends more, and nothing is loaded."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from browser import browser_path, opened
from flexblocks import models, plot

VIEWER = Path(plot.__file__).parent / "animation" / "viewer"
SET = """([id, value, event]) => {
    const element = document.querySelector(`#fb-${id}`);
    element.value = value;
    element.dispatchEvent(new Event(event));
}"""


def picture(page) -> np.ndarray:
    """Return what the canvas shows (height, width, 3)."""
    from PIL import Image

    page.wait_for_timeout(250)
    box = page.locator("#fb-stage canvas").bounding_box()
    with Image.open(io.BytesIO(page.screenshot(clip=box))) as image:
        return np.asarray(image.convert("RGB"), dtype=int)


def changed(one: np.ndarray, other: np.ndarray) -> float:
    """Return the share of points that differ."""
    return float((np.abs(one - other).max(axis=2) > 24).mean())


def look_at(page) -> None:
    """Do to a page what a user does, and see that it answers."""
    first = picture(page)
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 50, "the canvas is blank"
    page.evaluate(SET, ["scrub", "9000", "input"])
    later = picture(page)
    assert changed(first, later) > 1e-3, "two times give the same picture"
    cursor = page.locator(".fb-cursor")
    at_end = cursor.bounding_box()["x"]
    page.evaluate(SET, ["scrub", "3000", "input"])
    assert cursor.bounding_box()["x"] < at_end - 50, "the cursor does not follow"
    plain = picture(page)
    page.evaluate(SET, ["factor", "75", "input"])
    assert "× 21" in page.locator("#fb-factor-text").text_content()
    assert changed(plain, picture(page)) > 1e-3, "the slider exaggerates nothing"
    page.evaluate(SET, ["quantity", "bending moment", "change"])
    colored = picture(page)
    assert "N m" in page.locator("#fb-high").text_content()
    assert changed(plain, colored) > 1e-3
    time = page.locator("#fb-now").text_content()
    page.keyboard.press("ArrowRight")
    assert page.locator("#fb-now").text_content() != time


@pytest.mark.slow
def test_planar_arm(planar, tmp_path):
    size = (1400, 900)
    browser_path()
    plot.animate(planar, title="An <arm> & more").save(tmp_path / "arm.html")
    with opened(tmp_path / "arm.html", size) as (page, wrong):
        assert page.locator("h1").text_content() == "An <arm> & more"
        look_at(page)
        page.locator("#fb-stage canvas").hover(position={"x": 4, "y": 4})
        assert wrong == []


@pytest.mark.slow
def test_spatial_arm_side_by_side_and_its_size(tmp_path):
    """A six-joint arm of two booms, 1000 frames: below 5 MB; twice, with another payload, beside each other."""
    browser_path()
    runs = []
    for mass in (2000.0, 500.0):
        dae = fb.assemble(models.space_arm(payload=mass))
        inputs = {"shoulder_pitch_motor.torque": 0.3, "elbow_pitch_motor.torque": -0.2}
        runs.append(fb.simulate(dae, np.linspace(0.0, 10.0, 1000), u=inputs))
    one = plot.animate(runs[0])
    assert len(one.scene.runs[0].t) == 1000
    one.save(tmp_path / "one.html")
    assert (tmp_path / "one.html").stat().st_size < 5e6
    with opened(tmp_path / "one.html", dark=True) as (page, wrong):
        look_at(page)
        assert wrong == []
    plot.animate(*runs, labels=("heavy", "light"), layout="side by side").save(tmp_path / "two.html")
    with opened(tmp_path / "two.html") as (page, wrong):
        assert page.locator(".fb-cells span").all_text_contents() == ["heavy", "light"]
        beside = picture(page)
        page.evaluate(SET, ["layout", "overlay", "change"])
        assert changed(beside, picture(page)) > 1e-3
        assert wrong == []


@pytest.mark.slow
def test_chosen_signals_share_axes_with_those_of_their_unit(planar, tmp_path):
    """One group for each unit, first of all groups; each shows its own signals alone."""
    browser_path()
    wanted = ["joint1.angle", "motor1.torque", "joint2.angle", "rotor1.angle"]
    plot.animate(planar, signals=wanted).save(tmp_path / "arm.html")
    with opened(tmp_path / "arm.html") as (page, wrong):
        options = page.locator("#fb-group option").all_text_contents()
        assert options[:2] == ["chosen signals [rad]", "motor1.torque"]
        shown = [text.strip() for text in page.locator("#fb-chips span").all_text_contents()]
        assert shown == [wanted[0], *wanted[2:]]
        page.locator("#fb-group").select_option(label="motor1.torque")
        assert page.locator("#fb-chips span").all_text_contents() == ["motor1.torque"]
        assert wrong == []


@pytest.mark.slow
def test_modes(tmp_path):
    browser_path()
    lin = fb.linearize(subudhi_morris())
    plot.animate(lin).save(tmp_path / "modes.html")
    with opened(tmp_path / "modes.html") as (page, wrong):
        assert page.locator("#fb-mode option").count() == sum(m.eigenvalue.imag > 0 for m in lin.modes())
        first = picture(page)
        page.evaluate(SET, ["mode", "2", "change"])
        other = picture(page)
        assert changed(first, other) > 1e-3
        page.evaluate(SET, ["scrub", "5000", "input"])
        assert changed(other, picture(page)) > 1e-3
        assert wrong == []


@pytest.mark.slow
def test_bundle_is_what_the_script_makes(tmp_path):
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: the bundle is not made again.")
    work = tmp_path / "animation" / "viewer"
    shutil.copytree(VIEWER, work, ignore=shutil.ignore_patterns("node_modules"))
    installed = subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=work, capture_output=True, text=True)
    if installed.returncode:
        pytest.skip(f"npm cannot get the libraries here: {installed.stderr[-300:]}")
    subprocess.run([npm, "run", "build"], cwd=work, check=True, capture_output=True)
    for made in sorted((work.parent / "bundle").iterdir()):
        kept = VIEWER.parent / "bundle" / made.name
        digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in (made, kept)]
        assert digests[0] == digests[1], f"{made.name}: run `npm ci && npm run build` in {VIEWER}"


def overlaps(boxes: list[dict[str, float]]) -> bool:
    """Return whether any two boxes cover each other."""
    return any(
        abs(a["x"] + a["width"] / 2 - b["x"] - b["width"] / 2) < (a["width"] + b["width"]) / 2 - 0.6
        and abs(a["y"] + a["height"] / 2 - b["y"] - b["height"] / 2) < (a["height"] + b["height"]) / 2 - 0.6
        for i, a in enumerate(boxes)
        for b in boxes[:i]
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*oil bears no tension")
def test_frames_forces_and_pictures(tmp_path):
    """All are off at first; names do not cover each other; the scale is round; a picture has the display's pixels."""
    from PIL import Image

    browser_path()
    dae = fb.assemble(models.concrete_pump())
    run = fb.simulate(dae, np.linspace(0.0, 0.5, 21), u={"ram1.valve": 0.1})
    plot.animate(run, title="A <pump> & more").save(tmp_path / "pump.html")
    with opened(tmp_path / "pump.html") as (page, wrong):
        names, scale = page.locator(".fb-names span:visible"), page.locator("#fb-scale")
        assert names.count() == 0
        assert not scale.is_visible()
        plain = picture(page)
        page.locator("#fb-frames").check()
        framed = picture(page)
        assert changed(plain, framed) > 1e-3
        assert {"boom1", "joint3", "ram1_foot", "hose"} <= set(names.all_text_contents())
        assert not overlaps([each.bounding_box() for each in names.all()])
        page.keyboard.press("n")
        assert names.count() == 0
        page.keyboard.press("a")
        assert changed(plain, picture(page)) > 1e-3
        assert re.fullmatch(r"→ 1 m = [125]0* [kM]?N", scale.text_content())
        page.keyboard.press("n")
        shown = picture(page)
        for save in (page.locator("#fb-picture").click, lambda: page.keyboard.press("s")):
            with page.expect_download() as download:
                save()
            assert download.value.suggested_filename == "A-pump-more.png"
            download.value.save_as(tmp_path / "view.png")
        with Image.open(tmp_path / "view.png") as image:
            saved = np.asarray(image.convert("RGB"), dtype=int)
        assert saved.shape == shown.shape
        # But for the title and the tools over it, which are not in the file.
        height, width = shown.shape[:2]
        assert changed(saved[height // 4 :, : width * 3 // 4], shown[height // 4 :, : width * 3 // 4]) < 0.02
        assert changed(saved, plain) > 1e-3
        assert wrong == []


@pytest.mark.slow
def test_an_arm_without_forces_offers_no_arrows_and_notebooks_save_pictures(planar, tmp_path):
    """A notebook shows the page in a frame; on a fine display a picture has more pixels than the page."""
    from PIL import Image

    browser_path()
    animation = plot.animate(planar, title="arm")
    (tmp_path / "notebook.html").write_text(f"<!doctype html><body>{animation._repr_html_()}</body>", encoding="utf-8")
    with opened(tmp_path / "notebook.html", (900, 700), scale=2.5) as (page, wrong):
        frame = page.frame_locator("iframe")
        assert not frame.locator("#fb-forces").is_visible()
        assert frame.locator("#fb-frames").is_visible()
        with page.expect_download() as download:
            frame.locator("#fb-picture").click()
        download.value.save_as(tmp_path / "arm.png")
        box = frame.locator("#fb-stage").bounding_box()
        with Image.open(tmp_path / "arm.png") as image:
            assert image.size == pytest.approx((2.5 * box["width"], 2.5 * box["height"]), abs=2)
        assert wrong == []
