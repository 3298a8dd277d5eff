"""The demonstration and the example do what they promise."""

from __future__ import annotations

import json
import runpy

import numpy as np
import pytest
import scipy.io
from typer.testing import CliRunner

import flexblocks as fb
from flexblocks import models
from flexblocks.cli import app
from repository import EXAMPLES


@pytest.mark.slow
def test_demo_does_the_whole_job(tmp_path):
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["demo", "--out", str(out), "--intervals", "40", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    numbers = {name.split(" [")[0]: value for name, value in found["numbers"].items()}
    assert numbers["elastic frequency 1"] == pytest.approx(13.58, abs=0.02)
    assert numbers["bang-bang: largest |energy - work|"] < 1e-8
    assert numbers["replay: tip misses the goal by"] < 0.2
    assert numbers["replay: energy left at the goal"] < 1e-4
    assert set(found["seconds"]) == {
        "compose",
        "assemble",
        "simulate",
        "linearize",
        "plan",
        "replay",
        "draw",
        "animate",
    }
    assert (out / "animation.html").stat().st_size < 5e6
    for picture in found["pictures"]:
        assert (out / picture).read_bytes().startswith(b"\x89PNG")
    assert json.loads((out / "summary.json").read_text())["numbers"] == found["numbers"]
    assert fb.load(out / "arm.yaml").blocks.keys() == models.subudhi_morris_2002().blocks.keys()
    swing, replay = fb.load(out / "swing.csv"), fb.load(out / "replay.nc")
    assert swing.t[-1] == 5.0
    assert replay["joint1.angle"][-1] == pytest.approx(np.pi / 2, abs=1e-3)
    assert scipy.io.loadmat(out / "arm.mat")["A"].shape == (16, 16)


@pytest.mark.slow
def test_example_builds_the_arm_of_the_catalogue(tmp_path):
    example = runpy.run_path(str(EXAMPLES / "two_link_arm.py"))
    ours, theirs = fb.assemble(example["two_link_arm"]()), fb.assemble(models.subudhi_morris_2002())
    assert ours.x.names == theirs.x.names
    x = 0.2 * np.random.default_rng(0).normal(size=len(ours.x))
    rates = [dae.forward_dynamics(x, [0.3, -0.2], []).full() for dae in (ours, theirs)]
    np.testing.assert_allclose(rates[0], rates[1], rtol=1e-9)
    motion = example["main"](str(tmp_path / "arm.png"))
    assert np.abs(motion["link1.tip_deflection_y"]).max() > 0.01
    assert (tmp_path / "arm.png").exists()
