"""Write the entries of warnings in docs/troubleshooting.md: python docs/pictures/troubleshooting.py.

They come from the kinds of warnings themselves (`flexblocks.warning_kinds`, `flexblocks.optim.warning_kinds`), whose
messages link here; a test holds the page against them.
"""

from __future__ import annotations

from pathlib import Path

from flexblocks import warning_kinds
from flexblocks.optim import warning_kinds as plan_warning_kinds

PAGE = Path(__file__).parents[1] / "troubleshooting.md"
BEGIN, END = "<!-- warnings: begin -->", "<!-- warnings: end -->"


def entries() -> str:
    """Return the entries, a heading each, to which messages link."""
    parts = []
    for title, kinds in (
        ("Models, motions and data", warning_kinds.KINDS),
        ("Plans", plan_warning_kinds.KINDS),
    ):
        parts.append(f"## Warnings: {title.lower()}\n")
        for kind in kinds:
            parts += [f"### {kind.name}\n", f"**{kind.symptom}.** {kind.cause} *{kind.remedy}*\n"]
    return "\n".join(parts)


def written(text: str) -> str:
    """Return the page with its entries written anew."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{entries()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
