"""What a goal determines twice in loops that follow references exactly: references that are planned, or known."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.linear.linearize import linearize
from flexblocks.statics.operating_point import OperatingPoint

from ..first_order_states import reference_states

LEVELS, STEPS = 14, 6  # lengths of steps with constant inputs, each twice the one before, and how many of each
DETERMINED = 1e-10  # share of a row below which it follows from the others


def redundant_references(dae: DAE, goal: OperatingPoint, duration: float) -> tuple[int, ...]:
    """Return the references, by number among all states, that follow at a goal from the other states there.

    Computed torque makes the errors of joints motions of their own, which no reference excites: an arm that starts on
    its references stays there, and where both have to be at the goal, one of the two is prescribed once too often.
    By what piecewise constant inputs reach, linearised about the goal: in a `duration` [s], and in ever shorter times
    before its end.
    """
    references = [dae.x.names[i] for i in reference_states(dae)]
    if not references:
        return ()
    names, reached = _reached(dae, goal, duration, _moved(dae))
    reached = reached / np.maximum(np.linalg.norm(reached, axis=1, keepdims=True), 1e-300)
    others = [i for i, name in enumerate(names) if name not in references]
    basis = scipy.linalg.orth(reached[others].T, rcond=DETERMINED)
    redundant = []
    for name in references:
        left = reached[names.index(name)]
        left = left - basis @ (basis.T @ left)
        if np.linalg.norm(left) < DETERMINED:
            redundant.append(dae.x.index(name))
        else:
            basis = np.column_stack([basis, left / np.linalg.norm(left)])
    return tuple(redundant)


def led_coordinates(dae: DAE, goal: OperatingPoint, duration: float) -> tuple[int, ...]:
    """Return the coordinates that known inputs lead to a goal, while nothing that is planned moves them.

    So are joints under computed torque whose references are known. They end where these take them.
    """
    known = dae.u.with_role("disturbance")
    if not known:
        return ()
    names, by_plan = _reached(dae, goal, duration, _moved(dae))
    _, by_known = _reached(dae, goal, duration, known)
    follows = np.linalg.norm(by_plan, axis=1) < DETERMINED * np.linalg.norm(by_known, axis=1)
    return tuple(i for i, name in enumerate(dae.q_names) if name in names and follows[names.index(name)])


def _moved(dae: DAE) -> tuple[str, ...]:
    return dae.u.with_role("actuator", "reference", "reference_rate")


def _reached(dae: DAE, goal: OperatingPoint, duration: float, inputs: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Return the states, and by what each input in each step changes them until the end (nx, steps nu)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = linearize(dae, goal, outputs=()).minimal()
    A, B = model.A, model.B[:, [model.inputs.index(name) for name in inputs]]
    nx, nu = B.shape
    rates, shortest = np.block([[A, B], [np.zeros((nu, nx + nu))]]), duration / (STEPS * (2**LEVELS - 1))
    onward, columns = np.eye(nx), []
    for level in range(LEVELS):
        step = scipy.linalg.expm(rates * shortest * 2**level)[:nx]
        for _ in range(STEPS):
            columns.append(onward @ step[:, nx:])
            onward = onward @ step[:, :nx]
    return list(model.states), np.hstack(columns)
