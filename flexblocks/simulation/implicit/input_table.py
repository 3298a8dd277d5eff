"""Inputs of a run as piecewise polynomials, which a compiled loop evaluates without a call back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import polynomial

from flexblocks.dae.dae import DAE
from flexblocks.simulation.signals.inputs import Inputs

# Degree of the polynomials: cubic splines are exact, and a wave takes five pieces a period to DIGITS.
DEGREE = 7
# Share of an input's size to which its polynomials agree with it between their nodes.
DIGITS = 1e-11
# Halvings of a segment, after which a function counts as rough: its polynomials are as near as they get.
HALVINGS = 12
# Nodes in [-1, 1], and places between them where polynomials are compared with the input.
NODES = np.cos(np.pi * (np.arange(DEGREE + 1)[::-1] + 0.5) / (DEGREE + 1))
BETWEEN = np.array([-0.97, -0.55, 0.15, 0.61, 0.99])


@dataclass(frozen=True, eq=False)
class InputTable:
    """Piecewise polynomials of all inputs, and of the motion of prescribed coordinates.

    Attributes
    ----------
    ends : ndarray (segments + 1,)
        Ends of the segments on which all inputs are smooth [s].
    first : ndarray (segments + 1,) of int
        The first piece of each segment.
    edges : ndarray (pieces + 1,)
        Ends of the pieces [s].
    coefficients : ndarray (pieces, nu + 2 k, degree + 1)
        Of inputs, positions and speeds of prescribed coordinates, in the fraction of the piece, lowest power first.
    """

    ends: np.ndarray
    first: np.ndarray
    edges: np.ndarray
    coefficients: np.ndarray

    @property
    def degree(self) -> int:
        return self.coefficients.shape[2] - 1


def input_table(
    dae: DAE, inputs: Inputs, values: Callable[[np.ndarray, np.ndarray], np.ndarray], x: np.ndarray
) -> InputTable:
    """Return the table of a run's inputs.

    Parameters
    ----------
    dae : DAE
    inputs : Inputs
    values : callable
        Times (k,) [s] and segments (k,) -> inputs (nu, k).
    x : ndarray (nx,)
        State at the start, where prescribed motions begin; they go on by their accelerations, integrated exactly.
    """
    edges, first, blocks = [inputs.ends[:1]], [0], []
    for segment, (left, right) in enumerate(zip(inputs.ends[:-1], inputs.ends[1:], strict=True)):
        pieces, coefficients = _pieces(lambda t, s=segment: values(t, np.full(len(t), s)), left, right, len(dae.u))
        edges.append(pieces[1:])
        blocks.append(coefficients)
        first.append(first[-1] + len(coefficients))
    cuts, own = np.concatenate(edges), np.concatenate(blocks)
    inputs.raise_failure()
    columns, n = list(dae.tree.prescribed_columns), dae.tree.size
    drives = [prescription.input for prescription in dae.tree.prescribed]
    motion = _motion(own[:, drives], np.diff(cuts), x[:n][columns], x[n : 2 * n][columns])
    padded = np.pad(own, ((0, 0), (0, 0), (0, motion.shape[2] - own.shape[2])))
    table = np.concatenate([padded, motion], axis=1)
    return InputTable(inputs.ends, np.array(first), cuts, table)


def _pieces(
    values: Callable[[np.ndarray], np.ndarray], left: float, right: float, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of pieces of a segment, halved until polynomials agree with the inputs, and coefficients."""
    to_powers = polynomial.polyvander(NODES, DEGREE)
    in_fraction = _in_fraction()
    done: list[tuple[float, np.ndarray]] = []
    pending, size = np.array([left, right]), np.zeros(count)
    for halving in range(HALVINGS + 1):
        starts, widths = pending[0::2], pending[1::2] - pending[0::2]
        nodes = np.concatenate([NODES, BETWEEN])
        times = starts[:, None] + widths[:, None] * (nodes + 1) / 2
        at = np.asarray(values(times.ravel())).reshape(count, len(starts), len(nodes)).transpose(1, 0, 2)
        size = np.maximum(size, np.abs(at).max(axis=(0, 2), initial=0.0))
        powers = np.linalg.solve(to_powers, at[:, :, : DEGREE + 1].transpose(2, 0, 1).reshape(DEGREE + 1, -1))
        missed = polynomial.polyvander(BETWEEN, DEGREE) @ powers
        off = np.abs(missed.reshape(len(BETWEEN), len(starts), count).transpose(1, 2, 0) - at[:, :, DEGREE + 1 :])
        good = np.all(off <= DIGITS * size[:, None], axis=(1, 2)) | (halving == HALVINGS)
        coefficients = (in_fraction @ powers).reshape(DEGREE + 1, len(starts), count).transpose(1, 2, 0)
        done += [(float(starts[i]), coefficients[i]) for i in np.flatnonzero(good)]
        ends = np.stack([starts, starts + widths / 2, starts + widths / 2, starts + widths], axis=1)[~good]
        pending = ends.ravel()
        if not len(pending):
            break
    done.sort(key=lambda piece: piece[0])
    return np.array([*(start for start, _ in done), right]), np.array([piece for _, piece in done])


def _in_fraction() -> np.ndarray:
    """Return the matrix from coefficients of powers of s in [-1, 1] to those of the fraction (s + 1) / 2."""
    matrix = np.zeros((DEGREE + 1, DEGREE + 1))
    for k in range(DEGREE + 1):
        power = polynomial.polypow([-1.0, 2.0], k)
        matrix[: k + 1, k] = power
    return matrix


def _motion(accelerations: np.ndarray, widths: np.ndarray, position: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """Return the polynomials (pieces, 2 k, degree + 3) of positions, then speeds, of prescribed coordinates."""
    pieces, count, size = accelerations.shape
    motion = np.zeros((pieces, 2 * count, size + 2))
    powers = np.arange(1, size + 1)
    for i, width in enumerate(widths):
        v = motion[i, count:]
        v[:, 0], v[:, 1:-1] = speed, width * accelerations[i] / powers
        q = motion[i, :count]
        q[:, 0], q[:, 1:] = position, width * v[:, :-1] / np.arange(1, size + 2)
        position, speed = q.sum(axis=1), v.sum(axis=1)
    return motion
