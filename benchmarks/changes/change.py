"""A change: files to add and lines to edit, and a program that shows that the new thing works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Edit:
    """One place of one source file.

    Attributes
    ----------
    path : str
        From the root of the repository.
    anchor : str
        The text that stands there; exactly once in the file.
    text : str
        What takes its place.
    """

    path: str
    anchor: str
    text: str


def after(path: str, anchor: str, text: str) -> Edit:
    """Return the edit that puts a text after the anchor."""
    return Edit(path, anchor, anchor + text)


@dataclass(frozen=True)
class Change:
    """Something that a maintainer may want of the library.

    Attributes
    ----------
    name : str
        As in the table.
    at_most : int
        In how many source files it should be made.
    check : str
        Python source of a program that uses the new thing and asserts that it works.
    files : dict of str
        Text of the new files, by path from the root of the repository.
    edits : tuple of Edit
    """

    name: str
    at_most: int
    check: str
    files: Mapping[str, str] = field(default_factory=dict)
    edits: tuple[Edit, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The source files that are added or edited, those that are added first."""
        return tuple(dict.fromkeys([*self.files, *(edit.path for edit in self.edits)]))
