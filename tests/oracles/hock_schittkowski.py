"""Problems of Hock and Schittkowski with their published solutions.

Source: W. Hock, K. Schittkowski, Test Examples for Nonlinear Programming Codes, Lecture Notes in Economics and
Mathematical Systems 187, Springer 1981. Numbers, starts and solutions are the book's. Number 29 is written as a
maximisation and number 37 with a range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi, prod, sqrt

import pyomo.environ as pyo


@dataclass(frozen=True)
class Problem:
    """A problem with its published optimum.

    Attributes
    ----------
    number : int
    start, x : sequences of float
    f : float
    bounds : pair or sequence of pairs
    write : callable
        ``(x) -> (objective, constraints)`` with x counted from 1.
    sense
        Of the optimisation.
    """

    number: int
    start: Sequence[float]
    x: Sequence[float]
    f: float
    write: Callable
    bounds: Sequence = (None, None)
    sense: object = pyo.minimize

    def model(self) -> pyo.ConcreteModel:
        """Return the problem as a Pyomo model with Var x, Objective f and ConstraintList c."""
        m = pyo.ConcreteModel(f"HS{self.number}")
        n = len(self.start)
        each = self.bounds if isinstance(self.bounds[0], tuple) else [self.bounds] * n
        m.x = pyo.Var(
            range(1, n + 1),
            initialize=dict(enumerate(self.start, 1)),
            bounds=lambda m, i: each[i - 1],
        )
        objective, constraints = self.write(m.x)
        m.f = pyo.Objective(expr=objective, sense=self.sense)
        m.c = pyo.ConstraintList()
        for constraint in constraints:
            m.c.add(constraint)
        return m


def _hs100(x):
    return (
        (x[1] - 10) ** 2
        + 5 * (x[2] - 12) ** 2
        + x[3] ** 4
        + 3 * (x[4] - 11) ** 2
        + 10 * x[5] ** 6
        + 7 * x[6] ** 2
        + x[7] ** 4
        - 4 * x[6] * x[7]
        - 10 * x[6]
        - 8 * x[7]
    ), [
        127 - 2 * x[1] ** 2 - 3 * x[2] ** 4 - x[3] - 4 * x[4] ** 2 - 5 * x[5] >= 0,
        282 - 7 * x[1] - 3 * x[2] - 10 * x[3] ** 2 - x[4] + x[5] >= 0,
        196 - 23 * x[1] - x[2] ** 2 - 6 * x[6] ** 2 + 8 * x[7] >= 0,
        -4 * x[1] ** 2 - x[2] ** 2 + 3 * x[1] * x[2] - 2 * x[3] ** 2 - 5 * x[6] + 11 * x[7] >= 0,
    ]


def _rosenbrock(x):
    return 100 * (x[2] - x[1] ** 2) ** 2 + (1 - x[1]) ** 2


PROBLEMS = [
    Problem(1, (-2, 1), (1, 1), 0, lambda x: (_rosenbrock(x), []), ((None, None), (-1.5, None))),
    Problem(
        5,
        (0, 0),
        (-pi / 3 + 0.5, -pi / 3 - 0.5),
        -sqrt(3) / 2 - pi / 3,
        lambda x: (pyo.sin(x[1] + x[2]) + (x[1] - x[2]) ** 2 - 1.5 * x[1] + 2.5 * x[2] + 1, []),
        ((-1.5, 4), (-3, 3)),
    ),
    Problem(6, (-1.2, 1), (1, 1), 0, lambda x: ((1 - x[1]) ** 2, [10 * (x[2] - x[1] ** 2) == 0])),
    Problem(
        7,
        (2, 2),
        (0, sqrt(3)),
        -sqrt(3),
        lambda x: (pyo.log(1 + x[1] ** 2) - x[2], [(1 + x[1] ** 2) ** 2 + x[2] ** 2 - 4 == 0]),
    ),
    Problem(
        10,
        (-10, 10),
        (0, 1),
        -1,
        lambda x: (x[1] - x[2], [-3 * x[1] ** 2 + 2 * x[1] * x[2] - x[2] ** 2 + 1 >= 0]),
    ),
    Problem(
        12,
        (0, 0),
        (2, 3),
        -30,
        lambda x: (
            0.5 * x[1] ** 2 + x[2] ** 2 - x[1] * x[2] - 7 * x[1] - 7 * x[2],
            [25 - 4 * x[1] ** 2 - x[2] ** 2 >= 0],
        ),
    ),
    Problem(
        14,
        (2, 2),
        ((sqrt(7) - 1) / 2, (sqrt(7) + 1) / 4),
        9 - 23 * sqrt(7) / 8,
        lambda x: (
            (x[1] - 2) ** 2 + (x[2] - 1) ** 2,
            [-0.25 * x[1] ** 2 - x[2] ** 2 + 1 >= 0, x[1] - 2 * x[2] + 1 == 0],
        ),
    ),
    Problem(
        16,
        (-2, 1),
        (0.5, 0.25),
        0.25,
        lambda x: (_rosenbrock(x), [x[1] + x[2] ** 2 >= 0, x[1] ** 2 + x[2] >= 0]),
        ((-0.5, 0.5), (None, 1)),
    ),
    Problem(
        21,
        (-1, -1),
        (2, 0),
        -99.96,
        lambda x: (0.01 * x[1] ** 2 + x[2] ** 2 - 100, [10 * x[1] - x[2] - 10 >= 0]),
        ((2, 50), (-50, 50)),
    ),
    Problem(
        22,
        (2, 2),
        (1, 1),
        1,
        lambda x: ((x[1] - 2) ** 2 + (x[2] - 1) ** 2, [-x[1] - x[2] + 2 >= 0, -(x[1] ** 2) + x[2] >= 0]),
    ),
    Problem(
        28,
        (-4, 1, 1),
        (0.5, -0.5, 0.5),
        0,
        lambda x: ((x[1] + x[2]) ** 2 + (x[2] + x[3]) ** 2, [x[1] + 2 * x[2] + 3 * x[3] - 1 == 0]),
    ),
    Problem(
        29,
        (1, 1, 1),
        (4, 2 * sqrt(2), 2),
        16 * sqrt(2),
        lambda x: (x[1] * x[2] * x[3], [-(x[1] ** 2) - 2 * x[2] ** 2 - 4 * x[3] ** 2 + 48 >= 0]),
        sense=pyo.maximize,
    ),
    Problem(
        35,
        (0.5, 0.5, 0.5),
        (4 / 3, 7 / 9, 4 / 9),
        1 / 9,
        lambda x: (
            9
            - 8 * x[1]
            - 6 * x[2]
            - 4 * x[3]
            + 2 * x[1] ** 2
            + 2 * x[2] ** 2
            + x[3] ** 2
            + 2 * x[1] * x[2]
            + 2 * x[1] * x[3],
            [3 - x[1] - x[2] - 2 * x[3] >= 0],
        ),
        (0, None),
    ),
    Problem(
        37,
        (10, 10, 10),
        (24, 12, 12),
        -3456,
        lambda x: (-x[1] * x[2] * x[3], [pyo.inequality(0, x[1] + 2 * x[2] + 2 * x[3], 72)]),
        (0, 42),
    ),
    Problem(
        39,
        (2, 2, 2, 2),
        (1, 1, 0, 0),
        -1,
        lambda x: (-x[1], [x[2] - x[1] ** 3 - x[3] ** 2 == 0, x[1] ** 2 - x[2] - x[4] ** 2 == 0]),
    ),
    Problem(
        40,
        (0.8, 0.8, 0.8, 0.8),
        (2 ** (-1 / 3), 2 ** (-1 / 2), 2 ** (-11 / 12), 2 ** (-1 / 4)),
        -0.25,
        lambda x: (
            -x[1] * x[2] * x[3] * x[4],
            [x[1] ** 3 + x[2] ** 2 - 1 == 0, x[1] ** 2 * x[4] - x[3] == 0, x[4] ** 2 - x[2] == 0],
        ),
    ),
    Problem(
        43,
        (0, 0, 0, 0),
        (0, 1, 2, -1),
        -44,
        lambda x: (
            x[1] ** 2 + x[2] ** 2 + 2 * x[3] ** 2 + x[4] ** 2 - 5 * x[1] - 5 * x[2] - 21 * x[3] + 7 * x[4],
            [
                8 - x[1] ** 2 - x[2] ** 2 - x[3] ** 2 - x[4] ** 2 - x[1] + x[2] - x[3] + x[4] >= 0,
                10 - x[1] ** 2 - 2 * x[2] ** 2 - x[3] ** 2 - 2 * x[4] ** 2 + x[1] + x[4] >= 0,
                5 - 2 * x[1] ** 2 - x[2] ** 2 - x[3] ** 2 - 2 * x[1] + x[2] + x[4] >= 0,
            ],
        ),
    ),
    Problem(
        48,
        (3, 5, -3, 2, -2),
        (1, 1, 1, 1, 1),
        0,
        lambda x: (
            (x[1] - 1) ** 2 + (x[2] - x[3]) ** 2 + (x[4] - x[5]) ** 2,
            [sum(x[i] for i in x) - 5 == 0, x[3] - 2 * (x[4] + x[5]) + 3 == 0],
        ),
    ),
    Problem(
        63,
        (2, 2, 2),
        (3.512118414, 0.2169881741, 3.552171175),
        961.7151721,
        lambda x: (
            1000 - x[1] ** 2 - 2 * x[2] ** 2 - x[3] ** 2 - x[1] * x[2] - x[1] * x[3],
            [8 * x[1] + 14 * x[2] + 7 * x[3] - 56 == 0, x[1] ** 2 + x[2] ** 2 + x[3] ** 2 - 25 == 0],
        ),
        (0, None),
    ),
    Problem(
        65,
        (-5, 5, 0),
        (3.650461821, 3.65046168, 4.6204170507),
        0.9535288567,
        lambda x: (
            (x[1] - x[2]) ** 2 + (x[1] + x[2] - 10) ** 2 / 9 + (x[3] - 5) ** 2,
            [48 - x[1] ** 2 - x[2] ** 2 - x[3] ** 2 >= 0],
        ),
        ((-4.5, 4.5), (-4.5, 4.5), (-5, 5)),
    ),
    Problem(
        71,
        (1, 5, 5, 1),
        (1, 4.7429994, 3.8211503, 1.3794082),
        17.0140173,
        lambda x: (
            x[1] * x[4] * (x[1] + x[2] + x[3]) + x[3],
            [prod(x[i] for i in x) - 25 >= 0, sum(x[i] ** 2 for i in x) - 40 == 0],
        ),
        (1, 5),
    ),
    Problem(
        76,
        (0.5, 0.5, 0.5, 0.5),
        (0.2727273, 2.090909, 0, 0.5454545),
        -4.681818181,
        lambda x: (
            x[1] ** 2
            + 0.5 * x[2] ** 2
            + x[3] ** 2
            + 0.5 * x[4] ** 2
            - x[1] * x[3]
            + x[3] * x[4]
            - x[1]
            - 3 * x[2]
            + x[3]
            - x[4],
            [
                5 - x[1] - 2 * x[2] - x[3] - x[4] >= 0,
                4 - 3 * x[1] - x[2] - 2 * x[3] + x[4] >= 0,
                x[2] + 4 * x[3] - 1.5 >= 0,
            ],
        ),
        (0, None),
    ),
    Problem(
        78,
        (-2, 1.5, 2, -1, -1),
        (-1.717142, 1.595708, 1.827248, -0.7636429, -0.7636435),
        -2.91970041,
        lambda x: (
            prod(x[i] for i in x),
            [
                sum(x[i] ** 2 for i in x) - 10 == 0,
                x[2] * x[3] - 5 * x[4] * x[5] == 0,
                x[1] ** 3 + x[2] ** 3 + 1 == 0,
            ],
        ),
    ),
    Problem(
        100,
        (1, 2, 0, 4, 0, 1, 1),
        (2.330499, 1.951372, -0.4775414, 4.365726, -0.624487, 1.038131, 1.594227),
        680.6300573,
        _hs100,
    ),
    Problem(
        110,
        (9,) * 10,
        (9.35026583,) * 10,
        -45.77846971,
        lambda x: (
            sum(pyo.log(x[i] - 2) ** 2 + pyo.log(10 - x[i]) ** 2 for i in x) - prod(x[i] for i in x) ** 0.2,
            [],
        ),
        (2.001, 9.999),
    ),
]
