"""Editors find every package: pyright resolves a script outside the repository, in the environment of `make env`."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

SCRIPT = """
import flexblocks as fb
from flexblocks import control, export, models, optim, plot
from flexblocks.interfaces import Block, parameter

dae = fb.assemble(models.subudhi_morris_2002(links=2))
plan = optim.plan(dae, optim.RestToRest(start={"joint1.angle": 0.0}, goal={"joint1.angle": 1.0}, duration=2.0))
reveal_type(dae)
reveal_type(plan)
reveal_type(fb.Revolute)
optim.Efort()
fb.Revolut("joint")
"""


@pytest.mark.slow
def test_pyright_resolves_and_completes_all_packages(tmp_path: Path) -> None:
    pyright = Path(sys.executable).with_name("pyright")
    layout = Path(sysconfig.get_path("purelib")) / "flexblocks-layout.pth"
    if not pyright.exists() or not layout.exists():
        pytest.skip("pyright, or the folder of links that `make env` makes for editors, is not installed")
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [pyright, "--pythonpath", sys.executable, "script.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert 'Type of "dae" is "DAE"' in run.stdout
    assert 'Type of "plan" is "Plan"' in run.stdout
    assert 'Type of "fb.Revolute" is "type[Revolute]"' in run.stdout
    # Names that are there resolve, and those that are not are reported: two errors and no other.
    assert '"Efort" is not a known attribute of module "flexblocks.optim"' in run.stdout
    assert '"Revolut" is not a known attribute of module "flexblocks"' in run.stdout
    assert "2 errors, 0 warnings" in run.stdout
