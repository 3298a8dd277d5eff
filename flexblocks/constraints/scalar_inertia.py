"""Inertias given about z alone, of bodies that the arm turns about other axes as well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from flexblocks.blocks.bodies.rigid_inertia import about_z_alone
from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.dae.dae import DAE
from flexblocks.dae.expressions import of_same_mass
from flexblocks.dynamics.at_posture.block_numbers import PostureNumbers
from flexblocks.dynamics.at_posture.turning_axes import leaves_z, turning, turning_axes
from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy

# Share of a closed motion of an arm that the error of its closing may leave.
CLOSED = 1e-6


@dataclass(frozen=True)
class _AboutZAlone:
    """An inertia about z alone, of a body that turns about other axes, too: it can be nothing but zero.

    Attributes
    ----------
    where, argument : str
        The body in words, and what the inertia is called there.
    turned_by : str
        What turns the body, in words.
    position : int, optional
        Among the symbolic parameters, if it is one of them.
    """

    where: str
    argument: str
    turned_by: str
    position: int | None = None

    def refuse(self, where: str, value: float) -> None:
        if value:
            raise ParameterError(
                f"{where}{self.where}: {self.argument} = {value:g} kg m2 is that about z alone, and {self.turned_by} "
                f"can turn it about another axis. Give its three principal moments, {self.argument}=(Jx, Jy, "
                f"{value:g}), or the matrix (3, 3), about the centre of mass and in the axes of frame_a."
            )

    def check(self, where: str, values: np.ndarray) -> None:
        if self.position is not None:
            self.refuse(where, float(values[self.position]))


def refuse_scalar_inertia(dae: DAE) -> DAE:
    """Refuse inertias about z alone of bodies that the arm turns about other axes as well.

    Returns
    -------
    DAE
        Whose parameters refuse other values than zero for such inertias that are symbolic.

    Raises
    ------
    ParameterError
        With the three numbers, or the matrix, to give.
    """
    scalar = {i: known for i, body in enumerate(dae.tree.bodies) if (known := about_z_alone(body.block))}
    checks = []
    for index, turned_by in _turned(dae, list(scalar)) if scalar and dae.tree.size else ():
        body = dae.tree.bodies[index]
        for argument, value in scalar[index].items():
            position = dae.p.index(f"{body.name}.{argument}") if isinstance(value, ca.SX) else None
            alone = _AboutZAlone(body.block.where, argument, turned_by, position)
            alone.refuse("assemble: ", getattr(body.block.nominal, argument))
            checks.append(alone)
    return of_same_mass(dae, p=replace(dae.p, checks=(*dae.p.checks, *checks))) if checks else dae


def _turned(dae: DAE, bodies: list[int]) -> Iterator[tuple[int, str]]:
    """Yield those of these bodies that can turn about other axes than z, with what turns them."""
    n, p = dae.tree.size, dae.p.start
    numbers = PostureNumbers(dae.tree, *dae.posture(dae.x.start, dae.z.start, p))
    axes, motions = turning_axes(dae.tree, numbers), None
    for index in bodies:
        culprits = [owner for axis, owner in axes[index] if leaves_z(axis)]
        if not culprits:
            continue
        if dae.tree.loops.closures:
            # Loops hold some of what the joints by themselves are free to do.
            if motions is None:
                slopes = closure_equations(dae).closures(dae.x.start[:n], p)[1].full()
                motions = scipy.linalg.null_space(slopes, rcond=1e-9)
            free = turning(dae.tree, numbers, index)
            if np.linalg.norm((free @ motions)[:2]) <= CLOSED * np.linalg.norm(free):
                continue
        yield index, dae.tree.bodies[culprits[0]].block.where
