"""Export: FMUs; linear models for MATLAB, Python and JSON; equations as formulas and code; controllers in C."""

from typing import TYPE_CHECKING

from flexblocks.lazy_package import LazyPackage

if TYPE_CHECKING:
    from flexblocks.export.controllers import controller
    from flexblocks.export.equations import c_code, equations, save_equations
    from flexblocks.export.fmu import fmu
    from flexblocks.export.grid import save_grid
    from flexblocks.export.linear import linear_schema, save_linear
    from flexblocks.export.report import report

    __all__ = [
        "c_code",
        "controller",
        "equations",
        "fmu",
        "linear_schema",
        "report",
        "save_equations",
        "save_grid",
        "save_linear",
    ]
else:
    LazyPackage.make(
        __name__,
        [
            {
                "flexblocks.export.grid": ["save_grid"],
                "flexblocks.export.linear": ["linear_schema", "save_linear"],
            },
            {
                "flexblocks.export.equations": ["c_code", "equations", "save_equations"],
            },
            {
                "flexblocks.export.fmu": ["fmu"],
            },
            {
                "flexblocks.export.controllers": ["controller"],
            },
            {
                "flexblocks.export.report": ["report"],
            },
        ],
        [],
    )
