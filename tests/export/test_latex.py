"""Equations of motion in LaTeX: they compile, and numbers are written as a person would."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path

import pytest

from arms.equation_arms import ARMS, one_link
from flexblocks import export
from flexblocks.export.equations.constants import latex_number


def latex_command() -> list[str] | None:
    for name, options in (("pdflatex", ["-interaction=nonstopmode", "-halt-on-error"]), ("tectonic", [])):
        if shutil.which(name):
            return [name, *options]
    return None


@pytest.mark.slow
@pytest.mark.skipif(latex_command() is None, reason="neither pdflatex nor tectonic is installed")
@pytest.mark.parametrize("grouping", [None, "joint-elastic"])
@pytest.mark.parametrize("arm", ARMS)
def test_latex_compiles(arm: str, grouping: str | None, tmp_path: Path) -> None:
    export.save_equations(ARMS[arm], tmp_path / "arm.tex", grouping=grouping)
    command = latex_command() or []
    run = subprocess.run([*command, "arm.tex"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-2000:]
    assert (tmp_path / "arm.pdf").stat().st_size > 10_000


def test_latex_of_a_pendulum() -> None:
    formulas = export.equations(one_link(), "latex")
    assert r"\[ M(q)\,\ddot q + c(q, \dot q) + g(q) + k(q) + d(q, \dot q) = B(q)\,u + r \]" in formulas
    assert r"M(q) = \begin{bmatrix}" in formulas
    assert "m_{\\mathrm{link}}" in formulas
    assert formulas.count("{") == formulas.count("}")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2 / math.pi, r"\frac{2}{\pi}"),
        (math.pi**4 / 2, r"\frac{\pi^{4}}{2}"),
        (math.sqrt(2) * math.pi, r"\sqrt{2}\,\pi"),
        (1 / 3, r"\frac{1}{3}"),
        (3.0, "3"),
        (0.1, r"\frac{1}{10}"),
        (0.3183, None),
    ],
)
def test_numbers_a_person_would_recognise(value: float, text: str | None) -> None:
    assert latex_number(value) == text
