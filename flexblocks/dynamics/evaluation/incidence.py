"""Incidence matrix: which of the arm's coordinates are behind those of a block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import casadi as ca
import numpy as np

Vector = TypeVar("Vector", ca.SX, ca.DM, np.ndarray)


@dataclass(frozen=True)
class Incidence:
    """Incidence matrix (k, n): a block's k coordinates are its product with the n of the arm.

    By its entries alone: as a sparse matrix of CasADi it would have n + 1 numbers of its own for each block, and all
    blocks together the square of their number.

    Attributes
    ----------
    shape : tuple of int
        (k, n).
    rows, columns : tuple of int
        Of the entries that are not zero, row by row and in each row from left to right.
    factors : tuple of float
        Mostly ones.
    """

    shape: tuple[int, int]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    factors: tuple[float, ...]

    @staticmethod
    def of(entries: Iterable[tuple[int, int, float]], shape: tuple[int, int]) -> Incidence:
        """Return the matrix with these entries (row, column, factor)."""
        ordered = sorted(entry for entry in entries if entry[2])
        return Incidence(shape, *map(tuple, zip(*ordered, strict=True)) if ordered else ((), (), ()))

    @staticmethod
    def read(matrix: np.ndarray) -> Incidence:
        """Return that of a dense matrix (k, n)."""
        places = np.argwhere(matrix).tolist()
        return Incidence.of(((row, column, float(matrix[row, column])) for row, column in places), matrix.shape)

    @staticmethod
    def stacked(parts: Sequence[Incidence]) -> Incidence:
        """Return those of several blocks, one below the other."""
        rows, first = [], 0
        for part in parts:
            rows += [first + row for row in part.rows]
            first += part.shape[0]
        columns, factors = (tuple(v for part in parts for v in getattr(part, f)) for f in ("columns", "factors"))
        return Incidence((first, parts[0].shape[1]), tuple(rows), columns, factors)

    def times(self, T: np.ndarray) -> Incidence:
        """Return the product with a matrix (n, m): the incidence in other coordinates, q = T q_new."""
        return Incidence.read(self.gather(T))

    @property
    def used(self) -> tuple[int, ...]:
        """The arm's coordinates that occur, in the order of the rows."""
        return tuple(dict.fromkeys(self.columns))

    @property
    def entries(self) -> tuple[tuple[int, int, float], ...]:
        """Row, column and factor of each entry that is not zero."""
        return tuple(zip(self.rows, self.columns, self.factors, strict=True))

    @property
    def matrix(self) -> ca.DM:
        """The matrix (k, n), sparse."""
        return ca.DM.triplet(self.rows, self.columns, ca.DM(self.factors), *self.shape)

    def full(self) -> np.ndarray:
        """Return the matrix (k, n), dense."""
        dense = np.zeros(self.shape)
        dense[list(self.rows), list(self.columns)] = self.factors
        return dense

    def within(self, columns: Sequence[int]) -> np.ndarray:
        """Return these columns (k, m) of the matrix, dense."""
        place = {column: i for i, column in enumerate(columns)}
        dense = np.zeros((self.shape[0], len(columns)))
        for row, column, factor in self.entries:
            if column in place:
                dense[row, place[column]] = factor
        return dense

    def gather(self, vector: Vector) -> Vector:
        """Return the block's entries (k, m) of columns (n, m) over the arm's coordinates."""
        chosen = list(self.columns)
        if isinstance(vector, np.ndarray):
            gathered = np.zeros((self.shape[0], *vector.shape[1:]))
            np.add.at(gathered, list(self.rows), (vector[chosen].T * np.array(self.factors)).T)
            return gathered
        if not chosen:
            return type(vector)(self.shape[0], vector.shape[1])
        some = vector[chosen, :]
        return some if self._is_selection else self._placed @ some

    def scatter(self, force: ca.SX) -> ca.SX:
        """Return the forces (n, 1) on the arm's coordinates of forces (k, 1) on the block's, by virtual work."""
        return self.matrix.T @ force

    def row(self, row: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Return the columns and the factors of one row."""
        entries = [i for i, at in enumerate(self.rows) if at == row]
        return tuple(self.columns[i] for i in entries), tuple(self.factors[i] for i in entries)

    @cached_property
    def _is_selection(self) -> bool:
        return self.rows == tuple(range(self.shape[0])) and set(self.factors) == {1.0}

    @cached_property
    def _placed(self) -> ca.DM:
        """The matrix (k, entries) that sums the entries of each row."""
        count = len(self.rows)
        return ca.DM.triplet(self.rows, list(range(count)), ca.DM(self.factors), self.shape[0], count)
