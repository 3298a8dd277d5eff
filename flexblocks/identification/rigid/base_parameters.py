"""Base parameters: the combinations of standard parameters that torques determine, by the rank of the regressor.

M. Gautier, Numerical calculation of the base inertial parameters of robots, Journal of Robotic Systems 8 (1991)
485-506.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.errors import ComputationError

# Random states for each parameter, which are more equations than parameters by far.
STATES = 3
# A column whose part across the others is below this fraction of its length depends on them; of arms seen, it is above
# 1e-5 or below 1e-12.
DEPENDS = 1e-9
# Coefficients below this are rounding; of unit lengths, none other is so small.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Base parameters (b) of standard ones (P).

    Attributes
    ----------
    columns : ndarray of int (b,)
        The standard parameters that remain, whose columns are independent.
    combinations : ndarray (b, P)
        Base parameters are ``combinations @ standard``; of the parameters that remain it is the identity.
    without_effect : ndarray of int
        Standard parameters that move no torque.
    """

    columns: np.ndarray
    combinations: np.ndarray
    without_effect: np.ndarray

    def words(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the base parameters in words: ``link1.inertia_zz + 0.25 link2.mass``."""
        return tuple(_words(row, names, int(first)) for row, first in zip(self.combinations, self.columns, strict=True))


def base_parameters(columns: ca.Function, kinds: np.ndarray) -> BaseParameters:
    """Return the base parameters by the columns at random states.

    Parameters
    ----------
    columns : casadi.Function
        (q, v, a) -> (n, P).
    kinds : ndarray (n,)
        Largest magnitude of each coordinate in random states [rad or m].

    Raises
    ------
    ComputationError
        The numbers do not show clearly which columns depend on others.

    Notes
    -----
    Columns are taken in order, from the base outward; one that depends on those before it is regrouped with them. So
    parameters of outer links appear with those of inner ones, as in symbolic reductions.
    """
    n, P = columns.size1_in(0), columns.size2_out(0)
    rng = np.random.default_rng(0)
    count = STATES * P + 10
    states = [kinds[:, None] * rng.uniform(-1, 1, (n, count)), *rng.normal(size=(2, n, count))]
    W = np.vstack(np.split(columns.map(count)(*states).full(), count, axis=1))
    lengths = np.linalg.norm(W, axis=0)
    effective = lengths > DEPENDS * lengths.max(initial=0.0)
    scaled = W / np.where(effective, lengths, 1.0)
    chosen: list[int] = []
    basis = np.zeros((len(W), 0))
    for column in np.flatnonzero(effective):
        across = scaled[:, column]
        for _ in range(2):  # once more for what the first projection leaves of rounding
            across = across - basis @ (basis.T @ across)
        size = np.linalg.norm(across)
        if size > DEPENDS:
            chosen.append(int(column))
            basis = np.hstack([basis, across[:, None] / size])
    sizes = np.linalg.svd(scaled[:, effective], compute_uv=False)
    if np.count_nonzero(sizes > DEPENDS * sizes.max(initial=0.0)) != len(chosen):
        raise ComputationError(
            "regressor: the rank of the regressor is not clear in double precision: links differ too much in size. "
            "Take units, or an arm, of more even sizes."
        )
    K = np.zeros((len(chosen), P))
    dependent = np.array([i for i in np.flatnonzero(effective) if i not in chosen], dtype=int)
    K[np.arange(len(chosen)), chosen] = 1.0
    if dependent.size:
        among = np.linalg.lstsq(scaled[:, chosen], scaled[:, dependent], rcond=None)[0]
        among = np.where(np.abs(among) > ROUNDING, among, 0.0)
        K[:, dependent] = among * lengths[dependent] / lengths[chosen][:, None]
    return BaseParameters(np.array(chosen, dtype=int), K, np.flatnonzero(~effective))


def _words(row: np.ndarray, names: tuple[str, ...], first: int) -> str:
    """Return a combination in words, what remains of it first."""
    order = [first, *(int(i) for i in np.flatnonzero(row) if i != first)]
    text = names[first]
    for i in order[1:]:
        factor = f"{abs(row[i]):.4g} " if f"{abs(row[i]):.4g}" != "1" else ""
        text += f" {'-' if row[i] < 0 else '+'} {factor}{names[i]}"
    return text
