"""Finer transcriptions of a plan that does not replay, in the order in which they are tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...collocation.schemes import HIGHEST_DEGREE
from ...collocation.transcription_options import AUTO, TranscriptionOptions
from ...model.trajectories import phase_trajectories
from ...results.plan import Plan
from ...verification.criteria import Allowed
from ...verification.mesh_errors.numerical_dissipation import numerical_dissipation
from ..settings import Settings


def finer_transcriptions(
    plan: Plan, most: Allowed, settings: Settings, stalls: bool = False, is_near: bool = False
) -> list[TranscriptionOptions]:
    """Return finer transcriptions, the one that is to be tried first at the beginning.

    Quasi-static modes get their dynamics back, at first with a symmetric scheme: with a damping one, inputs steer modes
    that the mesh does not resolve in its last intervals only, and rest imposes nearly dependent conditions on them. Two
    loads on a floating space arm converge in fewer iterations than with Radau collocation. Where there are more such
    modes than the inputs can bring to rest on that mesh, such a plan may not be solved, and all intervals are halved
    instead: some of the modes are resolved then.
    Where that did not help (`stalls`), the replay shows the missing dynamics, which are tried on finer meshes.
    A symmetric scheme is raised to degree 6. Then intervals with large local errors are halved, or all of them: also
    where the last refinement did not help, as vibrations get from fine intervals to coarse ones. There a higher degree
    comes last, since with several periods of a mode in an interval none resolves it.

    Notes
    -----
    A damping scheme dissipates the energy of modes that the mesh does not resolve. An optimiser exploits that: it dumps
    energy into such modes at no cost, and does so on finer meshes as well, since finer inputs reach faster modes. So if
    the numerical dissipation exceeds the energy that may be left at the end, the problem is solved again with a
    symmetric scheme of the next degree, which conserves the energy of oscillations, before intervals are doubled. A
    higher degree resolves the motion without refining the inputs. Where the replay misses by little (`is_near`), the
    motion is all but resolved, and shorter intervals come first.
    """
    options = plan.transcribed.options
    if has_static_modes(plan):
        restored = replace(options, quasi_static=None)
        if options.quasi_static != AUTO:
            return [restored]
        symmetric = [] if options.collocation.is_symmetric else [_symmetric(restored)]
        more = [_doubled(plan, restored)] if stalls else []
        return [*symmetric, restored, *more, _doubled(plan, options)]
    if plan.transcribed.is_free:  # made anew by way of least effort, with the dynamics of all modes
        options = replace(options, quasi_static=False)
    scheme = options.collocation
    halved, doubled = _halved(plan, options, most, settings), _doubled(plan, options)
    finer = [doubled] if stalls or halved.counts == doubled.counts else [halved, doubled]
    if lives_off_its_scheme(plan, most):
        symmetric = _symmetric(options)
        return [*finer, symmetric] if is_near else [symmetric, *finer]
    if scheme.is_symmetric and scheme.degree < settings.raised_degree:
        raised = replace(options, degree=min(scheme.degree + 2, settings.raised_degree))
        return [*finer, raised] if stalls else [raised, *finer]
    return finer


def _symmetric(options: TranscriptionOptions) -> TranscriptionOptions:
    """Return the options with the symmetric scheme of the next degree."""
    return replace(options, scheme="lobatto", degree=min(options.collocation.degree + 1, HIGHEST_DEGREE))


def lives_off_its_scheme(plan: Plan, most: Allowed) -> bool:
    """Whether a damping scheme takes more energy out of a motion than may be left at the end."""
    if plan.transcribed.options.collocation.is_symmetric:
        return False
    return numerical_dissipation(phase_trajectories(plan.pyomo_model)) > most.energy


def has_static_modes(plan: Plan) -> bool:
    """Whether some modes are quasi-static."""
    return bool(plan.transcribed.first[0].static.names)


def damps(plan: Plan) -> bool:
    """Whether a plan with the dynamics of all modes, of fixed duration, has a scheme that damps them."""
    return not (plan.transcribed.options.collocation.is_symmetric or has_static_modes(plan) or plan.transcribed.is_free)


def doubled_and_damped(plan: Plan, damped: Plan) -> TranscriptionOptions:
    """Return twice the intervals of a plan with the scheme of a damped one.

    A symmetric scheme keeps what rings of the motion that it starts from, and may take hundreds of iterations over it.
    """
    scheme = damped.transcribed.options
    return _doubled(plan, replace(plan.transcribed.options, scheme=scheme.scheme, degree=scheme.degree))


def _halved(plan: Plan, options: TranscriptionOptions, most: Allowed, settings: Settings) -> TranscriptionOptions:
    """Return the options with half as long intervals where the local errors are large, everywhere if they are not."""
    errors = None if plan.mesh_errors is None else replace(plan.mesh_errors, allowed=most)
    spacings = []
    for i, t in enumerate(plan.transcribed.first):
        steps = t.mesh.shares
        halved = np.ones(len(steps), dtype=bool)
        if errors is not None and np.all(np.isfinite(of_intervals := errors.of_intervals(i))):
            halved = of_intervals > min(settings.small_error, settings.large_error * errors.excess_of_intervals)
        spacings.append(np.repeat(steps / np.where(halved, 2, 1), np.where(halved, 2, 1)))
    if errors is not None and errors.excess_of_intervals < settings.small_error:
        return _doubled(plan, options)
    return _spaced(options, spacings)


def _doubled(plan: Plan, options: TranscriptionOptions) -> TranscriptionOptions:
    return _spaced(options, [np.repeat(t.mesh.shares / 2, 2) for t in plan.transcribed.first])


def _spaced(options: TranscriptionOptions, spacings: list[np.ndarray]) -> TranscriptionOptions:
    counts = tuple(map(len, spacings))
    return replace(options, intervals=counts, spacing=tuple(tuple(one.tolist()) for one in spacings))
