"""The warning where deflections leave the range of linear beam theory."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.user_warning import warn
from flexblocks.validity.deflection_error import DeflectionError, deflection_errors
from flexblocks.validity.left_out_planes import LeftOut, left_out_planes, warn_of_left_out_planes
from flexblocks.validity.pulls import Along
from flexblocks.warning_kinds import LARGE_DEFLECTIONS

# What is out of range: an estimated error above this share of the deflection that is also a shift that would be seen,
# above this share of the length; or one that is far off by itself. By size alone the first is a deflection of a sixth
# of the length. By a pull the error is a mean over the motion: a falling pendulum is off by 1.4 to 2.3 times as much in
# the slow part, a spin-up by 0.6 to 0.9 times (`python -m benchmarks.large_deflections`).
SHARE, SEEN = 0.03, 1e-3
FAR_OFF = 1e-2
# A pull that takes more stiffness than this share, or adds as much, is no longer a small one: no number is of use.
NO_LONGER_SMALL = 0.5

_QUIET = ContextVar("quiet", default=False)


@contextmanager
def without_warning() -> Generator[None]:
    """Silence the warning in calls within another one, which gives it once for all of them, or has no use for it."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


def is_quiet() -> bool:
    """Whether warnings of this room are silenced."""
    return _QUIET.get()


def large_deflections(
    dae: DAE,
    x: np.ndarray,
    z: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    at_rest: bool = False,
    along: Along | None = None,
) -> list[DeflectionError]:
    """Return the blocks that leave the range of their theory, the worst first; arguments as `deflection_errors`."""
    errors = deflection_errors(dae, x, z, u, p, at_rest, along)
    far = [one for one in errors if one.error * one.deflection > (SEEN if one.error > SHARE else FAR_OFF)]
    return sorted(far, key=lambda one: -one.error * one.deflection)


def warn_of_large_deflections(
    dae: DAE,
    where: str,
    x: np.ndarray,
    z: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    times: np.ndarray | None = None,
    along: Along | None = None,
) -> bool:
    """Warn, once, of all blocks that leave the range of their theory; return whether there were any.

    Warn, too, of what forces from outside do across planes in which beams do not bend.

    Parameters
    ----------
    dae : DAE
    where : str
        The call, for the message.
    x, z, u : ndarray (samples, nx), (samples, nz), (samples, nu)
    p : ndarray (np,)
    times : ndarray (samples,), optional
        [s]; without them the states are equilibria.
    along : tuple of ndarray, optional
        As for `deflection_errors`.
    """
    if is_quiet():
        return False
    if left_out := left_out_deflections(dae, x, z, u, p):
        warn_of_left_out_planes(where, "", {"": left_out})
    far = large_deflections(dae, x, z, u, p, at_rest=times is None, along=along)
    if far:
        texts = [described(one, None if times is None else float(times[one.sample])) for one in far]
        warn(f"{where}: {'; '.join(texts)}", LARGE_DEFLECTIONS)
    return bool(far)


def left_out_deflections(dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray) -> list[LeftOut]:
    """Return what forces from outside do across planes in which beams do not bend; arguments as `deflection_errors`."""
    acts = dae.tree.elements or any(name.endswith((".load_y", ".load_z")) for name in dae.u.names)
    return left_out_planes(dae, x, z, u, p) if acts else []


def warn_of_cases(
    where: str, many: str, cases: Mapping[str, list[DeflectionError]], times: np.ndarray | None = None
) -> None:
    """Warn, once, of all blocks that leave the range of their theory in some of many cases, each with its worst.

    Parameters
    ----------
    where : str
        The call, for the message.
    many : str
        What a number of cases is called, as ``"in {} runs"``.
    cases : dict
        `large_deflections` of each, by what it is called, as ``"in run 3"``.
    times : ndarray (samples,), optional
        Of motions [s].
    """
    of_blocks: dict[str, list[tuple[str, DeflectionError]]] = {}
    for name, errors in cases.items():
        for one in errors:
            of_blocks.setdefault(one.block.where, []).append((name, one))
    texts = []
    for those in of_blocks.values():
        name, worst = max(those, key=lambda case: case[1].error * case[1].deflection)
        which = name if len(those) == 1 else f"{many.format(len(those))}, the most {name}:"
        texts.append(f"{which} {described(worst, None if times is None else float(times[worst.sample]))}")
    if texts and not is_quiet():
        warn(f"{where}: {'; '.join(texts)}", LARGE_DEFLECTIONS)


def described(one: DeflectionError, time: float | None) -> str:
    """Return a sentence on one block that leaves the range of its theory, and on what holds there."""
    when = "" if time is None else f" at t = {time:.4g} s"
    remedy = f"{one.measure.remedy[0].upper()}{one.measure.remedy[1:]}"
    if one.by_twist > max(one.by_size, one.by_pull):
        return (
            f"{one.block.where} {one.measure.twist_words}{when}, and {one.measure.name} leaves out that a twist turns "
            "its planes of bending, of which one is stiffer: its tip is off by about "
            f"{100 * one.by_twist * one.deflection:.2g} % of its length. {one.measure.remedy_of_twist}"
        )
    error = f"about {100 * one.error:.0f} %" if one.error < NO_LONGER_SMALL else "as much as it is itself"
    text = (
        f"{one.block.where} deflects by {100 * one.deflection:.2g} % of its length{when} (slope {one.slope:.2g} rad), "
        "where "
        f"{one.measure.name} is off by {error} of the deflection"
    )
    if one.measure.tension is not None and one.by_pull > one.by_size:
        return (
            f"{text}, for it leaves out what a pull along it does to bending. {one.measure.tension.remedy}; "
            f"{one.measure.remedy}"
        )
    return f"{text}: it is made for small ones. {remedy}"
