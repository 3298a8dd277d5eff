"""Links of the pages to files outside docs/ lead to the repository, where these are; in it they are relative."""

from __future__ import annotations

import re
from typing import Any

HOME = "https://github.com/flexblocks/flexblocks/blob/main"
OUTSIDE = re.compile(r"\]\((?:\.\./)+([^)]+)\)")


def with_absolute_links(text: str) -> str:
    """Return Markdown whose links upwards are addresses in the repository."""
    return OUTSIDE.sub(lambda link: f"]({HOME}/{link[1]})", text)


def setup(app: Any) -> dict[str, bool]:
    def read(app: Any, page: str, source: list[str]) -> None:
        if page.count("/") == 0:
            source[0] = with_absolute_links(source[0])

    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
