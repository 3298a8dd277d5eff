"""What records of papers have in common: independent reference numbers, and the examples that print figures."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def reference(name: str) -> Any:
    """Return the numbers that the tests compare with, from independent implementations."""
    return json.loads((ROOT / "tests" / "oracles" / "references" / f"{name}.json").read_text(encoding="utf-8"))


def print_example(name: str, *arguments: str) -> None:
    """Run an example, whose first argument is a folder for pictures, and print what it prints but the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(ROOT / "examples" / f"{name}.py"), folder, *arguments]
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        lines = [line for line in done.stdout.splitlines() if folder not in line]
    print(f"\npython examples/{name}.py {' '.join(['out', *arguments])}", *lines, sep="\n")
