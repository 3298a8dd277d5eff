"""Choice of damping: what the beams must have so that modes of the assembled arm have a given damping ratio.

The damping ratio of a beam is that of its modes clamped to a wall, and its damping time makes a ratio that grows with
the frequency; the modes of the arm are others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from flexblocks.assemble import assemble
from flexblocks.blocks.joints.revolute import Revolute
from flexblocks.dae.dae import DAE
from flexblocks.errors import (
    FlexblocksError,
    ModelError,
    ParameterError,
    listing,
    meant,
    suggestion,
)
from flexblocks.linear.damping_choice import DampingChoice, OtherPosture
from flexblocks.linear.damping_fit import fitted_damping, linear_with, too_much
from flexblocks.modeling.model import Model
from flexblocks.modeling.rediscretize import discretizations
from flexblocks.statics.equilibrium import equilibrium
from flexblocks.user_warning import warn
from flexblocks.validity.large_deflections import without_warning
from flexblocks.warning_kinds import NO_DAMPING_FITS

KINDS = ("damping_ratio", "damping_time")
# Ratios off by more than this fraction of the given one give a warning.
MISSES = 0.1


def choose_damping(
    model: Model,
    ratio: float = 0.01,
    *,
    at: Mapping[str, float] | None = None,
    locked: Mapping[str, float] | None = None,
    modes: int | None = None,
    beams: Sequence[str] | str | None = None,
    by: Literal["damping_ratio", "damping_time"] = "damping_ratio",
    elsewhere: Sequence[Mapping[str, float]] | None = None,
) -> DampingChoice:
    """Choose the damping of beams by the damping ratio of the modes of the assembled arm.

    Parameters
    ----------
    model : Model
        What its beams have of damping is replaced; friction and dampers of other blocks stay.
    ratio : float
        Damping ratio (fraction of critical) that modes shall have.
    at : dict, optional
        Coordinates held, ``{"joint1.angle": 0.3}``, see `flexblocks.equilibrium`; by default the arm is at the
        equilibrium nearest to its start values.
    locked : dict, optional
        Coordinates that brakes hold, see `flexblocks.assemble`. An arm with its brakes on has other modes than one
        whose joints turn freely.
    modes : int, optional
        How many modes shall have the ratio: the slowest that bend the beams, by least squares. By default as many as
        there are beams to choose for, which they can meet exactly: for each beam the slowest mode that bends it more
        than the others.
    beams : sequence of str, optional
        Names of the beams whose damping is chosen; by default all that deform.
    by : "damping_ratio" or "damping_time"
        Which parameter of the beams. With a damping time, fast modes are damped more, in proportion to their frequency.
    elsewhere : sequence of dict, optional
        Other postures to report on: coordinates that differ from `at` and `locked`. By default each revolute joint in
        turn, a right angle further; of an arm with closed loops those named in `at` and `locked`, or else those that
        are driven.

    Returns
    -------
    DampingChoice
        ``print`` it for the table.

    Raises
    ------
    ParameterError
        A ratio that is not > 0 and < 1, an unknown `by`, or `modes` that is not a number of modes of the arm.
    ModelError
        No beam of that name, or none that deforms.
    ComputationError
        No mode bends the beams, or no damping below critical was met.
    FlexblocksError
        The arm has no equilibrium at the posture, see `flexblocks.equilibrium`.

    Warns
    -----
    ModelWarning
        A mode misses the ratio by more than a tenth of it: other dampers damp it more, or the beams cannot meet all.
    """
    _check(ratio, by)
    names = _beams(model, beams, by)
    others = [name for name in _beams(model, None, by) if name not in names]
    parameters = tuple(f"{name}.{by}" for name in names)
    bare = _with_damping(model, names, by, np.zeros(len(names)))
    held, locks = dict(at or {}), dict(locked or {})
    with without_warning():
        arm = assemble(bare, parameters, locked=locks)
        point = equilibrium(arm, held)
        values, lin, chosen = fitted_damping(arm, point, names, others, modes, ratio)
        if by == "damping_ratio" and np.any(values >= 1):
            raise too_much(names, ratio)
        postures = _right_angles(arm, bare, held, locks) if elsewhere is None else [dict(each) for each in elsewhere]
        others = [_other(arm, bare, held, locks, posture, values, elsewhere is None) for posture in postures]
    choice = DampingChoice(
        model=_with_damping(model, names, by, values),
        values=dict(zip(parameters, values.tolist(), strict=True)),
        ratio=float(ratio),
        modes=lin.modes(),
        chosen=tuple(sorted(chosen)),
        elsewhere=tuple(others),
    )
    if choice.largest_miss > MISSES:
        got = listing(f"{100 * choice.modes[i].damping_ratio:.3g} %" for i in choice.chosen)
        warn(
            f"choose_damping: the modes that shall have {100 * ratio:.3g} % have {got}; no damping >= 0 of "
            f"{listing(names)} brings all of them nearer. Choose fewer modes, or reduce the damping of other blocks.",
            NO_DAMPING_FITS,
        )
    return choice


def _check(ratio: float, by: str) -> None:
    if isinstance(ratio, bool) or not isinstance(ratio, (int, float)) or not 0 < ratio < 1:
        raise ParameterError(f"choose_damping: ratio = {ratio!r}; must be a number > 0 and < 1 (0.01 is 1 %).")
    if by not in KINDS:
        told = meant(by, KINDS, "must be 'damping_ratio' or 'damping_time'.")
        raise ParameterError(f"choose_damping: by = {by!r}{told}")


def _beams(model: Model, beams: Sequence[str] | str | None, by: str) -> list[str]:
    """Return the names of the beams whose damping is chosen."""
    blocks: dict[str, Any] = dict(model.blocks)
    deform = [
        name
        for name, kind in discretizations(model).items()
        if hasattr(blocks[name], by) and any(kind.coordinates(axis) for axis in getattr(blocks[name], "planes", "y"))
    ]
    if not deform:
        raise ModelError(
            f"choose_damping: model '{model.name}' has no beam that deforms and takes a {by}; give a FlexibleBeam a "
            "discretisation such as fb.AssumedModes(3, tip='auto')."
        )
    names = deform if beams is None else [beams] if isinstance(beams, str) else list(dict.fromkeys(beams))
    for name in names:
        if name not in deform:
            raise ModelError(f"choose_damping: beams: there is no beam '{name}' that deforms{suggestion(name, deform)}")
    if not names:
        raise ParameterError("choose_damping: beams = (); name one at least, or leave it out for all.")
    return names


def _with_damping(model: Model, names: list[str], by: str, values: np.ndarray) -> Model:
    """Return the model whose beams have these values as their only damping."""
    other = next(kind for kind in KINDS if kind != by)
    blocks = {}
    for name, value in zip(names, values.tolist(), strict=True):
        block: Any = model[name]
        blocks[name] = replace(block, **({other: 0.0} if hasattr(block, other) else {}), **{by: value})
    return model.copy(blocks)


def _right_angles(arm: DAE, model: Model, held: dict[str, float], locks: dict[str, float]) -> list[dict[str, float]]:
    """Return the postures with one revolute joint each a right angle further."""
    hinges = {body.name for body in arm.tree.bodies if isinstance(body.block, Revolute)}
    joints = [f"{name}.angle" for name in model.blocks if name in hinges]
    if arm.expressions.constraint.numel():
        # Joints of a loop turn together: those that determine the posture, or else those with something on their axis.
        driven = {str(port).removesuffix(".axis") + ".angle" for ports in model.connections for port in ports}
        joints = [name for name in joints if name in (held or locks or driven)]
    here = dict(zip(arm.x.names, arm.x.start.tolist(), strict=True)) | held | locks
    return [{name: here[name] + np.pi / 2} for name in joints if name in here]


def _other(
    arm: DAE,
    model: Model,
    held: dict[str, float],
    locks: dict[str, float],
    posture: dict[str, float],
    values: np.ndarray,
    may_fail: bool,
) -> OtherPosture:
    """Return the modes in another posture; brakes that hold there are part of another assembly."""
    braked = {name: posture.get(name, value) for name, value in locks.items()}
    try:
        there = arm if braked == locks else assemble(model, arm.p.names, locked=braked)
        point = equilibrium(there, held | {name: value for name, value in posture.items() if name not in locks})
        return OtherPosture(posture, linear_with(there, point, values).modes())
    except FlexblocksError as error:
        if not may_fail:
            raise
        return OtherPosture(posture, None, str(error))
