"""Notebooks: what is shown holds what the text forms hold, loads nothing, and no name of an arm can run code."""

from __future__ import annotations

import html
import math
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

import flexblocks as fb
from flexblocks import export, models, optim

HOSTILE = """<script>alert("1")</script><img src=x onerror='alert(1)'>&amp;"""
VOID = {"img", "br"}


class Page(HTMLParser):
    """Reads a fragment: its text without the style sheet, its tags, and its tables by their rows."""

    def __init__(self, fragment: str) -> None:
        super().__init__()
        self.text, self.tags, self.open, self.rows = "", [], [], []
        self.feed(fragment)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, "tags are closed in their order"

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.text += data + " "
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def page(shown: Any) -> Page:
    read = Page(shown._repr_html_())
    assert read.open == []
    assert not {tag for tag, _ in read.tags} & {"script", "img", "iframe", "link", "object", "a"}
    assert not any(name.startswith("on") or name in ("href", "src") for _, attrs in read.tags for name in attrs)
    return read


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\s,;:]+", text))


@cache
def arm() -> fb.Model:
    model = fb.Model("arm & co", gravity=(0.0, -9.81, 0.0))
    model.add(fb.Ground("ground"))
    model.add(fb.TorqueSource("motor", limit=2.0))
    model.add(fb.Revolute("joint"))
    model.add(
        fb.FlexibleBeam(
            "link", length=0.5, linear_density=0.2, flexural_rigidity=1.0, discretization=fb.AssumedModes(1, tip="auto")
        )
    )
    model.add(fb.Payload("payload", mass=0.1))
    for ports in (
        ("motor.flange_b", "joint.axis"),
        ("ground.frame_b", "joint.frame_a"),
        ("joint.frame_b", "link.frame_a"),
        ("link.frame_b", "payload.frame_a"),
    ):
        model.connect(*ports)
    return model


@cache
def dae() -> fb.DAE:
    return fb.assemble(arm(), symbolic=("payload.mass",))


def test_a_model_shows_its_block_diagram_with_parameters() -> None:
    fragment = arm()._repr_html_()
    svg = ElementTree.fromstring(fragment[fragment.index("<svg") : fragment.index("</svg>") + 6])
    space = "{http://www.w3.org/2000/svg}"
    boxes = svg.findall(f"{space}g")
    assert [box.findall(f"{space}text")[0].text for box in boxes] != []
    assert {box.findall(f"{space}text")[0].text for box in boxes} == set(arm().blocks)
    assert len(svg.findall(f"{space}line")) == arm().graph.number_of_edges() == 4
    (link,) = (box.find(f"{space}title") for box in boxes if box.findall(f"{space}text")[0].text == "link")
    assert link is not None
    assert "length = 0.5 m" in (link.text or "").split("\n")
    assert "flexural_rigidity = 1 N m2" in (link.text or "").split("\n")
    # Boxes do not cover each other, and all are within the picture.
    places = [{key: float(box.find(f"{space}rect").get(key)) for key in ("x", "y", "width", "height")} for box in boxes]
    width, height = float(svg.get("width")), float(svg.get("height"))
    for i, one in enumerate(places):
        assert one["x"] >= 0
        assert one["y"] >= 0
        assert one["x"] + one["width"] <= width
        assert one["y"] + one["height"] <= height
        for two in places[:i]:
            apart_x = abs(one["x"] - two["x"]) >= one["width"]
            assert apart_x or abs(one["y"] - two["y"]) >= one["height"]
    rows = {row[0]: row for row in page(arm()).rows}
    assert rows["payload"][1:] == ["Payload", "mass = 0.1 kg"]


def test_a_model_without_blocks_shows_itself() -> None:
    assert "0 blocks" in page(fb.Model("empty")).text


def test_the_check_of_a_model_is_a_table() -> None:
    checked = arm().check()
    rows = page(checked).rows
    assert rows[0] == ["name", "type", "connected to"]
    kinds = {name: type(block).__name__ for name, block in arm().blocks.items()}
    assert [row[:2] for row in rows[1 : len(kinds) + 1]] == [
        [name, f"{kind}, bends along y" if name == "link" else kind] for name, kind in kinds.items()
    ]
    assert "too deep" in page(replace(checked, remarks=("link: too deep",))).text
    assert set(rows[3][2].split(", ")) == {"motor", "ground", "link"}
    assert words(str(checked)) <= words(page(checked).text)
    assert "\n" not in repr(checked)


def test_the_check_tells_closed_loops() -> None:
    assert "closed loop" in str(models.concrete_pump().check())
    assert "closed loop" not in str(arm().check())


def test_a_dae_shows_its_variables_with_units_and_limits() -> None:
    rows = page(dae()).rows
    assert ["motor.torque", "N m", "0", "actuator", "2"] in rows
    assert ["payload.mass", "kg", "0.1"] in rows
    assert {"joint.angle", "der(link.bending_y[1])", *dae().y.names} <= {row[0] for row in rows}


def test_linear_models_and_modes_show_the_modes() -> None:
    lin = fb.linearize(dae())
    modes = lin.modes()
    for shown in (lin, modes):
        read = page(shown)
        for number, mode in enumerate(modes, 1):
            assert [str(number), mode.motion, f"{mode.frequency / (2 * math.pi):.5g}", mode.shares] in read.rows
    assert words(str(modes)) - {"mode"} <= words(page(modes).text)


def test_a_trajectory_shows_the_range_of_each_variable() -> None:
    run = fb.simulate(dae(), (0.0, 0.1), u={"motor.torque": 0.5})
    rows = {row[0]: row[1:] for row in page(run).rows}
    angle = run["joint.angle"]
    assert rows["joint.angle"] == [f"{angle.min():.5g}", f"{angle.max():.5g}", f"{angle[-1]:.5g}", "rad"]
    assert rows["motor.torque"] == ["0.5", "0.5", "0.5", "N m"]
    assert set(rows) >= {name for group in run.names.values() for name in group}


def test_a_comparison_shows_its_table() -> None:
    table = pd.DataFrame(
        {"coordinates": [1, 3], "frequency 1 [rad/s]": [float("nan"), 123.456789], "static [m]": [0.0, 1.5e-3]},
        index=["Rigid()", "AssumedModes(n=2)"],
    )
    shown = fb.Comparison(table, "payload.x", {}, fb.Model("arm"))
    assert words(str(shown)) - {"NaN"} <= words(page(shown).text)
    assert page(shown).rows[2] == ["AssumedModes(n=2)", "3", "123.457", "0.0015"]


@pytest.mark.slow
def test_a_grid_shows_its_axes_and_its_error() -> None:
    grid = fb.linear_grid(dae(), {"joint.angle": [0.0, 0.5, 1.0]})
    read = page(grid)
    assert ["joint.angle", "0", "1", "rad", "3"] in read.rows
    assert words(str(grid)) <= words(read.text)


def test_plans_replays_and_audits_show_what_their_text_tells() -> None:
    task = optim.RestToRest({"joint.angle": 0.0}, {"joint.angle": 0.3}, 1.0)
    plan = optim.plan(fb.assemble(arm()), task, intervals=10)
    replay = plan.replay()
    audit = plan.audit()
    assert words(plan.summary()) <= words(page(plan).text)
    assert words(str(replay)) <= words(page(replay).text)
    assert ["0", "payload", f"{1e3 * replay.tip_miss:.5g}"] in [row[:3] for row in page(replay).rows]
    assert words(str(audit)) <= words(page(audit).text)
    assert ["energy left [J]", *(f"{one.energy_left:.3g}" for one in (audit.plan, audit.replay, audit.finer))] in page(
        audit
    ).rows


def test_equations_typeset_themselves() -> None:
    rigid = fb.assemble(models.subudhi_morris_2002(modes=0, joints="rigid"), symbolic="all")
    text = export.equations(rigid, "latex")
    assert isinstance(text, str)
    assert text._repr_latex_() == text == export.equations(rigid, "casadi")._repr_latex_()
    assert text.startswith(r"\[ M(q)\,\ddot q")


@pytest.mark.slow
def test_symbolic_equations_typeset_themselves() -> None:
    pytest.importorskip("sympy")
    rigid = fb.assemble(models.subudhi_morris_2002(links=1, modes=0, joints="rigid"), symbolic="all")
    text = export.equations(rigid, "sympy")._repr_latex_()
    assert text.startswith(r"\[ \text{M a + c + g + k + d = B u} \]")
    assert r"M &= " in text
    assert text.count(r"\begin") == text.count(r"\end")


def test_names_with_tags_and_quotes_are_text() -> None:
    hostile = fb.Model(HOSTILE)
    for block in arm().blocks.values():
        hostile.add(block)
    for ports in arm().connections:
        hostile.connect(*map(str, ports))
    arms = hostile, hostile.check(), fb.assemble(hostile)
    for shown in (*arms, fb.simulate(arms[2], (0.0, 0.01)), fb.linearize(arms[2])):
        assert "<script" not in shown._repr_html_()
        read = page(shown)  # no tag that it may not have
        assert html.escape(HOSTILE) in shown._repr_html_() or HOSTILE in read.text or repr(HOSTILE) in read.text


@pytest.mark.slow
def test_nothing_is_loaded_before_a_notebook_asks() -> None:
    script = "import sys, flexblocks as fb; fb.Model('a'); print('flexblocks.notebook' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False"]


def test_what_has_no_form_is_refused() -> None:
    from flexblocks.notebook import html as shown

    with pytest.raises(TypeError, match="SimpleNamespace"):
        shown(SimpleNamespace())
