"""The numbers by which a plan is searched for, in one table, each with its unit and its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """How long each rung of the ladder is given, how large its steps are, and where it ends.

    "By trial" is all that is known of some: they were chosen on the two-link arm of Subudhi & Morris and the arms of
    the tests, and not compared with others. The figures are those of docs/planning.md.

    Attributes
    ----------
    patience : int
        Iterations of a solve after which another way is tried: three times the most that was seen of one that gets
        there, 14 to 67 for least effort and 31 to 158 for the shortest time.
    near_barrier : float
        IPOPT's ``mu_init`` for a start near by, as from another objective or another model of the arm. From its default
        of 0.1 the barrier first drives the iterates off the motion that is there. The value by trial.
    refined_barrier : float
        ``mu_init`` from the same motion on a coarser mesh, which is nearer still: the three phases of
        optim/examples/pick_carry_release.py take 12 iterations a refinement instead of 20.

    stretches : tuple of float
        Durations of the first stage, of least effort, as shares of what the rigid arm needs on a quintic at its limits.
        A flexible arm takes longer, and where a duration fails the next one is easier. 100 of 100 random pairs get
        there. The values by trial.
    softenings : tuple of float
        Weights of the effort in the stages between least effort and the objective asked for, as shares of the weight at
        which both count alike: a factor of ten from stage to stage. By trial.

    obstacle_patience : int
        Iterations from the free optimum with all obstacles, before a detour is tried. By trial.
    detour_patience : int
        Iterations from a detour, before obstacles are grown. As `patience`.
    detour_tries : int
        Postures tried for the detour, a power of two as Sobol points want it. By trial: the tests' obstacles, of which
        the way on from the free optimum does not get clear, are passed so.
    detour_spread : float
        How far from the middle of the way they lie, either way [rad or m]: 0.8 of a turn of each joint in all.
    detour_points : int
        Points along the way at which a detour is judged: 1.25 % of the duration from each to the next.
    intrusions : tuple of float
        How far into an obstacle the motion may still go as it grows, as shares of the free optimum's. By trial.

    stiffer : tuple of float
        Factors on all stiffnesses of the arms that are planned for on the way, stiffest first. 25 make frequencies five
        times higher, next to a rigid arm, which is what the first guess is of; from there to the arm itself in equal
        factors. The values by trial.

    most_intervals : int
        Of a phase, beyond which a mesh is refined no further. Plans that settle do so by 160: five times as many
        leave room. By trial.
    raised_degree : int
        Up to which points are added to a symmetric scheme before intervals are halved. More points resolve the motion
        under inputs that stay as coarse as they were: shortest times mostly settle at degree 4 or 6.
    most_intrusion : float
        How far a replay may go into a region that it keeps out of, or out of one it keeps in [m]. A choice:
        what counts as kept.
    most_excess : float
        By how much a replay may exceed any other limit, as a share of it. A choice, likewise.

    most_model_steps : int
        How often a plan is made again on a richer model before the audit is given up. One mode is added at a time, and
        the default reference for n modes has n + 2 more: enough for six modes a beam.
    """

    patience: int = 500
    near_barrier: float = 1e-3
    refined_barrier: float = 1e-6

    stretches: tuple[float, ...] = (1.25, 1.8, 2.6)
    softenings: tuple[float, ...] = (1.0, 0.1, 0.01)

    obstacle_patience: int = 150
    detour_patience: int = 500
    detour_tries: int = 128
    detour_spread: float = 2.5
    detour_points: int = 81
    intrusions: tuple[float, ...] = (0.75, 0.5, 0.25, 0.1)

    stiffer: tuple[float, ...] = (25.0, 5.0)

    most_intervals: int = 800
    raised_degree: int = 6
    most_intrusion: float = 1e-3
    most_excess: float = 0.01

    most_model_steps: int = 8


SETTINGS = Settings()

# Share of the duration by which a time may lie beyond a mesh point and still belong to the interval before it: times
# are read off another mesh by multiplication, which rounds.
SAME_TIME = 1e-9
