"""Studies that are killed: what has been finished is there, and is not done twice.

Between the end of a case and the note of it are some microseconds. A kill that comes in them costs that one case a
second run, so each process that is killed may have one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from studies import counting

COUNT, SECONDS = 60, 0.03


def begun(folder: Path, workers: int) -> subprocess.Popen[bytes]:
    """Start the study in a process of its own, and return when a third of it is done."""
    command = [sys.executable, "-m", "studies.counting", str(folder), str(COUNT), str(SECONDS), str(workers)]
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, start_new_session=True)
    while len(counting.counts(folder)) < COUNT // 3:
        assert process.poll() is None
        time.sleep(0.02)
    return process


def check(folder: Path, killed: int) -> None:
    """Nothing is missing, and no more cases were ended twice than processes were `killed`."""
    counts = counting.counts(folder)
    assert len(counts) == COUNT
    assert sum(counts.values()) <= COUNT + killed
    with xr.open_zarr(folder / "study.zarr", chunks=None) as runs:
        np.testing.assert_array_equal(runs["square"].values, np.arange(COUNT) ** 2.0)
        assert not runs["error"].values.any()
    assert not (folder / "study.zarr.unfinished").exists()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_the_driver_is_killed(tmp_path: Path, workers: int) -> None:
    driver = begun(tmp_path, workers)
    driver.kill()
    driver.wait()
    assert len(counting.counts(tmp_path)) < COUNT
    counting.run(str(tmp_path), COUNT, SECONDS, None)
    check(tmp_path, killed=max(workers, 1))


@pytest.mark.slow
def test_workers_are_killed_and_replaced(tmp_path: Path) -> None:
    driver = begun(tmp_path, 2)
    killed: set[str] = set()
    while len(killed) < 3 and driver.poll() is None:
        for worker in {file.stem for file in tmp_path.glob("*.txt")} - killed:
            with contextlib.suppress(ProcessLookupError):  # it went with another
                os.kill(int(worker), signal.SIGKILL)
            killed.add(worker)
        time.sleep(0.01)
    assert len(killed) >= 3
    assert driver.wait() == 0
    check(tmp_path, len(killed))


@pytest.mark.slow
def test_ctrl_c_ends_and_goes_on(tmp_path: Path) -> None:
    driver = begun(tmp_path, 2)
    os.killpg(driver.pid, signal.SIGINT)  # as a terminal does: to the workers, too
    assert driver.wait() == 0
    with xr.open_zarr(tmp_path / "study.zarr", chunks=None) as runs:
        assert COUNT // 3 <= np.count_nonzero(runs["state"]) < COUNT
    counting.run(str(tmp_path), COUNT, SECONDS, None)
    check(tmp_path, killed=2)


@pytest.mark.slow
def test_a_case_that_kills_its_worker_fails_alone(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"1 of 12 cases failed.*case 5 .*died"):
        runs = counting.run(str(tmp_path), 12, 0.01, 2, deadly=5.0)
    np.testing.assert_array_equal(runs["state"].values, [1] * 5 + [2] + [1] * 6)
    assert counting.counts(tmp_path) == dict.fromkeys([a for a in map(float, range(12)) if a != 5.0], 1)


@pytest.mark.slow
def test_a_script_that_its_processes_cannot_import_is_told(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import flexblocks as fb\nfb.study(float, fb.studies.grid({'a': [1.0, 2.0]}), executor=1)\n")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "must stand under if __name__ == '__main__':" in run.stderr
