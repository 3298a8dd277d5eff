"""Write the records: ``python -m benchmarks.records NAME ...`` runs benchmarks, and writes a page of each.

A record is a page in docs/benchmarks: the docstring of the benchmark, its command, commit and date, the machine with
the versions of packages, and the output to the letter. Without names it lists the
benchmarks and the dates of their records; ``--arguments "tight"`` passes arguments on, and the page is named after
them. The list of all records, docs/benchmarks/index.md, is written anew each time.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import itertools
import os
import platform
import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from flexblocks.files import write_text

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "benchmarks"
PACKAGES = (
    "casadi",
    "numpy",
    "scipy",
    "pyomo",
    "sympy",
    "mujoco",
    "pin",
    "exudyn",
    "soromox",
    "FMPy",
    "do-mpc",
    "crocoddyl",
    "acados_template",
)
WIDTH = 140  # characters of a line of output
INDEX = """# Records

Measured figures: a page is the output of one benchmark, with its command, commit and date. Benchmarks
compare in the same run; read ratios, to one digit, and no time as a promise.
`python -m benchmarks.records NAME` writes a page anew, `make bench` runs all benchmarks.

| record | date | commit |
|---|---|---|
{rows}

```{{toctree}}
:hidden:

{entries}
```
"""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark with its arguments.

    Attributes
    ----------
    module : str
        Below `benchmarks`.
    arguments : tuple of str
    """

    module: str
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Of its page, without suffix."""
        return "_".join([self.module, *(re.sub(r"\W+", "_", each).strip("_") for each in self.arguments)])

    @property
    def command(self) -> str:
        """As a user types it."""
        return shlex.join(["python", "-m", f"benchmarks.{self.module}", *self.arguments])

    @property
    def docstring(self) -> str:
        """Of its module, which is not imported."""
        path = ROOT / "benchmarks" / f"{self.module}.py"
        path = path if path.exists() else ROOT / "benchmarks" / self.module / "__main__.py"
        return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or self.module

    @property
    def summary(self) -> str:
        """First sentence of the docstring, without the command."""
        return re.split(r"[:,] `*python|(?<=[\w)])\.\s|\.$", " ".join(self.docstring.split()))[0]

    @property
    def details(self) -> list[str]:
        """Paragraphs of the docstring after its first one, in Markdown, an empty line after each."""
        _, *rest = self.docstring.split("\n\n")
        return [line for each in rest for line in (re.sub(r"``([^`]*)``", r"`\1`", each), "")]


@dataclass(frozen=True)
class Run:
    """What a benchmark printed.

    Attributes
    ----------
    output : str
    seconds : float
        Of processor time, with the processes that it waits for, without workers of studies.
    """

    output: str
    seconds: float


def benchmarks() -> Iterator[str]:
    """Yield the modules of all benchmarks: those that run by themselves."""
    for path in sorted((ROOT / "benchmarks").glob("*.py")):
        if path.stem != "records" and 'if __name__ == "__main__"' in path.read_text(encoding="utf-8"):
            yield path.stem
    yield from sorted(path.parent.name for path in (ROOT / "benchmarks").glob("*/__main__.py"))


def run(benchmark: Benchmark, limit: float) -> Run:
    """Run a benchmark in a process of its own.

    Raises
    ------
    subprocess.CalledProcessError
        It fails.
    subprocess.TimeoutExpired
        It takes longer than the limit [s].
    """
    environment = os.environ | {"COLUMNS": str(WIDTH), "NO_COLOR": "1", "TERM": "dumb", "PYTHONWARNINGS": "ignore"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{benchmark.module}", *benchmark.arguments],
        cwd=ROOT, env=environment, timeout=limit, check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Run(done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def page(benchmark: Benchmark, ran: Run) -> str:
    """Return the record."""
    output = re.sub(r"\x1b\[[0-9;]*m", "", ran.output).replace(str(ROOT), ".").strip("\n")
    lines = [
        f"# {benchmark.summary}",
        "",
        *benchmark.details,
        f"    {benchmark.command}",
        "",
        "| | |",
        "|---|---|",
        f"| commit | {commit()} |",
        f"| date | {datetime.datetime.now(datetime.UTC).date().isoformat()} |",
        f"| machine | {processor()}, {os.cpu_count()} cores, with other work |",
        f"| versions | Python {platform.python_version()}, {', '.join(versions())} |",
        f"| processor time | {ran.seconds:.0f} s, without workers of studies |",
        "",
        "```text",
        *lines_of(output),
        "```",
    ]
    return "\n".join(lines) + "\n"


def lines_of(output: str) -> Iterator[str]:
    """Yield the lines of an output, those that are repeated once with their number."""
    for line, same in itertools.groupby(each.rstrip() for each in output.splitlines()):
        count = len(list(same))
        yield line if count == 1 or not line else f"{line} ({count} times)"


def commit() -> str:
    """Return the commit, and whether sources differ from it."""
    name = subprocess.check_output(["git", "rev-parse", "--short=10", "HEAD"], cwd=ROOT, text=True).strip()
    sources = ["flexblocks", "models", "optim", "benchmarks", ":!benchmarks/records.py"]
    changed = subprocess.check_output(["git", "status", "--porcelain", "--", *sources], cwd=ROOT, text=True).strip()
    return f"`{name}`" + (", with changes" if changed else "")


def processor() -> str:
    """Return the name of the processor."""
    if (path := Path("/proc/cpuinfo")).exists():
        found = re.search(r"model name\s*: (.*)", path.read_text(encoding="utf-8"))
        if found:
            return " ".join(found[1].split())
    return platform.processor() or platform.machine()


def versions() -> Iterator[str]:
    """Yield the packages that are installed, with their versions."""
    for package in PACKAGES:
        try:
            yield f"{package} {metadata.version(package)}"
        except metadata.PackageNotFoundError:
            continue


def index() -> str:
    """Return the list of all records."""
    rows, entries = [], []
    for path in sorted(FOLDER.glob("*.md")):
        if path.stem == "index":
            continue
        text = path.read_text(encoding="utf-8")
        fields = dict(re.findall(r"^\| (commit|date) \| (.*) \|$", text, re.MULTILINE))
        title = text.partition("\n")[0].removeprefix("# ")
        rows.append(f"| [{title}]({path.name}) | {fields['date']} | {fields['commit']} |")
        entries.append(path.stem)
    return INDEX.format(rows="\n".join(rows), entries="\n".join(entries))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--arguments", default="", help="passed on to each")
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds for each")
    given = parser.parse_args()
    known = list(benchmarks())
    if unknown := set(given.names) - set(known):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    for name in given.names:
        benchmark = Benchmark(name, tuple(shlex.split(given.arguments)))
        try:
            ran = run(benchmark, given.limit)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as failure:
            print(f"{benchmark.command}: {failure}; its record stays as it is.", file=sys.stderr)
            continue
        write_text(FOLDER / f"{benchmark.name}.md", page(benchmark, ran))
        print(f"{benchmark.command}: {ran.seconds:.0f} s")
    if not given.names:
        for name in known:
            print(name, "recorded" if (FOLDER / f"{name}.md").exists() else "")
    write_text(FOLDER / "index.md", index())


if __name__ == "__main__":
    main()
