"""Stores: where the results of a study are kept."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError
from flexblocks.libraries import xr
from flexblocks.studies.block import Block
from flexblocks.studies.cases import Cases
from flexblocks.studies.identity import Identity, difference
from flexblocks.studies.outcome import Form

IDENTITY, CASES = "flexblocks_study", "case"
STATE = {"flag_values": [0, 1, 2], "flag_meanings": "missing done failed"}
SECONDS = {"units": "s", "long_name": "time that the case took"}


class StoreError(FileFormatError):
    """A store cannot be read or written, or holds another study."""


class Store(ABC):
    """Results of the cases of one study, written block by block."""

    path: Path | None
    block_size: int
    """Cases of a block, which is written at once."""

    @abstractmethod
    def open(self, cases: Cases, identity: Identity) -> tuple[np.ndarray, Form | None]:
        """Return the state of all cases and the form of the results, if there are any yet.

        Raises
        ------
        StoreError
            The results are those of another study.
        """

    @abstractmethod
    def define(self, form: Form) -> None:
        """Take the form of the results."""

    @abstractmethod
    def read(self, start: int) -> Block:
        """Return the block of the cases from `start` on."""

    @abstractmethod
    def write(self, block: Block) -> None:
        """Write a block."""

    @abstractmethod
    def dataset(self) -> xr.Dataset:
        """Return the results."""


def texts(cases: Cases) -> dict[str, np.ndarray]:
    """Return the values of cases as coordinates."""
    return {name: _numbers_or_texts(column) for name, column in cases.columns.items()}


def _numbers_or_texts(column: np.ndarray | tuple[Any, ...]) -> np.ndarray:
    if isinstance(column, np.ndarray):
        return column.astype(float)
    return np.array([str(value) for value in column], dtype=object)


def check(path: Path | None, stored: str | None, identity: Identity) -> None:
    """Refuse a store of another study.

    Raises
    ------
    StoreError
    """
    if stored is None:
        raise StoreError(f"{path}: is no store of a study; give a path that does not exist yet.")
    other = difference(json.loads(stored), identity)
    if other:
        raise StoreError(
            f"{path}: holds another study: {other}. Give another path, or the task and cases that it was begun with; "
            "or remove it, if it is of no use any more."
        )
