"""C code generation for an arm: a source and a header with its equations and functions, and a self-test program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.errors import FileFormatError
from flexblocks.export.equations.c import body, comment, prototype
from flexblocks.export.equations.c_functions import Exported, exported
from flexblocks.export.equations.c_real import Real, real_type
from flexblocks.export.equations.c_self_test import self_test
from flexblocks.export.equations.write import checked_identifier
from flexblocks.files import write_texts


def c_code(
    dae: DAE,
    path: str | Path,
    names: Mapping[str, str] | None = None,
    functions: Iterable[str | ca.Function] | None = None,
    *,
    real: Literal["double", "float"] = "double",
) -> tuple[Path, Path, Path]:
    """Generate C99 code for an arm: a header, a source, and a self-test that checks the source against stored values.

    Parameters
    ----------
    dae : DAE
    path : str or Path
        ``arm.c``; ``arm.h`` and ``arm_test.c`` are written next to it.
    names : dict of str, optional
        Custom names for variables, see `equations`.
    functions : iterable of str or casadi.Function, optional
        Functions to generate; by default ``"equations"``, ``"inverse_dynamics"``, ``"forward_dynamics"``, ``"output"``
        and ``"energy"``, of sampled loops also ``"update"``, the states after a tick of the controller's clock (that
        of the second clock is ``update_2``, and so on). Other names are ``"mass_matrix"``, ``"input_force"``,
        ``"algebraic"`` and ``"motion"``. A user-defined function takes vectors named as those of the DAE's functions:
        q, v, a, x, w (first-order states), z, u, p. Jacobians are
        ``dae.forward_dynamics.factory("linear", ["x", "u", "p"], ["jac:dx:x", "jac:dx:u"])``.
    real : "double" or "float"
        Type of all numbers.

    Returns
    -------
    tuple of Path
        Source, header, self-test. ``cc -std=c99 arm.c arm_test.c -lm -o arm_test && ./arm_test`` reports whether
        every function agrees with flexblocks to 1e-12 of its largest entry (float: 1e-3); its exit code is 0 if all do.

    Raises
    ------
    FileFormatError
        The suffix is not ``.c``.
    ParameterError
        `real` is no such type; the file stem is not a valid C identifier, the model contains an operation that C does
        not have, or a user-defined function takes arguments other than these vectors.
    NameUnknownError
        There is no function of that name.

    Notes
    -----
    Functions are called ``arm_forward_dynamics`` and so on; they take and fill arrays, allocate nothing and may be
    called from several threads at once. Functions without results are left out.
    """
    path = Path(path)
    if path.suffix != ".c":
        raise FileFormatError(f"c_code: {path}: suffix '{path.suffix}'; must be .c.")
    number = real_type(real, "c_code")
    stem = checked_identifier(path.stem)
    functions_of_arm = exported(dae.interpreted, stem, names, functions)
    texts = {
        path: _source(stem, functions_of_arm, number),
        path.with_suffix(".h"): _header(stem, functions_of_arm, number),
        path.with_name(f"{stem}_test.c"): self_test(stem, functions_of_arm, number),
    }
    write_texts(texts)
    source, header, test = texts
    return source, header, test


def _header(stem: str, functions: list[Exported], real: Real) -> str:
    guard = f"{stem.upper()}_H"
    blocks = [f"{comment(f.routine, f.statement)}\n{prototype(f.routine, f.name, real)};" for f in functions]
    start = f'#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif'
    return "\n\n".join([start, *blocks, "#ifdef __cplusplus\n}\n#endif\n\n#endif"]) + "\n"


def _source(stem: str, functions: list[Exported], real: Real) -> str:
    return (
        "\n\n".join(
            [f'#include "{stem}.h"\n\n#include <math.h>', *(body(f.routine, f.name, real=real) for f in functions)]
        )
        + "\n"
    )
