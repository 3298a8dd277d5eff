"""Kinds of warnings: of each its symptom, cause and remedy, which docs/troubleshooting.md lists, and its category."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.errors import FlexblocksWarning, LargeDeflectionWarning, ModelWarning

PAGE = "https://github.com/flexblocks/flexblocks/blob/main/docs/troubleshooting.md"


@dataclass(frozen=True)
class WarningKind:
    """A kind of warning, with its entry in the troubleshooting page.

    Attributes
    ----------
    name : str
        Of the entry, ``"energy-balance"``.
    symptom : str
        What the message says.
    cause, remedy : str
    category : type
        Of the warnings of this kind.
    """

    name: str
    symptom: str
    cause: str
    remedy: str
    category: type[FlexblocksWarning] = FlexblocksWarning


# Models
MATERIAL_UNITS = WarningKind(
    "material-units",
    "Material: density or modulus is lighter, heavier, softer or stiffer than any material",
    "Density or Young's modulus was given in g/cm3, GPa or N/mm2.",
    "Give density in kg/m3 and moduli in Pa.",
    ModelWarning,
)
BODY_UNITS = WarningKind(
    "body-units",
    "FlexibleBody: sizes, masses or stiffnesses look as if their units were off",
    "Finite-element programs often work in mm, t and MPa.",
    "Convert matrices and nodes to m, kg and N/m.",
    ModelWarning,
)
SID_FREQUENCIES = WarningKind(
    "sid-frequencies",
    "A frequency of Ke and Me differs from the one named in the SID file",
    "Units differ, or the frequencies in the file are those of another boundary condition.",
    "Check units, and what the body carried when the file was written.",
    ModelWarning,
)
IMPLAUSIBLE_SIZES = WarningKind(
    "implausible-sizes",
    "assemble: a length, section, mass, inertia, rigidity or gravity is orders of magnitude off",
    "Lengths in mm, masses in g, inertias in kg mm2 or rigidities in N mm2 among quantities in SI units.",
    "Convert to m, kg, kg m2 and N m2; `print(model.check())` lists all of them.",
    ModelWarning,
)
BLOCK_REMARK = WarningKind(
    "block-remark",
    "assemble: a block reports that its parameters do not suit this arm",
    "A beam is rigid by default, has modes of a free tip under a payload, or bears a load that cannot bend it.",
    "The message names the parameter and a value that suits.",
    ModelWarning,
)
MODAL_DAMPING = WarningKind(
    "modal-damping",
    "assemble: damping_ratio is that of the clamped beam; in this arm modes have ...",
    "The ratio is that of a beam clamped to a wall. In an arm the root yields, and damping rises with frequency.",
    "Use `fb.choose_damping(model, ratio)`, and add rotors to driven joints.",
    ModelWarning,
)
HELD_ENDS = WarningKind(
    "held-ends",
    "assemble: the discretisation has no bending moment at an end that is held",
    "Modes of free tips or pinned roots have no curvature there; one strain function bears no force and moment.",
    'Use `FiniteElements(n)`, `StrainModes(2)` or more, or `tip="auto"`.',
    ModelWarning,
)
SLENDER_THEORY = WarningKind(
    "slender-theory",
    "A beam is too short and thick for Euler-Bernoulli theory at these frequencies",
    "Shear and rotary inertia lower the frequencies of short beams.",
    "Use `shear=True, rotary_inertia=True`.",
    ModelWarning,
)
LEFT_OUT_PLANES = WarningKind(
    "left-out-planes",
    "A beam bends along one axis alone, where a force would deflect it along another",
    "The plane of bending was chosen for joints, and a force acts across it.",
    'Give the beam `bending="yz"`.',
    ModelWarning,
)
CLOSED_START = WarningKind(
    "closed-start",
    "assemble: beams are bent at the start, or start values moved far to close loops",
    "Lengths and start values do not close the loops, or close them in another assembly of the linkage.",
    "Check lengths and start values; `dae.closed_start` lists everything that moved.",
)
LOCK_BEYOND_LIMITS = WarningKind(
    "lock-beyond-limits",
    "A coordinate is locked beyond its limits",
    "The value of `locked=` or `lock=` lies outside the limits of the joint.",
    "Lock it within its limits, or widen these.",
)
LOST_LIMITS = WarningKind(
    "lost-limits",
    "change_coordinates: limits are lost",
    "No new coordinate equals the limited one.",
    "Keep that joint by name, with a row of T that is one in its column, or limit plans themselves.",
)
DEGREES = WarningKind(
    "degrees",
    "An angle is many turns",
    "The angle was given in degrees.",
    "Use radians: `math.radians(90)`.",
)
FILE_LEAVES_OUT = WarningKind(
    "file-leaves-out",
    "Meshes or other items of a URDF or MJCF file are left out",
    "The files are missing, or flexblocks has no counterpart.",
    "`robot.left_out` lists them. Add what matters for dynamics by blocks.",
)
LINK_MASS = WarningKind(
    "link-mass",
    "A link has another mass in the file than the beam or body that takes its place",
    "The flexible part models the structure alone, without motors and covers.",
    "Add the difference as a `RigidBody` or `LumpedMass`.",
)
MESH_ELSEWHERE = WarningKind(
    "mesh-elsewhere",
    "A mesh names a file that is not read",
    "For safety, files are read from the folder of the mesh and its neighbours only.",
    "Copy the file there, and name it relative to the mesh.",
)
NO_DAMPING_FITS = WarningKind(
    "no-damping-fits",
    "choose_damping: no damping brings all modes nearer to the ratio",
    "Other blocks damp these modes already, or several modes contradict each other.",
    "Choose fewer modes, or reduce the damping of other blocks.",
    ModelWarning,
)

# Motions and equilibria
LARGE_DEFLECTIONS = WarningKind(
    "large-deflections",
    "A beam deflects by more than its linear theory allows",
    "Modes and elements are linear in deflection; foreshortening and stiffening by tension are left out.",
    "Use `stiffening=True`, or for large deflections `StrainModes(n)`; else limit the motion.",
    LargeDeflectionWarning,
)
FREQUENCY_ERRORS = WarningKind(
    "frequency-errors",
    "Frequencies of a linear model are off",
    "Beams are loaded or bent at the operating point, and their theory leaves out what that does to bending.",
    "Use `stiffening=True` or `StrainModes(n)`.",
    LargeDeflectionWarning,
)
ENERGY_BALANCE = WarningKind(
    "energy-balance",
    "Energies are out of balance: the motion is not accurate",
    "Steps are too long, tolerances too loose, or an input has a pulse that no step meets.",
    "Lower `rtol` and `atol`, or the step; state pulses by `fb.Signal(f, breakpoints=[...])`.",
)
DISSIPATED_VIBRATION = WarningKind(
    "dissipated",
    "An implicit method took much energy out of vibrations",
    "The step is longer than the period of a vibration that matters, or the linkage snaps through.",
    "Reduce `step=`, or raise `highest=` above the frequency that matters.",
)
INPUT_LIMITS = WarningKind(
    "input-limits",
    "An input exceeds the limit of its actuator",
    "Simulations apply inputs as given.",
    "Use `saturate=True`, a smaller input, or a larger actuator.",
)
OUTPUT_RANGES = WarningKind(
    "output-ranges",
    "An equilibrium lies beyond the range of an output",
    "A cylinder or a sliding part rests beyond its stroke.",
    "Hold other coordinates, or correct the geometry.",
)
STATE_RANGES = WarningKind(
    "state-ranges",
    "A state is beyond the range in which its block holds",
    "A pressure falls below vacuum, or a joint passes its limits, which exert no force.",
    "Change the motion, or add `EndStops`; plans keep limits of joints by themselves.",
)
CHANGE_POINT = WarningKind(
    "change-point",
    "A linkage passed a change point, where assemblies meet",
    "With its links in line the closures do not determine how the linkage moves on; rounding decides.",
    "Start beyond the point, give more coordinates, make lengths unequal, or add a second linkage out of phase.",
)
OTHER_ASSEMBLY = WarningKind(
    "other-assembly",
    "Loops open on the way to a posture; it may belong to another assembly",
    "No continuous closed motion was found from the start values.",
    "Start closer to the posture, or give more coordinates.",
)
MANY_EQUILIBRIA = WarningKind(
    "many-equilibria",
    "There are many equilibria, and the nearest was not found",
    "Free coordinates or inputs leave a continuum of equilibria.",
    "Hold more coordinates or inputs.",
)
NOT_AT_REST = WarningKind(
    "not-at-rest",
    "linearize: the point is not an equilibrium",
    "Forces at the point do not balance; the model holds for a short time only.",
    "Use `fb.equilibrium` for the point.",
)
GRID_ERRORS = WarningKind(
    "grid-errors",
    "The interpolation error of a grid is large, or its tolerance was not reached",
    "Postures are too far apart, or an eigenvalue passes through zero.",
    "Refine the grid by points of its own or `tolerance=`.",
)
RUNS_STOPPED = WarningKind(
    "runs-stopped",
    "Some runs of a batch or rollout stopped early and are nan from there on",
    "Their motion diverges, or steps are too long for the fastest mode.",
    "Check their inputs and start values; take smaller steps.",
)
NOT_COMPILED = WarningKind(
    "not-compiled",
    "A stepper, FMU or predictive controller could not be compiled",
    "There is no C compiler, or its cache is not writable.",
    "Install gcc or clang, or set FLEXBLOCKS_CACHE; without it results are the same, and slower.",
)
INTERRUPTED = WarningKind(
    "interrupted",
    "A computation was interrupted; its result ends early",
    "Ctrl-C, or a time limit.",
    "Studies continue with the same store; other computations start again.",
)
CASES_FAILED = WarningKind(
    "cases-failed",
    "Cases of a study failed",
    "Each failed case has its own error.",
    "Read the variable `error`; repeat with `retry=True`.",
)
CASES_WARNED = WarningKind(
    "cases-warned",
    "Cases of a study warned",
    "Each such case has its own warning.",
    "Read the variable `warning`.",
)

# Control and identification
UNREAD_SENSORS = WarningKind(
    "unread-sensors",
    "close_loop: the law does not measure what a sensor measures",
    "The sensor is of a signal that neither law nor observer reads.",
    "Leave it out, or name its signal in the law.",
)
UNSTABLE_OBSERVER = WarningKind(
    "unstable-observer",
    "Luenberger: the estimation error grows",
    "An eigenvalue of A - L C is unstable, or a state cannot be observed.",
    "Choose L by `poles=` or a Kalman filter, or measure more.",
)
NO_TIME_SCALES = WarningKind(
    "no-time-scales",
    "singular_perturbation: no two time scales",
    "The slow law is as fast as the slowest elastic mode.",
    "Reduce the gains of the slow law, or leave the softest blocks out of `stiff=`.",
)
POOR_FIT = WarningKind(
    "poor-fit",
    "The data do not determine a parameter, residuals exceed the noise, or the search ended early",
    "The motion does not excite the parameter, the model lacks an effect, or guesses are far off.",
    "Record richer motions (`optim.Excitation`), name fewer parameters, give priors, or extend the model.",
)

KINDS = tuple(value for value in vars().copy().values() if isinstance(value, WarningKind))
