"""What `flexblocks` and ``python -m flexblocks`` call: the command line, where its extra is installed."""

from __future__ import annotations

import sys

from flexblocks.errors import MissingExtraError
from flexblocks.libraries import optional


def main() -> None:
    """Run the command line, or say what it needs."""
    try:
        cli = optional("flexblocks.cli", "The command line")
    except MissingExtraError as error:
        sys.exit(str(error))
    cli.main()


if __name__ == "__main__":
    main()
