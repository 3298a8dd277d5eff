"""The command line: `flexblocks check | simulate | linearize | export | plan | study | demo | schema`."""

from flexblocks.cli.app import app, main

__all__ = ["app", "main"]
