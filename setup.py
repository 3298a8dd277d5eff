"""What a package index shows: README.md, whose links lead to the project's home; all else is in pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)]+)\)")


def long_description() -> str:
    """Return README.md with absolute links, since an index has none of the files beside it."""
    home = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Homepage"]
    folders = {"!": f"{home}/raw/main", "": f"{home}/blob/main"}
    text = (HERE / "README.md").read_text(encoding="utf-8")
    return LINK.sub(lambda link: f"{link[1]}[{link[2]}]({folders[link[1]]}/{link[3]})", text)


if __name__ == "__main__":
    setup(long_description=long_description(), long_description_content_type="text/markdown")
