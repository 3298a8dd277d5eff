"""What README.md and docs/ show runs as it stands."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import types
import warnings
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from typer.testing import CliRunner

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import optim
from flexblocks.cli import app
from repository import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKED = [*PAGES, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs" / "benchmarks").glob("*.md"))]
# What a comment says that a line prints, where it says it to the letter: a name, or a tuple of names.
PRINTED = re.compile(r"^ *print\(.*\) +# (\(.*\)|[\w.]+)$", re.MULTILINE)
FENCED = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


# Files that pages name and do not write.
NEEDED = {"robots.md": "panda.urdf"}
# Pages whose examples take 2 s and more.
LONG = (
    "beams.md",
    "control.md",
    "controllers_in_c.md",
    "digital_control.md",
    "equations.md",
    "exports.md",
    "identification.md",
    "index.md",
    "linear_models.md",
    "measured_responses.md",
    "planning.md",
    "planning_results.md",
    "real_time.md",
    "robots.md",
    "rollouts.md",
    "simulation.md",
    "sliding_beams.md",
    "stiff_arms.md",
    "studies.md",
    "subudhi_morris_2002.md",
)


def fenced(page: Path, language: str) -> list[str]:
    return [body for found, body in FENCED.findall(page.read_text()) if found == language]


def marked(page: Path) -> object:
    """Return the page, marked slow if running it takes long."""
    return pytest.param(page, marks=pytest.mark.slow, id=page.name) if page.name in LONG else page


@pytest.mark.parametrize("page", [marked(page) for page in PAGES if fenced(page, "python")], ids=lambda page: page.name)
def test_python_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Every block runs, prints what its comments say, and what it simulates and plans reaches its end."""
    mpl.use("Agg")
    plt.close("all")
    monkeypatch.chdir(tmp_path)
    if page.name in NEEDED:
        share = Path(pytest.importorskip("pinocchio").__file__).parents[4] / "share/example-robot-data/robots"
        shutil.copy(next(share.rglob(NEEDED[page.name])), tmp_path)
        warnings.filterwarnings("ignore", ".*meshes are left out")
    module = types.ModuleType("document")
    monkeypatch.setitem(sys.modules, "document", module)
    if page.name == "README.md":  # a newcomer's first plan is a good one
        warnings.simplefilter("error", optim.PlanWarning)
    for code in fenced(page, "python"):
        exec(compile(code, str(page), "exec"), module.__dict__)
        printed = capsys.readouterr().out
        assert [text for text in PRINTED.findall(code) if text not in printed] == []
    results = vars(module).values()
    assert all(result.complete for result in results if isinstance(result, fb.Trajectory))
    assert all(result.status in ("converged", "optimal") for result in results if isinstance(result, optim.Plan))


def commands() -> list[str]:
    lines = [line for page in PAGES for body in fenced(page, "sh") for line in body.splitlines()]
    return [line for line in lines if line.startswith("flexblocks ")]


MY_BLOCKS = """
from dataclasses import dataclass

from flexblocks.interfaces import Block, Output, Physics, inlet


@dataclass(frozen=True)
class Odometer(Block):
    ports = (inlet(),)

    def physics(self, frame, local):
        return Physics(outputs={"distance": Output(frame.r[0], "m")})
"""


def my_arm() -> fb.Model:
    """Return a slide that carries a block of one's own."""
    names: dict = {}
    exec(MY_BLOCKS, names)
    model = fb.Model("my arm")
    ground, slide = model.add(fb.Ground("ground")), model.add(fb.Prismatic("slide"))
    load, odometer = model.add(fb.RigidLink("load", length=0.1, mass=1.0)), model.add(names["Odometer"]("odometer"))
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, load.frame_a)
    model.connect(load.frame_b, odometer.frame_a)
    return model


@pytest.mark.parametrize("command", commands())
def test_commands_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if "my_arm.yaml" in command:
        (tmp_path / "my_blocks.py").write_text(MY_BLOCKS)
        my_arm().save("my_arm.yaml")
    if command.startswith("flexblocks view"):
        fb.simulate(subudhi_morris(), [0.0, 0.1]).save("run.nc")
    result = CliRunner().invoke(app, shlex.split(command, comments=True)[1:])
    assert result.exit_code == 0, result.output


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", LINKED, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    missing = []
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", page.read_text()):
        there = page.parent / target if target else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            missing.append(f"{target}#{anchor}")
    assert not missing
