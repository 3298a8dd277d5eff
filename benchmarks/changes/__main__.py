"""Makes the changes, all or those named, and prints in how many source files each was made."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from benchmarks.changes.change import Change
from benchmarks.changes.register import CHANGES
from benchmarks.changes.scratch import ChangeFailed, check


def table(changes: Iterable[Change]) -> str:
    """Return the table of Markdown: each change with its source files."""
    lines = ["| change | files | which |", "|---|---|---|"]
    for change in changes:
        which = ", ".join(f"`{path}`{' (new)' if path in change.files else ''}" for path in change.paths)
        lines.append(f"| {change.name} | {len(change.paths)} | {which} |")
    return "\n".join(lines)


def main(names: list[str]) -> None:
    """Make the changes of these names, of all if there is none, and print the table."""
    if unknown := [name for name in names if name not in CHANGES]:
        sys.exit(f"There is no change {', '.join(unknown)}; must be of {', '.join(CHANGES)}.")
    chosen = {name: CHANGES[name] for name in names or CHANGES}
    for name, change in chosen.items():
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            check(change)
        except ChangeFailed as error:
            sys.exit(str(error))
    print(table(chosen.values()))


if __name__ == "__main__":
    main(sys.argv[1:])
