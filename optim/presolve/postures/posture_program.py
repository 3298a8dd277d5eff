"""Inverse statics as a nonlinear program in scaled unknowns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from flexblocks.constraints.closed_posture import same_assembly
from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import rest_residuals, unknown_slices
from flexblocks.statics.operating_point import OperatingPoint, point_at_rest

from ...ipopt_options import POSTURE
from ...tolerances import MET, RESIDUE
from ..equilibrium import unknowns_at
from .admissible import Admissible
from .posture_scale import PostureScale, posture_scale
from .posture_starts import start_points
from .search_time import ipopt_time, time_is_over
from .values_at_rest import at_rest

# How far pressures and lengths of ropes go from the posture, in their magnitudes; the second if that finds none. What a
# slack rope or an open contact barely depends on, a step of Newton's would move by millions, and not back.
ROOMS = (10.0, 1e3)
SILENT = {"print_time": False, "error_on_fail": False, "show_eval_warnings": False}


@dataclass(frozen=True, eq=False)
class PostureProgram:
    """Static equilibrium with prescribed values, nearest to a posture.

    Attributes
    ----------
    dae : DAE
    near : OperatingPoint
    target : ndarray (m,)
        The prescribed values.
    limits : (ndarray, ndarray)
        Of the unknowns of statics (ns,).
    start : ndarray (ns,)
        The unknowns at `near`.
    starts : list of ndarray (ns,)
        Where the search begins.
    scale : PostureScale
    equations : casadi.Function
        s -> balance (nb,), values (m,), and their Jacobians in s.
    exact : casadi.Function
        Solver in scaled unknowns: least distance, with balance and values kept.
    target_rows : ndarray
        What the constraints of `exact` are equal to.
    closest : casadi.Function
        The same: least error of the values that are no coordinates, with balance and coordinates kept.
    held : list of int
        Which values are coordinates.
    kept : (ndarray, ndarray)
        Bounds of what comes before all other constraints: quantities with limits by name.
    """

    dae: DAE
    near: OperatingPoint
    target: np.ndarray
    limits: tuple[np.ndarray, np.ndarray]
    start: np.ndarray
    starts: list[np.ndarray]
    scale: PostureScale
    equations: ca.Function
    exact: ca.Function
    target_rows: np.ndarray
    closest: ca.Function
    held: list[int]
    kept: tuple[np.ndarray, np.ndarray]

    def inside(self, share: float) -> PostureProgram:
        """Return the same for postures off the limits by name, by a `share` of the room between two of them."""
        low, high = self.kept
        room = share * np.where(np.isfinite(high - low), high - low, 0.0)
        return replace(self, kept=(low + room, high - room))

    def solutions(self) -> Iterator[tuple[np.ndarray, float]]:
        """Yield the postures (ns,) solved for from all start points, with their distances, scaled, the nearest first.

        Whether a linkage can be led to one takes long to find out, so they are checked one by one.
        """
        for room in ROOMS if len(self.dae.x) > 2 * self.dae.tree.size else ROOMS[:1]:
            some = False
            for one in sorted(self._ends(room), key=lambda one: one[1]):
                if self._is_in_assembly(one[0]):
                    some = True
                    yield one
            if some:
                return

    def _ends(self, room: float) -> list[tuple[np.ndarray, float]]:
        """Return the postures with the prescribed values, each once, in the assembly or not.

        The search ends where, by what was found so far, less than half a posture is expected to be left: of w postures
        in k searches, each as likely to end in any of them as prior, w (k - 1)/(k - w - 2) are expected in all (Boender
        and Rinnooy Kan, Mathematical Programming 37, 1987).
        """
        ends: list[tuple[np.ndarray, float]] = []
        reached = 0
        for s in self.starts:
            if time_is_over() or _are_all_found(len(ends), reached):
                break
            x, distance, success = self._solve(self.exact, s, self.target_rows, room)
            if not success or not self._has_values(x):
                continue
            reached += 1
            if not any(np.max(np.abs(x - end) / self.scale.unknowns) < RESIDUE for end, _ in ends):
                ends.append((x, distance))
        return ends

    def solved(self, s: np.ndarray, room: float = ROOMS[-1]) -> tuple[np.ndarray, float] | None:
        """Return a posture (ns,) solved for from `s`, and its distance, scaled; None if there is none."""
        x, distance, success = self._solve(self.exact, s, self.target_rows, room)
        return (x, distance) if success and self.is_reached(x) else None

    def nearest(self, starts: Sequence[np.ndarray] | None = None) -> tuple[np.ndarray, float] | None:
        """Return the posture (ns,) whose values are nearest to the prescribed ones, and the scaled error."""
        kept = np.zeros(self.closest.size1_in("lbg") - len(self.kept[0]))
        ends = [self._solve(self.closest, s, kept, ROOMS[-1]) for s in starts or self.starts]
        reached = [(x, np.sqrt(distance)) for x, distance, success in ends if success]
        return min(reached, key=lambda one: one[1], default=None)

    def is_reached(self, s: np.ndarray) -> bool:
        """Return whether the values are those prescribed, and the linkage is in its assembly."""
        return self._has_values(s) and self._is_in_assembly(s)

    def _has_values(self, s: np.ndarray) -> bool:
        return bool(np.max(np.abs(self.values(s) - self.target) / self.scale.values, initial=0.0) < MET)

    def _is_in_assembly(self, s: np.ndarray) -> bool:
        # The closures among the equations cannot distinguish a pin from one that is turned by half a turn.
        n = self.dae.tree.size
        return not self.dae.tree.loops.closures or same_assembly(self.dae, self.near.x[:n], s[:n], self.near.p)

    def point(self, s: np.ndarray) -> OperatingPoint:
        """Return the operating point with these unknowns of statics."""
        residual = self.equations(s)[0].full().ravel()[: unknown_slices(self.dae).z.stop]
        return point_at_rest(self.dae, s, self.near.p, residual)

    def values(self, s: np.ndarray) -> np.ndarray:
        """Return the values (m,) at the unknowns of statics."""
        return self.equations(s)[1].full().ravel()

    def _solve(
        self, solver: ca.Function, s: np.ndarray, rows: np.ndarray, room: float
    ) -> tuple[np.ndarray, float, bool]:
        low, high = (limit / self.scale.unknowns for limit in self.limits)
        at, w = self.start / self.scale.unknowns, unknown_slices(self.dae).w
        low[w], high[w] = np.maximum(low[w], at[w] - room), np.minimum(high[w], at[w] + room)
        lowest, highest = (np.append(bound, rows) for bound in self.kept)
        solution = solver(x0=s / self.scale.unknowns, lbx=low, ubx=high, lbg=lowest, ubg=highest)
        success = bool(solver.stats()["success"])
        return solution["x"].full().ravel() * self.scale.unknowns, float(solution["f"]), success


def _are_all_found(found: int, searches: int) -> bool:
    """Return whether less than half a posture is expected beside those found."""
    return searches > found + 2 and found * (searches - 1) < (found + 0.5) * (searches - found - 2)


def posture_program(
    dae: DAE,
    prescribed: Mapping[str, float],
    near: OperatingPoint,
    admissible: Admissible,
    still: Mapping[str, float] | None = None,
) -> PostureProgram:
    """Return inverse statics with prescribed values near a posture, as a program.

    Parameters
    ----------
    dae : DAE
    prescribed : dict of float
    near : OperatingPoint
    admissible : Admissible
        Whose limits, and those by name of path values, are kept.
    still : dict of float, optional
        Coordinates that are prescribed, too, and where the search begins with.
    """
    prescribed, limits = {**prescribed, **(still or {})}, admissible.bounds(dae)
    n, index, names = dae.tree.size, unknown_slices(dae), tuple(prescribed)
    s, target = ca.SX.sym("s", index.u.stop), np.array(list(prescribed.values()))
    balance = rest_residuals(dae).call([s, near.p], True, False)[0]
    values = at_rest(dae, names).call([s, ca.SX(ca.DM(near.p))], True, False)[0]
    parts = [balance, values, ca.jacobian(balance, s), ca.jacobian(values, s)]
    equations = ca.Function("equations", [s], [ca.densify(part) for part in parts])
    start = unknowns_at(dae, near)
    mass = dae.mass_matrix(near.x[:n], near.p).full()
    starts = start_points(dae, near, start, limits, [dae.q_names.index(name) for name in still or {}])
    scale = posture_scale(dae, near, names, equations, mass, [start, *starts])
    # All of it by its magnitudes
    scaled = ca.SX.sym("scaled", s.numel())
    r, y = equations.call([scaled * scale.unknowns], True, False)[:2]
    # What nothing holds, such as a floating base, has no balance.
    r = (r / scale.balance)[[i for i in range(r.numel()) if not r[i].is_zero()]]
    gap = (y - target) / scale.values
    limited, *kept = admissible.limited(scaled * scale.unknowns, near.p)
    step = scaled[:n] * scale.unknowns[:n] - start[:n]
    # Nearest posture; of redundant inputs that hold it, the smallest (1e-9 decides between equals only)
    distance = ca.dot(step, ca.mtimes(ca.DM(mass), step)) / (2 * scale.energy) + 1e-9 * ca.sumsqr(scaled[index.u])
    if r.numel() + len(target) <= s.numel():
        problem = {"x": scaled, "f": distance, "g": ca.vertcat(limited, r, gap)}
    else:
        # More conditions than the arm can be moved for, all met only where some follow from others: by least squares.
        problem = {"x": scaled, "f": ca.sumsqr(gap), "g": ca.vertcat(limited, r)}
    held = [i for i, name in enumerate(names) if name in dae.q_names]
    others = [i for i in range(len(names)) if i not in held]
    options = SILENT | {"ipopt": POSTURE | ipopt_time()}
    missed = ca.sumsqr(gap[others]) if others else ca.SX(0)
    conditions = ca.vertcat(limited, r, gap[held]) if held else ca.vertcat(limited, r)
    return PostureProgram(
        dae=dae,
        near=near,
        target=target,
        limits=limits,
        start=start,
        starts=starts,
        scale=scale,
        equations=equations,
        exact=ca.nlpsol("posture", "ipopt", problem, options),
        target_rows=np.zeros(problem["g"].numel() - limited.numel()),
        closest=ca.nlpsol("nearest", "ipopt", {"x": scaled, "f": missed, "g": conditions}, options),
        held=held,
        kept=(kept[0], kept[1]),
    )
