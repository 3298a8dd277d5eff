"""What studies cost: ``python -m benchmarks.studies`` (``--full`` for 100 000 cases on a cluster of this computer).

Three tables: wall and processor time of many short simulations on one and on two processes; what a case costs beside
its task, by executor; throughput, memory and files of stub cases through the store, from 1 000 cases on.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import flexblocks as fb
from flexblocks import models, tasks

STUB = "import sys; from benchmarks.studies import stubs; stubs(*sys.argv[1:])"


def stub(case: dict[str, float]) -> dict[str, Any]:
    """Return ten numbers, at once."""
    return {"value": 2 * case["a"], "series": (("place",), np.arange(9.0) + case["a"])}


def seconds(task: Any, cases: fb.studies.Cases, executor: Any, store: Path | None = None) -> float:
    """Return the wall time of a study [s]."""
    began = time.perf_counter()
    fb.study(task, cases, store, executor, progress=False)
    return time.perf_counter() - began


def short_simulations(count: int) -> None:
    """Print wall and processor time of many short simulations, by the number of processes.

    Wall times mean something on a computer that does nothing else. Processor times do so anywhere: one process takes
    the time W1 of its worker, as the driver has the other core; two take half of what workers and driver take, W2 + D2.
    """
    task = tasks.Simulate(models.subudhi_morris_2002(), np.linspace(0.0, 0.1, 11), keep=["payload.x", "payload.y"])
    print(f"\n{count} simulations of 0.1 s of the two-link arm; without the start of the processes\n")
    print("| processes | seconds | times as fast | worker [ms of CPU a case] | driver | times as fast, by CPU |")
    print("|---|---|---|---|---|---|")
    alone: tuple[float, float] | None = None
    for number in (1, 2):
        first, whole = (processor_time(task, cases, number) for cases in (count // 10, count))
        wall, workers, driver = (more - less for less, more in zip(first, whole, strict=True))
        alone = alone or (wall, workers)
        by_cpu = alone[1] / max(workers if number == 1 else (workers + driver) / 2, driver)
        figures = (1e3 * part / (count - count // 10) for part in (workers, driver))
        each = " | ".join(f"{figure:.2f}" for figure in figures)
        print(f"| {number} | {wall:.1f} | {alone[0] / wall:.2f} | {each} | {by_cpu:.2f} |")


def processor_time(task: Any, count: int, workers: int) -> tuple[float, float, float]:
    """Return wall time, and processor time of workers and of the driver, of a study in processes [s]."""
    cases = fb.studies.samples({"payload.mass": (0.05, 0.2), "motor1.torque": (-0.02, 0.02)}, count)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    began, driver = time.perf_counter(), time.process_time()
    # Children of this process, and no forkserver's, so that the system counts their time.
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool,
    ):
        fb.study(task, cases, Path(folder) / "study.zarr", pool, progress=False)
    wall, driver = time.perf_counter() - began, time.process_time() - driver
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime, driver


def overhead(count: int = 2000) -> None:
    """Print what a case costs beside its task, by executor."""
    from concurrent.futures import ThreadPoolExecutor

    import distributed

    cases = fb.studies.grid({"a": np.arange(float(count))})
    print(f"\nA case beside its task, {count} stub cases in a Zarr store\n")
    print("| executor | ms a case |\n|---|---|")
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(2) as threads,
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        for name, executor in {"none": None, "2 threads": threads, "2 processes": 2, "Dask, 2 workers": client}.items():
            taken = seconds(stub, cases, executor, Path(folder) / f"{name}.zarr")
            print(f"| {name} | {1e3 * taken / count:.2f} |")


def stubs(count: str, folder: str) -> None:
    """Do stub cases on a cluster of this computer, in a process of its own; print cases a second and memory [MB]."""
    import distributed

    cases, store = fb.studies.grid({"a": np.arange(float(count))}), Path(folder) / "study.zarr"
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        seconds(stub, fb.studies.grid({"a": np.arange(100.0)}), client)  # the workers have imported what they need
        taken = seconds(stub, cases, client, store)
    files = [file for file in store.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    each = size / int(count)
    print(f"| {count} | {taken:.1f} | {int(count) / taken:.0f} | {memory:.0f} | {len(files)} | {each:.0f} |")


def at_scale(counts: tuple[int, ...]) -> None:
    """Print throughput, memory and files of stub cases, each number of cases in a process of its own."""
    print("\nStub cases of ten numbers through a Zarr store and a LocalCluster of two workers\n")
    print("| cases | seconds | cases a second | driver's memory [MB] | files | bytes a case |")
    print("|---|---|---|---|---|---|")
    for count in counts:
        folder = tempfile.mkdtemp()
        try:
            subprocess.run([sys.executable, "-c", STUB, str(count), folder], check=True, env={**os.environ})
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    full = "--full" in sys.argv
    short_simulations(10_000 if full else 1000)
    overhead()
    at_scale((1000, 10_000, 100_000) if full else (1000, 10_000))
