"""Export of a law or an observer as a digital controller in C99."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Literal

from flexblocks.control.controller import controller as controller_of
from flexblocks.control.estimation.observer import Observer
from flexblocks.control.law import Bindable
from flexblocks.dae.dae import DAE
from flexblocks.errors import FileFormatError, ParameterError
from flexblocks.export.controllers.build_file import build_file
from flexblocks.export.controllers.receding import receding_files
from flexblocks.export.controllers.recorded_run import recorded_run
from flexblocks.export.controllers.ros2_example import ros2_example
from flexblocks.export.controllers.self_test import self_test
from flexblocks.export.controllers.source import Code, header, source
from flexblocks.export.equations.c_real import real_type
from flexblocks.export.equations.write import checked_identifier
from flexblocks.files import expanded, write_texts
from flexblocks.optim.receding.mpc import MPC


def controller(
    law: Bindable | Observer,
    dae: DAE,
    sample_time: float,
    path: str | Path,
    *,
    real: Literal["double", "float"] = "double",
    measured: Sequence[str] | None = None,
    limits: bool = True,
) -> tuple[Path, ...]:
    """Write a law or an observer as a digital controller in C99: state, init and step, for any small computer.

    Parameters
    ----------
    law : Bindable or Observer
        What `flexblocks.control.Sampled` takes, such as `PD`, `LQG` and sums of laws; or a `Sampled` law, with its
        delay; or an observer alone. Of an `optim.MPC` the files are ``ctl.h`` and ``ctl.c``, C11 that needs no other
        library and takes no memory, a self-test and ``CMakeLists.txt``; it measures the states of its model.
    dae : DAE
        The arm.
    sample_time : float
        [s]
    path : str or Path
        Folder, made if there is none; all names begin with its name. Of ``ctl/`` the files are ``ctl.h`` and ``ctl.c``,
        a self-test ``ctl_test.c``, ``CMakeLists.txt``, and ``ctl_ros2_control.cpp``, an example of a controller for
        ros2_control around it.
    real : "double" or "float"
        Type of all numbers.
    measured, limits
        As for `flexblocks.control.controller`.

    Returns
    -------
    tuple of Path
        Header, source, self-test, build file, example.

    Raises
    ------
    FileFormatError
        There is a file in place of the folder, or its parent does not exist.
    ParameterError
        The name of the folder is no C identifier; the law uses what is not measured, or computes with an operation
        that C does not have; `real` is no such type, or a number is beyond its range.
    ComputationError
        The closed loop cannot be simulated over the samples that the self-test records.
    FlexblocksError
        What `flexblocks.control.close_loop` raises for this law.

    Notes
    -----
    ``ctl_step(measured, reference, &state, inputs)`` is one sample: arrays whose indices have names in the header,
    ``CTL_MEASURED_JOINT1_ANGLE``. It does the operations of the sampled loop in their order: commands of C in double
    are those of `flexblocks.simulate` to the last digit, where compiler and libm do not contract or approximate; of C
    in float they are within 1e-4. A delay of whole samples is inside; the rest of a delay is what
    ``ctl_release(&state, inputs)`` is called for, so much later than the step. Before the first command takes effect
    inputs are 0.

    The self-test steps the controller along a recorded run of the closed loop, or of the arm; its exit code is 0 if
    all agrees.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import control, export, models
    >>> dae = fb.assemble(models.subudhi_morris_2002())
    >>> law = control.PD({"rotor1.angle": "motor1.torque", "rotor2.angle": "motor2.torque"}, kp=5.0, kd=0.5)
    >>> export.controller(law, dae, 1e-3, "ctl/", real="float")  # doctest: +SKIP
    """
    folder = _checked_folder(path)
    number = real_type(real, "controller")
    stem = checked_identifier(expanded(folder).resolve().name)
    if isinstance(law, MPC):
        if number.name != "double":
            raise ParameterError(f"controller: real = {real!r}; must be 'double' for an MPC.")
        files = {f"{stem}{end}": text for end, text in receding_files(law, dae, sample_time, stem).items()}
        made = {folder / name: text for name, text in (files | {"CMakeLists.txt": build_file(stem, 11)}).items()}
        expanded(folder).mkdir(exist_ok=True)
        write_texts(made)
        return tuple(made)
    built = controller_of(law, dae, sample_time, measured=measured, limits=limits)
    code = Code(stem, built, number, f"flexblocks {installed_version('flexblocks')}")
    texts = {
        folder / f"{stem}.h": header(code),
        folder / f"{stem}.c": source(code),
        folder / f"{stem}_test.c": self_test(code, recorded_run(built, limits)),
        folder / "CMakeLists.txt": build_file(
            stem, 11 if code.foreign else 99, [f"{stem}_{name}" for name in code.foreign]
        ),
        folder / f"{stem}_ros2_control.cpp": ros2_example(code),
    } | {folder / f"{stem}_{name}.c": text for name, text in code.foreign.items()}
    expanded(folder).mkdir(exist_ok=True)
    write_texts(texts)
    return tuple(texts)


def _checked_folder(path: str | Path) -> Path:
    folder = Path(path)
    if expanded(folder).exists() and not expanded(folder).is_dir():
        raise FileFormatError(f"controller: {path}: is a file; must be a folder, such as 'ctl/'.")
    if not expanded(folder).resolve().parent.is_dir():
        raise FileFormatError(f"controller: {path}: there is no folder '{folder.parent}'.")
    return folder
