"""Export of an arm as a Functional Mock-up Unit."""

from __future__ import annotations

import hashlib
import math
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from importlib.metadata import version as installed_version
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Literal

import numpy as np

from flexblocks.constraints.singularities.singular_posture import refuse_singular_start
from flexblocks.control.controller import Controller
from flexblocks.control.saturation import with_saturated_inputs
from flexblocks.dae.compiler import CompilerError
from flexblocks.dae.dae import DAE
from flexblocks.dae.require_differentiable import foreign_sources, require_expressions
from flexblocks.dynamics.tree.charts import chart_functions
from flexblocks.errors import FileFormatError, NameUnknownError, ParameterError, meant
from flexblocks.export.fmu import fmi2, fmi3
from flexblocks.export.fmu.archive import write_archive
from flexblocks.export.fmu.binary import compiled, platform_folder
from flexblocks.export.fmu.dependencies import dependencies
from flexblocks.export.fmu.description import Description
from flexblocks.export.fmu.generate import generated_equations, generated_sensitivities, model_header
from flexblocks.export.fmu.names import identifier
from flexblocks.export.fmu.variables import table
from flexblocks.files import expanded
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import NOT_COMPILED

VERSIONS: Mapping[str, ModuleType] = {"2.0": fmi2, "3.0": fmi3}
KINDS = ("ModelExchange", "CoSimulation")
NAMESPACE = uuid.UUID("0d1f3c55-6f0a-4b0e-9b0e-6c3f0f1a7d52")


def fmu(
    dae: DAE | Controller,
    path: str | Path,
    version: Literal["3.0", "2.0"] = "3.0",
    kind: str | Sequence[str] = KINDS,
    *,
    outputs: Sequence[str] | None = None,
    saturate: bool = False,
    tolerance: float = 1e-9,
    stop_time: float = 10.0,
    binary: bool | None = None,
) -> Path:
    """Export an arm as a Functional Mock-up Unit (FMU), for Simulink, Modelica tools, FMPy and others.

    Parameters
    ----------
    dae : DAE or Controller
        Its symbolic parameters become tunable parameters of the FMU, with the model's values as start values. A
        `flexblocks.control.controller` by itself has as inputs what it measures and its references, as outputs its
        commands or estimates.
    path : str or Path
        ``arm.fmu``; the stem is also the name of the library inside.
    version : {"3.0", "2.0"}
        Version of the Functional Mock-up Interface. Most tools read 2.0 today, some of them nothing else: take
        ``"2.0"`` where one refuses the file. 3.0 adds sources that importers compile by themselves, and adjoint
        derivatives.
    kind : str or sequence of str
        ``"ModelExchange"``: the importing tool integrates. ``"CoSimulation"``: the FMU integrates itself. By default
        one FMU supports both.
    outputs : sequence of str, optional
        Names of outputs, states and algebraic variables that become outputs of the FMU, or of the motion of frames (see
        `DAE.with_outputs`); by default the outputs of the DAE. All its other variables can be read as well.
    saturate : bool
        Whether inputs are clipped inside the FMU at the limits of their actuators (``limit`` of a source), as their
        descriptions then say. By default they are applied as they are set, and the limits are their declared ``min``
        and ``max``.
    tolerance : float
        Relative tolerance of the integration in co-simulation, unless the importer sets one; the absolute tolerance is
        a hundredth of it, in the unit of each state.
    stop_time : float
        End of the default experiment [s], which tools propose to the user of the FMU; it starts at 0 s, and proposes
        an interval of a five-hundredth of it between outputs.
    binary : bool, optional
        Whether to include a library compiled for this machine; by default if there is a C compiler. The C sources are
        always included, so that it can be compiled elsewhere.

    Returns
    -------
    Path
        The FMU file.

    Raises
    ------
    FileFormatError
        The suffix is not ``.fmu``, or the folder does not exist.
    ParameterError
        An invalid version, kind, tolerance or stop time; or two variables with the same name.
    NameUnknownError
        An unknown output.
    SingularMassError
        At the start values the mass matrix is singular: the FMU could not be initialised.
    flexblocks.dae.compiler.CompilerError
        The C compiler fails; or there is none, with ``binary=True``.

    Warns
    -----
    FlexblocksWarning
        There is no C compiler, and `binary` is None: the FMU contains sources only.

    Notes
    -----
    Names are those of the DAE, ``link1.bending_y[1]``, ``der(joint1.angle)``; accelerations are
    ``der(joint1.angle,2)``. Units are defined by SI base units and written as Modelica does, ``N.m``. Algebraic
    variables are solved for internally, by Newton's method with the exact Jacobian; if that fails, the status is
    ``Discard`` and the message states the time. Co-simulation integrates with the order-8 Dormand-Prince method
    (DOP853) with error control; inputs are constant between communication points, or linear where the importer sets
    their derivatives (2.0). The states of sampled controllers are discrete. Their ticks are time events in model
    exchange; in co-simulation a tick at a communication point takes place at the start of the step that begins there,
    so that it sees the inputs set for that step. Directional derivatives (and adjoint ones, 3.0) are exact. The state
    can be saved, restored and serialised. Export is reproducible: the same DAE gives the same file, byte for byte, up
    to the output of the compiler.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import export, models
    >>> dae = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))
    >>> export.fmu(dae, "arm.fmu")  # doctest: +SKIP
    """
    path = _checked_path(path)
    kinds = _checked(version, kind)
    if isinstance(dae, Controller):
        dae = dae.dae
    if not (isinstance(tolerance, (int, float)) and 0 < tolerance < 1):
        raise ParameterError(f"fmu: tolerance = {tolerance!r}; must be a number > 0 and < 1.")
    if not (isinstance(stop_time, (int, float)) and 0 < stop_time < math.inf):
        raise ParameterError(f"fmu: stop_time = {stop_time!r}; must be a number > 0 s.")
    require_expressions(dae, "fmu", sampled=False)
    foreign = {f"{name}.c": source for name, source in foreign_sources(dae.clocks, "fmu").items()}
    refuse_singular_start(dae, "fmu: at the start values ")
    if outputs is not None:
        dae = _observed(dae, outputs)
    clipped = dae.u.limits if saturate else np.full(len(dae.u), np.inf)
    if saturate:
        dae = with_saturated_inputs(dae)
    variables = table(dae, outputs, clipped)
    sources = _sources(version) | foreign
    code = {
        "generated_equations.h": generated_equations(dae),
        "generated_sensitivities.h": generated_sensitivities(dae),
    }
    name = identifier(path.stem)
    description = Description(
        name=dae.name,
        identifier=name,
        token=_token(
            *code.values(),
            *foreign.values(),
            name,
            version,
            *kinds,
            *map(repr, variables.variables),
            repr(tolerance),
            repr(float(stop_time)),
        ),
        kinds=kinds,
        tool=f"flexblocks {installed_version('flexblocks')}",
        tolerance=float(tolerance),
        stop_time=float(stop_time),
        sources=tuple(source for source in sources if source.endswith(".c")),
        table=variables,
        charts=bool(chart_functions(dae.tree)),
        **dict(zip(("rates", "outputs", "algebraics"), dependencies(dae), strict=True)),
    )
    sources |= code | {"model.h": model_header(dae, name, description.token, kinds, description.tolerance)}
    content: dict[str, str | bytes] = {"modelDescription.xml": VERSIONS[version].model_description(description)}
    content |= _library(description, sources, version, binary)
    content |= {f"sources/{source}": text for source, text in sources.items()}
    if version == "3.0":
        content["sources/buildDescription.xml"] = fmi3.build_description(description)
    content["documentation/licenses/flexblocks.txt"] = files("flexblocks.export.fmu").joinpath("c/LICENSE").read_text()
    write_archive(path, content)
    return path


def _observed(dae: DAE, outputs: Sequence[str]) -> DAE:
    try:
        return dae.with_outputs(outputs)
    except NameUnknownError as error:
        raise NameUnknownError(f"fmu: outputs: {error}") from None


def _checked_path(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix.lower() != ".fmu":
        raise FileFormatError(f"fmu: {path}: suffix '{path.suffix}'; must be .fmu.")
    if not expanded(path).parent.is_dir():
        raise FileFormatError(f"fmu: {path}: there is no folder '{path.parent}'.")
    return path


def _checked(version: str, kind: str | Sequence[str]) -> tuple[str, ...]:
    if version not in VERSIONS:
        raise ParameterError(f"fmu: version = {version!r}; must be one of {', '.join(map(repr, VERSIONS))}.")
    kinds = (kind,) if isinstance(kind, str) else tuple(kind)
    for one in kinds:
        if one not in KINDS:
            told = f"must be {' or '.join(map(repr, KINDS))}, or both."
            raise ParameterError(f"fmu: kind = {one!r}{meant(one, KINDS, told)}")
    if not kinds:
        raise ParameterError(f"fmu: kind is empty; must be {' or '.join(map(repr, KINDS))}, or both.")
    return tuple(one for one in KINDS if one in kinds)


def _sources(version: str) -> dict[str, str]:
    """Return the hand-written C files of an FMI version, by name."""
    interface = f"fmi{version[0]}"
    by_name = {}
    for file in sorted(files("flexblocks.export.fmu").joinpath("c").iterdir(), key=lambda file: file.name):
        stem, _, suffix = file.name.rpartition(".")
        if suffix in ("c", "h") and (not stem.startswith("fmi") or stem == interface):
            by_name[file.name] = file.read_text(encoding="utf-8")
    return by_name


def _token(*content: str) -> str:
    """Return a name-based GUID (UUID version 5): the same for the same content."""
    digest = hashlib.sha256("\0".join(content).encode()).hexdigest()
    return "{" + str(uuid.uuid5(NAMESPACE, digest)) + "}"


def _library(
    description: Description, sources: Mapping[str, str], version: str, binary: bool | None
) -> dict[str, bytes]:
    """Return the compiled library by its path in the FMU; empty if it is not wanted or there is no compiler."""
    if binary is False:
        return {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "sources")
        folder.mkdir()
        for name, text in sources.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        try:
            library = compiled(folder, description.sources, description.identifier)
        except CompilerError as error:
            if binary or "no C compiler" not in str(error):
                raise
            warn(f"{error} The FMU now holds sources alone: importers that compile can use it.", NOT_COMPILED)
            return {}
        return {f"binaries/{platform_folder(version)}/{library.name}": library.read_bytes()}
