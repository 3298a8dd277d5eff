"""Reports: they show what the results say; in a browser they open without a request."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from browser import browser_path, opened
from flexblocks import export, optim
from flexblocks.errors import FileFormatError, ParameterError
from flexblocks.plot.animation.packing import unpacked


def plots(path) -> dict[str, dict]:
    """Return the plots of a report by title."""
    text = path.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="plots">(.*?)</script>', text, re.S)
    assert data is not None
    return {plot["title"]: plot for plot in json.loads(data[1])}


def test_report_of_a_simulation(planar, tmp_path):
    export.report(planar, tmp_path / "run.html", command="python <arm>.py")
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    curve = next(c for c in plots(tmp_path / "run.html")["tip deflections"]["curves"] if c["label"].startswith("link2"))
    np.testing.assert_allclose(unpacked(curve["y"]), planar["link2.tip_deflection_y"], rtol=1e-6, atol=1e-9)
    assert f"{planar['joint1.angle'].max():.5g}" in text
    assert "python &lt;arm&gt;.py" in text
    assert "srcdoc" in text


def test_report_of_a_linear_model(tmp_path):
    dae = subudhi_morris()
    lin = fb.linearize(dae, outputs=("joint1.angle",))
    export.report(lin, tmp_path / "arm.html")
    gain = plots(tmp_path / "arm.html")["gain from motor1.torque"]["curves"][0]
    omega, level = unpacked(gain["x"]), unpacked(gain["y"])
    k = int(np.argmin(np.abs(omega - 5.0)))
    wanted = abs(lin.to_control()(1j * omega[k])[0, 0])
    assert level[k] == pytest.approx(20 * np.log10(wanted), abs=1e-3)
    text = (tmp_path / "arm.html").read_text(encoding="utf-8")
    assert all(f"{mode.frequency:.5g}" in text for mode in lin.modes())


def test_refusals(planar, tmp_path):
    with pytest.raises(FileFormatError, match=r"\.html"):
        export.report(planar, tmp_path / "run.pdf")
    with pytest.raises(ParameterError, match="must be a Plan"):
        export.report(planar.dae, tmp_path / "run.html")


@pytest.mark.slow
def test_report_of_a_plan_in_a_browser(tmp_path):
    size = (1400, 900)
    browser_path()
    dae = subudhi_morris()
    start = {"joint1.angle": 0.0, "joint2.angle": 0.0}
    goal, limits = {"joint1.angle": 0.8, "joint2.angle": 0.4}, {"motor1.torque": 0.5, "motor2.torque": 0.5}
    keep = optim.KeepOut(optim.Sphere((0.3, 0.9), 0.1), frames="payload")
    task = optim.RestToRest(start=start, goal=goal, duration=2.0, limits=limits, path=(keep,))
    plan = optim.plan(dae, task, intervals=20)
    export.report(plan, tmp_path / "plan.html", audit=plan.audit())
    with opened(tmp_path / "plan.html", size) as (page, wrong):
        assert page.locator("figure canvas").count() == len(plots(tmp_path / "plan.html"))
        assert page.locator(".cards dd").first.text_content() == plan.status
        over = page.locator("figure .u-over").first
        over.scroll_into_view_if_needed()
        over.hover(position={"x": 60, "y": 60})
        page.wait_for_timeout(200)
        assert float(page.locator("figure .fb-chip b").first.text_content())
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert page.frame_locator("iframe").locator("#fb-stage canvas").count() == 1
        assert wrong == []
