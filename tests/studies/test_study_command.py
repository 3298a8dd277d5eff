"""`flexblocks study`: a study from a file, kept, refused and gone on with."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

import flexblocks as fb
from flexblocks import models
from flexblocks.cli import app
from flexblocks.interrupt import Interrupt

STUDY = """
model: subudhi-morris-2002
settings: {links: 1}
task:
  type: simulate
  t: [0.0, 0.1]
  u: {motor1.torque: "bang-bang:0.02,0.02"}
  keep: [payload.x]
cases:
  grid: {payload.mass: [0.1, 0.2]}
store: study.nc
"""


def run(*arguments: object):
    return CliRunner().invoke(app, ["study", *map(str, arguments)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "study.yaml"
    path.write_text(STUDY)
    return path


def test_a_study_is_done_kept_and_gone_on_with(file: Path) -> None:
    result = run(file, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["cases"], told["done"], told["failed"]) == (2, 2, 0)
    dae = fb.assemble(models.subudhi_morris_2002(links=1), symbolic="payload.mass")
    motion = fb.simulate(dae, (0.0, 0.1), {"motor1.torque": fb.bang_bang(0.02, 0.02)}, p={"payload.mass": 0.2})
    with xr.open_dataset(file.parent / "study.nc") as runs:
        np.testing.assert_array_equal(runs["payload.x"].values[1], motion["payload.x"])
    assert told["variables"]["payload.x"]["unit"] == "m"
    again = run(file)
    assert again.exit_code == 1
    assert "--resume continues with it" in again.stderr
    assert run(file, "--resume").exit_code == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("type: simulate", "type: simulat", "Did you mean simulate?"),
        ("keep:", "kept:", "unknown key 'kept'"),
        ("  t: [0.0, 0.1]\n", "", "'t' is missing; simulate needs t"),
        ("bang-bang:0.02,0.02", "bang:0.02", "task.u: motor1.torque = 'bang:0.02'"),
        ("grid: {payload.mass: [0.1, 0.2]}", "table: empty.csv", "no table of cases"),
        ("grid: {payload.mass: [0.1, 0.2]}", "samples: {payload.mass: [0.1, 0.2]}\n  seed: x", "seed = 'x'"),
        ("grid:", "count: 3", "must have one of grid, samples, table"),
        ("payload.mass: [", "payload.mas: [", "Did you mean payload.mass?"),
    ],
)
def test_what_is_wrong_in_the_file_is_said(file: Path, old: str, new: str, message: str) -> None:
    text = STUDY.replace("  grid: {payload.mass: [0.1, 0.2]}", "  count: 3") if old == "grid:" else STUDY
    (file.parent / "empty.csv").touch()
    file.write_text(text.replace(old, new) if old != "grid:" else text)
    result = run(file)
    assert result.exit_code == 1
    assert message in " ".join(result.stderr.split())


@pytest.mark.filterwarnings("always::flexblocks.errors.FlexblocksWarning")
def test_exit_codes_for_scripts(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study that nothing came of, or that Ctrl-C ended, does not let a script go on."""
    file.write_text(STUDY.replace("0.1, 0.2]}", "a, b]}"))
    result = run(file)
    assert result.exit_code == 1
    assert "payload.mass = 'a'; must be a finite number" in " ".join(result.stderr.split())
    (file.parent / "study.nc").unlink()
    file.write_text(STUDY)
    monkeypatch.setattr(Interrupt, "__enter__", lambda self: self.ask() or self)
    result = run(file)
    assert result.exit_code == 130
    assert "0 of 2 cases done" in result.stdout


@pytest.mark.slow
def test_an_address_without_a_scheduler_is_told(file: Path) -> None:
    distributed = pytest.importorskip("distributed")
    result = run(file, "--scheduler", "nonsense")
    assert result.exit_code == 1
    assert "--scheduler 'nonsense': missing port number" in " ".join(result.stderr.split())
    # Half a client as the process' default would request from its scheduler the lock of every file that is written.
    with pytest.raises(ValueError, match="No global client"):
        distributed.get_client()
