"""Pages that are written at each build: the reference of every public name, the command line, files of the root."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from api_examples import examples
from name_uses import ROOT, Use, sources, uses
from public_names import ORDER, TITLES, PublicName, public_names
from repository_links import HOME

MOST_LINKS = 6


def write(folder: Path, pages: Mapping[str, str]) -> None:
    """Write pages, those alone that have changed, and remove those that are no more."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def reference() -> dict[str, str]:
    """Return the pages below api/ by name of file."""
    names = public_names()
    aliases = {alias: name.path for name in names for alias in (name.path, *name.aliases)}
    used, cells = uses(sources(), aliases), examples(aliases)
    sections: dict[str, list[PublicName]] = {title: [] for title in (*ORDER, *TITLES.values())}
    for name in names:
        sections[name.section].append(name)
    pages = {"index.rst": _index(sections)}
    for title, members in sections.items():
        if members:
            pages[f"{slug(title)}.rst"] = _section(title, members)
    for name in names:
        pages[f"{name.page}.rst"] = page(name, used.get(name.path, ()), cells.get(name.path))
    return pages


def slug(title: str) -> str:
    """Return the name of a section's page: of the package in backticks, else of its words."""
    package = re.search(r"`([\w.]+)`", title)
    return re.sub(r"\W+", "_", package[1] if package else title).lower() + "_names"


def _heading(title: str, mark: str = "=") -> str:
    return f"{title}\n{mark * len(title)}\n"


def _plain(title: str) -> str:
    return title.replace("`", "``")


def _index(sections: Mapping[str, Sequence[PublicName]]) -> str:
    lines = [
        _heading("API reference"),
        "Every public name, with an example. ``import flexblocks as fb`` gives the first sections; ``from flexblocks "
        "import optim, control, plot, export, models`` the packages below.\n",
        ".. toctree::\n   :maxdepth: 1\n",
        *(f"   {slug(title)}" for title, members in sections.items() if members),
    ]
    return "\n".join(lines) + "\n"


def _section(title: str, members: Iterable[PublicName]) -> str:
    lines = [_heading(_plain(title)), ".. toctree::\n   :hidden:\n", *(f"   {m.page}" for m in members), ""]
    lines += [".. list-table::", "   :widths: 1 3", "   :class: names", ""]
    for member in members:
        lines += [f"   * - :doc:`{short(member)} <{member.page}>`", f"     - {member.summary or describe(member)}"]
    return "\n".join(lines) + "\n"


def short(name: PublicName) -> str:
    """Return a name as users write it: ``fb.Model``, ``optim.plan``."""
    return re.sub(r"^flexblocks\.(?=\w+$)", "fb.", name.path).removeprefix("flexblocks.")


def describe(name: PublicName) -> str:
    """Return what a constant is: a range of numbers, a rank, an address."""
    value = name.value
    what = getattr(value, "words", None) or getattr(value, "description", None)
    return what if isinstance(what, str) else f"``{textwrap.shorten(str(value), 70)}``"


def page(name: PublicName, used: Sequence[Use], example: str | None) -> str:
    """Return the page of a name: its docstring, an example, and the pages that use it."""
    lines = [_heading(short(name)), f".. currentmodule:: {name.path.rpartition('.')[0]}\n"]
    if isinstance(name.value, type):
        lines += [f".. autoclass:: {name.path}", "   :members:", "   :show-inheritance:\n"]
    elif name.is_object and hasattr(name.value, "__name__"):
        lines += [f".. autofunction:: {name.path}\n"]
    else:
        lines += [f".. py:data:: {name.path}\n", f"   {describe(name)}\n"]
    excerpt = next((use for use in used if use.code), None)
    if "Examples\n" in (name.value.__doc__ or "") and name.is_object:
        pass  # its docstring has its own
    elif example is not None:
        lines += _code(example)
    elif excerpt is not None:
        lines += [*_code(excerpt.code), f"From {link(excerpt.source)}.\n"]
    others = [link(use.source) for use in used]
    if others:
        more = " and more." if len(others) > MOST_LINKS else "."
        lines += [".. rubric:: Used in\n", ", ".join(others[:MOST_LINKS]) + more]
    return "\n".join(lines) + "\n"


def _code(code: str) -> list[str]:
    return [".. rubric:: Example\n", ".. code-block:: python\n", textwrap.indent(code.strip("\n"), "   ") + "\n"]


def link(source: Path) -> str:
    """Return a link to a page of the site, or to a file of the repository."""
    inside = source.relative_to(ROOT)
    if inside.parts[0] == "docs":
        return f":doc:`/{inside.relative_to('docs').with_suffix('').as_posix()}`"
    return f"`{inside.as_posix()} <{HOME}/{inside.as_posix()}>`__"


def command_line() -> str:
    """Return the page of the commands, from their own help texts."""
    lines = ["# Command line\n", "What `flexblocks --help` and `flexblocks COMMAND --help` print.\n"]
    for command in ((), *((name,) for name in _commands())):
        lines += [f"## flexblocks {' '.join(command)}".rstrip() + "\n", f"```text\n{_help(command)}\n```\n"]
    return "\n".join(lines)


def _commands() -> list[str]:
    from flexblocks.cli import app

    return [info.name or info.callback.__name__.replace("_", "-") for info in app.registered_commands if info.callback]


def _help(command: Iterable[str]) -> str:
    from typer.testing import CliRunner

    from flexblocks.cli import app

    plain = {"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "100", "TERMINAL_WIDTH": "100"}
    result = CliRunner().invoke(app, [*command, "--help"], prog_name="flexblocks", env=plain)
    if result.exit_code:
        raise RuntimeError(f"flexblocks {' '.join(command)} --help: {result.output}")
    return "\n".join(line.rstrip() for line in result.output.strip().splitlines())


def from_root(name: str) -> str:
    """Return a Markdown file of the root, whose links lead where they did."""
    text = (ROOT / name).read_text(encoding="utf-8")
    text = re.sub(r"\]\(docs/([\w./-]+\.md)", r"](../\1", text)
    return re.sub(r"\]\((?!https?:|#|\.\./)([^)]+)\)", lambda found: f"]({HOME}/{found[1]})", text)


def setup(app: Any) -> dict[str, bool]:
    def make(app: Any) -> None:
        source = Path(app.srcdir)
        write(source / "api", reference())
        write(
            source / "project",
            {
                "command_line.md": command_line(),
                "contributing.md": from_root("CONTRIBUTING.md"),
                "changelog.md": from_root("CHANGELOG.md"),
            },
        )

    app.connect("builder-inited", make)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
