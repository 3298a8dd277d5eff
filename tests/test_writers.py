"""Every writer of the library: what stops it leaves the old file, whole; ``~`` is the home directory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import flexblocks as fb
from flexblocks import export, models, optim, plot
from flexblocks.cli.commands import command_named
from flexblocks.errors import FileFormatError
from repository import ROOT

OLD = b"what was there before, of which every byte counts\n"


@cache
def arm() -> fb.Model:
    return models.subudhi_morris_2002(links=1, modes=1)


@cache
def dae() -> fb.DAE:
    return fb.assemble(arm())


@cache
def motion() -> fb.Trajectory:
    return fb.simulate(dae(), np.linspace(0.0, 0.01, 101), u={"motor1.torque": 0.1})


@cache
def linear() -> fb.LinearModel:
    return fb.linearize(dae())


@cache
def grid() -> fb.LinearGrid:
    return fb.linear_grid(dae(), {"joint1.angle": [0.0, 0.1]})


@cache
def plan() -> optim.Plan:
    problem = optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 0.2}, duration=1.0)
    return optim.plan(dae(), problem, intervals=8)


def picture(path: Path) -> None:
    plot.save(plot.model(arm()), path)


def command(name: str, *arguments: str) -> Callable[[Path], None]:
    """Return what runs a command with the file as its last argument; errors come as they are raised."""

    def run(path: Path) -> None:
        with command_named(name).make_context(name, [*arguments, str(path)]) as context:
            context.command.invoke(context)

    return run


# Every function and command that writes a file. The file's suffix; what writes it; what reads it, if anything does.
WRITERS: dict[str, tuple[str, Callable[[Path], Any], Callable[[Path], Any] | None]] = {
    "model, YAML": (".yaml", lambda path: arm().save(path), fb.load),
    "model, JSON": (".json", lambda path: arm().save(path), fb.load),
    "trajectory, netCDF": (".nc", lambda path: motion().save(path), fb.load),
    "trajectory, CSV": (".csv", lambda path: motion().save(path), fb.load),
    "plan": (".nc", lambda path: plan().save(path), fb.load),
    "grid, netCDF": (".nc", lambda path: export.save_grid(grid(), path), fb.load),
    "grid, MATLAB": (".mat", lambda path: export.save_grid(grid(), path), None),
    **{
        f"linear model, {suffix}": (suffix, lambda path: export.save_linear(linear(), path), reader)
        for suffix, reader in (
            *((suffix, fb.load) for suffix in (".mat", ".json", ".npz")),
            *((suffix, None) for suffix in (".m", ".py")),
        )
    },
    **{
        f"equations, {suffix}": (suffix, lambda path: export.save_equations(dae(), path), None)
        for suffix in (".tex", ".py", ".c", ".m")
    },
    "C code": (".c", lambda path: export.c_code(dae(), path), None),
    "FMU": (".fmu", lambda path: export.fmu(dae(), path, binary=False), None),
    **{f"picture, {suffix}": (suffix, picture, None) for suffix in (".png", ".svg", ".pdf")},
    "flexblocks compare": (
        ".csv",
        command("compare", "subudhi-morris-2002", "--set", "links=1", "--beams", "modes:1", "--beams", "modes:2",
                "--time", "0.01", "--out"),
        None,
    ),
    "flexblocks linearize": (".mat", command("linearize", "subudhi-morris-2002", "--out"), fb.load),
}  # fmt: skip
READERS = [name for name, (_, _, reader) in WRITERS.items() if reader is not None]


def made(name: str, path: Path) -> None:
    """Write a file, and so make what is to be written once."""
    WRITERS[name][1](path)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def old_files(name: str, folder: Path) -> dict[Path, bytes]:
    """Return the files that a writer makes, filled with something older."""
    made(name, folder / f"arm{WRITERS[name][0]}")
    paths = list(folder.iterdir())
    for path in paths:
        path.write_bytes(OLD)
    return dict.fromkeys(paths, OLD)


@pytest.mark.parametrize(
    ("name", "stop"), [(name, (KeyboardInterrupt, OSError)[i % 2]) for i, name in enumerate(WRITERS)]
)
def test_what_stops_a_writer_leaves_the_old_files(
    name: str, stop: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped at the last moment: all that comes before it has been done when the content is brought to the disk."""
    old = old_files(name, tmp_path)

    def stopped(_: int) -> None:
        raise stop(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", stopped)
    with pytest.raises(fb.FlexblocksError if stop is OSError else KeyboardInterrupt):
        made(name, tmp_path / f"arm{WRITERS[name][0]}")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == old


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files as POSIX does")
def test_a_full_disk_leaves_the_old_files_of_all_writers(tmp_path: Path) -> None:
    """A process that may write 300 bytes and no more is to a file what a full disk is."""
    script = (
        "import resource, signal\n"
        "from pathlib import Path\n"
        "import flexblocks as fb\n"
        "from test_writers import WRITERS, made, old_files\n"
        "for number, name in enumerate(WRITERS):\n"  # caches that are written once, of fonts for example, too
        "    Path(str(number)).mkdir()\n"
        "    old_files(name, Path(str(number)))\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))\n"
        "for number, name in enumerate(WRITERS):\n"
        "    folder = Path(str(number))\n"
        "    before = {path: path.read_bytes() for path in folder.iterdir()}\n"
        "    try:\n"
        "        made(name, folder / f'arm{WRITERS[name][0]}')\n"
        "        print('WRONG', name, 'was written')\n"
        "    except BaseException as error:\n"
        "        if not isinstance(error, fb.FlexblocksError) or 'cannot be written' not in str(error):\n"
        "            print('WRONG', name, repr(error))\n"
        "    if {path: path.read_bytes() for path in folder.iterdir()} != before:\n"
        "        print('WRONG', name, 'has changed')\n"
        "print('all', len(WRITERS))\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tests")}
    run = subprocess.run(
        [sys.executable, "-B", "-c", script],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.stdout.splitlines()[-1:] == [f"all {len(WRITERS)}"], run.stderr
    assert [line for line in run.stdout.splitlines() if line.startswith("WRONG")] == []


@pytest.mark.parametrize("name", WRITERS)
def test_home_directory(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In saving and in loading."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(elsewhere)
    suffix, _, reader = WRITERS[name]
    made(name, Path(f"~/arm{suffix}"))
    assert f"arm{suffix}" in names_in(home)
    assert names_in(elsewhere) == []
    if reader is not None:
        reader(Path(f"~/arm{suffix}"))


@pytest.mark.parametrize("name", WRITERS)
def test_no_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises((fb.FlexblocksError, typer.BadParameter), match=r"cannot be written|no folder"):
        made(name, tmp_path / "none" / f"arm{WRITERS[name][0]}")


@pytest.mark.parametrize("name", READERS)
def test_what_cannot_be_read_is_refused_by_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suffix, _, reader = WRITERS[name]
    assert reader is not None
    path = tmp_path / f"arm{suffix}"
    with pytest.raises(FileFormatError, match=rf"arm\{suffix}: there is no such file"):
        reader(path)
    path.mkdir()
    with pytest.raises(FileFormatError, match=rf"arm\{suffix}: is a folder"):
        reader(path)
    with pytest.raises(FileFormatError, match="write the path in full"):
        reader(Path(f"~nobody-of-this-name/arm{suffix}"))


@pytest.mark.parametrize("name", [name for name in READERS if name != "model, YAML"])
def test_a_file_cut_short_is_refused(name: str, tmp_path: Path) -> None:
    """At every tenth of its length, and by its last few bytes. YAML may end after any line: it says so by no sign."""
    suffix, _, reader = WRITERS[name]
    assert reader is not None
    path = tmp_path / f"arm{suffix}"
    made(name, path)
    whole = path.read_bytes()
    last = range(2 if suffix == ".json" else 1, 9)  # what is left of JSON without its last line end is whole
    for length in (*(len(whole) * tenth // 10 for tenth in range(10)), *(len(whole) - cut for cut in last)):
        path.write_bytes(whole[:length])
        with pytest.raises(FileFormatError, match=rf"arm\{suffix}"):
            reader(path)


def test_a_table_of_a_motion_is_refused_by_its_rows(tmp_path: Path) -> None:
    """Whole lines and halves of numbers, cut and added."""
    path = tmp_path / "run.csv"
    motion().save(path)
    lines = path.read_text().splitlines(keepends=True)
    for text, rows in (
        ("".join(lines[:-1]), 100),
        ("".join(lines[:-50]), 51),
        ("".join(lines[:3]), 0),
        ("".join(lines)[:-1], 100),
        ("".join(lines)[:-4], 100),
        ("".join([*lines, lines[-1]]), 102),
    ):
        path.write_text(text)
        with pytest.raises(FileFormatError, match=f"cut short or was added to: {rows} whole rows of 101"):
            fb.load(path)
    path.write_text("".join([lines[0].replace(', "rows": 101', ""), *lines[1:]]))
    with pytest.raises(FileFormatError, match="save the trajectory again"):
        fb.load(path)


@pytest.mark.parametrize("name", ["arm", "arm.doc"])
def test_pictures_of_no_kind_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"must be one of .*\.png"):
        picture(tmp_path / name)
    assert names_in(tmp_path) == []
