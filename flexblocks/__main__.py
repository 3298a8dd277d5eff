"""``python -m flexblocks``: the command line."""

from flexblocks.command_line import main

main()
