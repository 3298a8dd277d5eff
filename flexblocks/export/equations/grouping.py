"""Equations of motion partitioned into joint and elastic coordinates, as in Yu & Chen (2019), eq 33."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.export.equations.parts import Equations, Part, equation_parts

JOINT, ELASTIC = ("th", r"\theta"), ("f", "f")
ZERO = 1e-12  # relative to the largest: an entry below this at every sample point is rounding error


def grouped_parts(dae: DAE, elastic: Sequence[str] | None = None) -> Equations:
    r"""Return the equations of motion partitioned by joint and elastic coordinates.

    With theta the joint coordinates and f the elastic ones,

        [M_thth M_thf; M_thf' M_ff] (theta'', f'') + [H_thth H_thf; H_fth H_ff] (theta', f') + (C_th, C_f)
        + (K_thth ... K_ff) (theta, f) + (D_thth ... D_ff) (theta', f') = (F_th, F_f)

    H_thth and H_fth hold joint rates only; products of a joint rate with an elastic one belong to H_thf and H_ff, as do
    products of elastic rates (Yu & Chen 2019, eqs 38-40, where H_ff is zero). Zero blocks are left out. Where
    stiffness or damping is nonlinear, vectors k and d replace K and D.

    Parameters
    ----------
    dae : DAE
    elastic : sequence of str, optional
        Names of the elastic coordinates; by default those with an index, such as ``link1.bending_y[1]``.

    Raises
    ------
    NameUnknownError
        There is no such coordinate.
    """
    groups = _groups(dae, elastic)
    plain = equation_parts(dae)
    H = _velocity_matrix(dae, groups)
    matrices = [("M", "inertia", _without_rounding(dae, plain["M"])), ("H", "Coriolis and centrifugal", H)]
    vectors = [("C", "weight", plain["g"])]
    terms = [r"M \ddot q", r"H(q, \dot q)\,\dot q", "C(q)"]
    words = ["M a", "H v", "C"]
    for matrix, vector, meaning, force, by, letter, rate in (
        ("K", "k", "stiffness", plain["k"], dae.q, "q", "q"),
        ("D", "d", "damping", plain["d"], dae.v, "v", r"\dot q"),
    ):
        slope = ca.sparsify(ca.jacobian(force, by))
        if not force.nnz():
            continue
        linear = not ca.depends_on(slope, dae.x.symbol) and not _differs(dae, force, slope @ by)
        (matrices if linear else vectors).append((matrix, meaning, slope) if linear else (vector, meaning, force))
        terms.append(rf"{matrix}\,{rate}" if linear else vector)
        words.append(f"{matrix} {letter}" if linear else vector)
    vectors.append(("F", "generalised forces of the inputs", ca.sparsify(dae.expressions.applied)))
    parts = []
    for name, meaning, expression in matrices:
        for row, (of, of_latex) in groups.items():
            for column, (by, by_latex) in groups.items():
                if name == "M" and (of, by) == ("f", "th"):
                    continue
                block = expression[list(row), list(column)]
                parts.append(Part(f"{name}_{of}{by}", f"{name}_{{{of_latex} {by_latex}}}", meaning, block))
    for name, meaning, expression in vectors:
        for row, (of, of_latex) in groups.items():
            parts.append(Part(f"{name}_{of}", f"{name}_{{{of_latex}}}", meaning, expression[list(row)]))
    kept = tuple(part for part in parts if ca.sparsify(part.expression).nnz())
    statement = " + ".join(terms) + r" = F, \quad q = (\theta, f)"
    return Equations(dae, kept, statement, " + ".join(words) + " = F with q = (theta, f)")


def _groups(dae: DAE, elastic: Sequence[str] | None) -> dict[tuple[int, ...], tuple[str, str]]:
    """Return the partition of the coordinates: their indices, with the name of the group in code and in LaTeX."""
    if isinstance(elastic, str):
        raise ParameterError(f"equations: elastic = {elastic!r}; must be a sequence of coordinate names.")
    for name in elastic or ():
        if name not in dae.q_names:
            raise NameUnknownError(
                f"equations: elastic: there is no coordinate '{name}'{suggestion(name, dae.q_names)}"
            )
    numbered = [name for name in dae.q_names if name.endswith("]")]
    chosen = set(numbered if elastic is None else elastic)
    joint = tuple(i for i, name in enumerate(dae.q_names) if name not in chosen)
    bending = tuple(i for i, name in enumerate(dae.q_names) if name in chosen)
    return {indices: names for indices, names in ((joint, JOINT), (bending, ELASTIC)) if indices}


def _velocity_matrix(dae: DAE, groups: dict[tuple[int, ...], tuple[str, str]]) -> ca.SX:
    """Return the Coriolis matrix H (n, n): H v are the Coriolis and centrifugal forces.

    They are the sums of Gamma_ikm v_k v_m over k and m, with the Christoffel symbols of the first kind of M. Products
    of two rates of one group are split evenly between their columns; those of a joint rate with an elastic rate go to
    the column of the elastic rate, so that H_thth and H_fth contain joint rates only.
    """
    n, v = dae.tree.size, dae.v
    elastic = {i for indices, names in groups.items() if names == ELASTIC for i in indices}
    slopes = [ca.jacobian(dae.expressions.mass[:, j], dae.q) for j in range(n)]  # slopes[j][i, k] = dM_ij / dq_k
    zero = _canceling(dae, slopes)
    H = ca.SX(n, n)
    for i in range(n):
        for k in range(n):
            for m in range(k, n):
                if zero[i, k, m]:
                    continue
                symbol = (slopes[k][i, m] + slopes[m][i, k] - slopes[k][m, i]) / 2
                if (k in elastic) == (m in elastic):
                    H[i, k] += symbol * v[m]
                    if m != k:
                        H[i, m] += symbol * v[k]
                else:
                    joint, bending = (m, k) if k in elastic else (k, m)
                    H[i, bending] += 2 * symbol * v[joint]
    return ca.sparsify(H)


def _canceling(dae: DAE, slopes: list[ca.SX]) -> np.ndarray:
    """Return the mask (n, n, n) of vanishing Christoffel symbols: those whose terms cancel at random points."""
    n = dae.tree.size
    function = ca.Function("slopes", [dae.q, dae.p.symbol], [ca.densify(ca.horzcat(*slopes))])
    zero = np.ones((n, n, n), dtype=bool)
    for q, _, p in _points(dae):
        S = np.array(function(q, p)).reshape(n, n, n).transpose(1, 0, 2)  # S[j, i, k] = dM_ij / dq_k
        terms = np.array([S.transpose(1, 0, 2), S.transpose(1, 2, 0), -S.transpose(2, 0, 1)])
        zero &= np.abs(terms.sum(axis=0)) <= ZERO * np.max(np.abs(terms), initial=0.0)
    return zero


def _without_rounding(dae: DAE, M: ca.SX) -> ca.SX:
    """Return M without entries that are rounding errors, as a change of coordinates leaves them."""
    function = ca.Function("M", [dae.q, dae.p.symbol], [ca.densify(M)])
    keep = np.zeros(M.shape, dtype=bool)
    for q, _, p in _points(dae):
        value = np.array(function(q, p))
        scale = np.sqrt(np.diag(value))
        keep |= np.abs(value) > ZERO * np.outer(scale, scale)
    return M * ca.sparsify(ca.DM(keep.astype(float)))


def _differs(dae: DAE, first: ca.SX, second: ca.SX) -> bool:
    """Whether two expressions (n) of q, v and p differ at random points."""
    function = ca.Function("compared", [dae.q, dae.v, dae.p.symbol], [ca.densify(first), ca.densify(second)])
    for q, v, p in _points(dae):
        one, other = (np.array(value) for value in function(q, v, p))
        if np.any(np.abs(one - other) > ZERO * np.max(np.abs(one), initial=1e-300)):
            return True
    return False


def _points(dae: DAE) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return a few random points (q, v, p), at which nothing vanishes by coincidence."""
    random = np.random.default_rng(0)
    n = dae.tree.size
    spread = [(random.uniform(0.2, 1.0, n), random.uniform(0.2, 1.0, n)) for _ in range(4)]
    scale = np.where(dae.p.start == 0, 1.0, dae.p.start)
    return [(q, v, scale * random.uniform(0.8, 1.2, len(dae.p))) for q, v in spread]
