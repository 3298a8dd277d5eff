"""What the command `flexblocks` calls: the command line, where its extra is installed."""

from __future__ import annotations

import sys

import flexblocks
from flexblocks.errors import MissingExtraError


def main() -> None:
    """Run the command line, or say what it needs."""
    try:
        cli = flexblocks.cli
    except MissingExtraError as error:
        sys.exit(str(error))
    cli.main()
