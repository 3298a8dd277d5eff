"""Files come to their place whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import flexblocks as fb
from flexblocks.errors import FileFormatError
from flexblocks.files import atomic_file, write_text


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def interrupted(path: Path, stop: type[BaseException]) -> None:
    with atomic_file(path) as unfinished:
        unfinished.write_text("half of the ne")
        raise stop("stopped")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError, OSError])
def test_what_stops_the_writing_leaves_the_old_file(stop: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_text("old")
    with pytest.raises(FileFormatError if stop is OSError else stop):
        interrupted(path, stop)
    assert path.read_text() == "old"
    assert leftovers(tmp_path) == ["old.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files as POSIX does")
def test_a_full_disk_leaves_the_old_file_and_says_so(tmp_path: Path) -> None:
    """A process that may write 4 kB and no more is to a file what a full disk is."""
    (tmp_path / "arm.yaml").write_text("old")
    script = (
        "import resource, signal, flexblocks as fb\n"
        "from flexblocks.files import write_text\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    write_text('arm.yaml', 'x' * 100_000)\n"
        "except fb.FlexblocksError as error:\n"
        "    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-B", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("arm.yaml: cannot be written: File too large. Any existing file is unchanged")
    assert (tmp_path / "arm.yaml").read_text() == "old"
    assert leftovers(tmp_path) == ["arm.yaml"]


def test_a_link_at_the_place_is_followed_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "behind.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "behind.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "behind.txt").read_text() == "new"


def test_rights_stay_or_are_those_of_any_new_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    umask = os.umask(0o027)
    try:
        write_text(path, "new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o600)
        write_text(path, "newer")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(umask)


def test_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    fb.Model("arm").save("~/arm.yaml")
    assert leftovers(tmp_path) == ["arm.yaml"]


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"none/a\.txt: cannot be written: No such file or directory"):
        write_text(tmp_path / "none" / "a.txt", "text")
