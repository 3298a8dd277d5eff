"""Differential-algebraic equations (DAE) of an arm: CasADi functions on which all analyses work."""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterable
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import casadi as ca

from flexblocks.dae.compiler import CompilerError, load
from flexblocks.dae.explicit_steps import EXPANDED, PAIRS, SIZES, chain, step
from flexblocks.dae.functions import DAEFunctions, compiled
from flexblocks.dynamics.algorithms.frame_motions import frame_units
from flexblocks.interfaces.variables import variables
from flexblocks.rich_display import RichDisplay

LOG = logging.getLogger("flexblocks.dae")

# What a DAE with other outputs does not share.
DEPENDS_ON_OUTPUTS = ("y", "output", "expressions", "interpreted", "_observed")


class DAE(DAEFunctions, RichDisplay):
    """M(q) der(v) + h(q, v) = Q(x, z, u) + J(q)' lambda, 0 = c(q), 0 = g(x, z, u), y = y(x, z, u), with parameters p.

    The closures c of kinematic loops, with J = dc/dq and multipliers lambda, are empty for a tree. Rows of prescribed
    coordinates are der(v) = u, see `flexblocks.assemble`.

    Attributes
    ----------
    name : str
    x : Variables
        States [q, der(q), first-order states].
    z : Variables
        Algebraic variables.
    u : Variables
        Inputs.
    p : Variables
        Symbolic parameters.
    y : Variables
        Outputs.
    tree : Tree
        The multibody tree behind the equations.
    dynamics : str
        Algorithm of the accelerations: ``"recursive"`` or ``"closed-form"``.
    model : Model or None
        Copy of the model at its assembly; None for closed loops of control, and after
        `flexblocks.change_coordinates`, whose coordinates no assembly gives.
    locked : dict
        Values of the coordinates that are held, by name; see `flexblocks.assemble`.
    clocks : tuple of Clock
        Clocks of sampled controllers; empty for continuous-time equations.
    closed_start : ClosedStart or None
        What the closing of kinematic loops changed at the blocks' start values; None for a tree.

    Notes
    -----
    Symbols are ``dae.x.symbol`` and so on; expressions and functions are built on first use. Functions take p even if
    it is empty; pass ``[]`` then. If there are algebraic variables, the functions that need them take z last. Functions
    of the posture take the dependent variables last, if there are any (`posture_symbols`, `posture`).
    """

    def steps(self, method: Literal["rk43", "rk43_crossing", "rk8"], count: int) -> ca.Function:
        """Return `count` steps of an explicit method in one function, see `flexblocks.dae.explicit_steps`.

        Parameters
        ----------
        method : "rk43", "rk43_crossing" or "rk8"
            The second continues over jumps of inputs and over ticks, and takes an evaluation more.
        count : int
            One of `flexblocks.dae.explicit_steps.SIZES`.
        """
        pair, made = PAIRS[method](), self._steps
        kinds = self.tree.state_kinds(self.x.units)
        if (method, count) not in made and self.is_chained:
            one = step(self.interpreted.motion, pair, False, kinds, self.clocks)
            chains = {size: chain(one, pair, size) for size in SIZES}
            functions = compiled(list(chains.values()), self)
            made.update({(method, size): functions[function.name()] for size, function in chains.items()})
        if (method, 1) not in made:
            expand = self.library is None and not self._is_large
            made[method, 1] = step(self.motion, pair, expand, kinds, self.clocks)
        if (method, count) not in made:
            made[method, count] = chain(made[method, 1], pair, count)
        return made[method, count]

    @property
    def is_chained(self) -> bool:
        """Whether many steps in one call, compiled, are worth compiling: calls cost more than small equations."""
        return self.library is not None and not self._is_large

    @property
    def _is_large(self) -> bool:
        return self.interpreted.motion.n_instructions() >= EXPANDED

    @cached_property
    def _steps(self) -> dict[tuple[str, int], ca.Function]:
        return {}

    @cached_property
    def library(self) -> Path | None:
        """Path of the compiled right-hand side; None if CasADi's virtual machine evaluates the functions."""
        return None

    @cached_property
    def differentiable_motion(self) -> ca.Function:
        """`motion` with its derivative, which functions that are compiled by themselves do not have."""
        if self.library is None:
            return self.motion
        motion = self.interpreted.motion
        return compiled([motion, motion.forward(1)], self)[motion.name()]

    @cached_property
    def motion_jacobian(self) -> ca.Function:
        """Jacobian of what is not der(q) = v in `motion`, function (x, z, u, p) -> d[der(v), der(w), power]/dx, dense.

        Interpreted even of a compiled DAE: it is too large for what is saved, and without CSE, which takes ten times as
        long as the differentiation and saves 4 % of 60 000 instructions.
        """
        if self.library is not None:
            return self.interpreted.motion_jacobian
        motion = self.motion
        symbols = [motion.sx_in(i) for i in range(motion.n_in())]
        rates = motion(*symbols)[0][self.tree.size :]
        jacobian = ca.densify(ca.jacobian(rates, symbols[0]))
        return ca.Function("motion_jacobian", symbols, [jacobian], ["x", "z", "u", "p"], ["J"])

    @cached_property
    def interpreted(self) -> DAE:
        """The same DAE with functions that take symbols and can be differentiated: itself, unless it is compiled."""
        return self

    def compile(self, strict: bool = False, optimize: bool = True, implicit: bool = False) -> DAE:
        """Return this DAE with its functions compiled to machine code.

        Parameters
        ----------
        strict : bool
            Whether to raise an error if compilation fails.
        optimize : bool
            Whether the compiler optimises (-O1). Without, compiling takes a quarter of the time, for code that takes
            three times as long, a tenth of the virtual machine's time: less in all up to some 200 000 evaluations of
            equations of thousands of instructions.
        implicit : bool
            Whether to compile the implicit equations now (`residual`), as for ``simulate(method="implicit")``, and the
            right-hand side only when it is requested: of loops of stiff beams it is several times as large.

        Returns
        -------
        DAE
            `library` is the path of the compiled right-hand side, or residual. If that fails it is this DAE itself,
            with `library` None, and the reason is logged as a warning under ``flexblocks.dae``.

        Raises
        ------
        flexblocks.dae.compiler.CompilerError
            With `strict`: there is no C compiler (gcc, clang, cc or that of the environment variable CC), it fails, or
            the cache is not writable.

        Notes
        -----
        Results are the same to the last digit. The right-hand side of simulations (or the residual) is compiled
        here, all else when it is first needed. Compiled functions take numbers only and have no derivatives,
        except `differentiable_motion`; expressions are unchanged, so that everything works on a compiled DAE
        too. Libraries are kept in the user's cache directory, or in FLEXBLOCKS_CACHE, and reused for the same
        equations.
        """
        try:
            plain = self.interpreted
            path, functions = load([plain.residual if implicit else plain.motion], optimize)
        except CompilerError as error:
            if strict:
                raise
            LOG.warning("%s; '%s' is evaluated by CasADi's virtual machine", error, self.name)
            return self
        other = copy.copy(self.interpreted)
        # Expressions are shared. Functions, and what is made of them, may have been made already, interpreted.
        for name, member in (vars(DAEFunctions) | vars(DAE)).items():
            if isinstance(member, cached_property):
                vars(other).pop(name, None)
        # Entries of an instance's __dict__ take precedence over its cached properties.
        vars(other).update(functions, library=path, interpreted=plain, is_optimized=optimize, _is_implicit=implicit)
        return other

    def __getstate__(self) -> dict[str, Any]:
        # Expressions and functions are built again on first use, of the same operations in the same order.
        return {field.name: vars(self)[field.name] for field in fields(self)}

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.library is None:
            return super().__reduce_ex__(protocol)
        # There, from the cache or anew.
        return DAE.compile, (self.interpreted, False, self.is_optimized, self._is_implicit)

    def with_outputs(self, names: Iterable[str] | str) -> DAE:
        """Return this DAE with more outputs: the motion of any frames in space.

        Parameters
        ----------
        names : iterable of str
            A block, for its outboard end, or a frame of one (``link1.frame_a``, ``link1.station(0.25)``), and one of

            * ``x``, ``y``, ``z`` [m] and ``velocity_x``, ``_y``, ``_z`` [m/s]: position and velocity of its origin, in
              world axes;
            * ``rotation_xx``, ``rotation_xy``, ... ``rotation_zz``: its rotation matrix; ``rotation_zx`` is the
              component along the world's z of the frame's x axis. No posture is singular;
            * ``roll``, ``pitch``, ``yaw`` [rad]: R = Rz(yaw) Ry(pitch) Rx(roll). Roll and yaw lock at a pitch of +-90
              degrees;
            * ``angular_velocity_x``, ``_y``, ``_z`` [rad/s]: relative to the world, in the axes of the frame, as a
              gyroscope measures it. (Of a `FreeMotion` or `Spherical` this is their own output, relative to their
              inlet; ``base.frame_b.angular_velocity_x`` is relative to the world.)

            Names of variables that the DAE has already are passed over.

        Returns
        -------
        DAE
            With these at the end of y. The equations are the same ones; this DAE itself if there is nothing to add.

        Raises
        ------
        NameUnknownError
            There is no such frame or quantity.

        Examples
        --------
        >>> import flexblocks as fb
        >>> from flexblocks import models
        >>> dae = fb.assemble(models.subudhi_morris_2002())
        >>> dae.with_outputs(("payload.velocity_x", "link1.yaw")).y.names[-2:]
        ('payload.velocity_x', 'link1.yaw')
        """
        known = [name for group in (self.y, self.x, self.z, self.u, self.p) for name in group.names]
        wanted = dict.fromkeys((names,) if isinstance(names, str) else names)
        more = tuple(name for name in wanted if name not in known)
        if more and more not in self._observed:
            units = frame_units(self.tree, more, known)
            entries = [*zip(self.y.names, self.y.units, strict=True), *units.items()]
            other = copy.copy(self)
            # What depends on the outputs is built anew; a compiled DAE keeps its other compiled functions.
            kept = {key: value for key, value in vars(self).items() if key not in DEPENDS_ON_OUTPUTS}
            bounds = [*self.y.limits, *[None] * len(units)]
            kept["y"] = variables("output", [(name, unit, 0.0) for name, unit in entries], bounds)
            kept["expressions"] = self.expressions.with_outputs(kept["y"].names)
            if self.interpreted is not self:
                kept["interpreted"] = self.interpreted.with_outputs(more)
            vars(other).clear()
            vars(other).update(kept)
            self._observed[more] = other
        return self._observed[more] if more else self

    @cached_property
    def _observed(self) -> dict[tuple[str, ...], DAE]:
        """The DAEs with more outputs so far, so that what is derived for them is derived once."""
        return {}

    def __repr__(self) -> str:
        return (
            f"DAE({self.name!r}: {len(self.x)} states of {self.tree.size} coordinates, "
            f"{len(self.z)} algebraic variables, {len(self.u)} inputs, {len(self.y)} outputs, {len(self.p)} parameters)"
        )
