"""Solvers of quadratic programmes that come with CasADi's wheel: HPIPM and BLASFEO, and where they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca

from flexblocks.errors import FlexblocksError, listing

LIBRARIES = ("hpipm", "blasfeo")
HEADERS = ("hpipm_d_ocp_qp_ipm.h", "blasfeo_target.h")


class SolverMissingError(FlexblocksError):
    """HPIPM or BLASFEO is not where CasADi's wheel has it."""


@dataclass(frozen=True)
class SolverLibraries:
    """Where libraries and headers are.

    Attributes
    ----------
    folder, headers : Path
    """

    folder: Path
    headers: Path

    @property
    def flags(self) -> tuple[str, ...]:
        """Options of a C compiler."""
        names = [f"-l{name}" for name in LIBRARIES]
        return (f"-I{self.headers}", f"-L{self.folder}", f"-Wl,-rpath,{self.folder}", *names)


def solver_libraries() -> SolverLibraries:
    """Return the folder of CasADi's wheel.

    Raises
    ------
    SolverMissingError
        It has no libraries, or no headers, of HPIPM and BLASFEO.
    """
    folder = Path(ca.__file__).parent
    headers = folder / "include"
    missing = [name for name in LIBRARIES if not list(folder.glob(f"*{name}.*"))]
    missing += [name for name in HEADERS if not (headers / name).is_file()]
    if missing:
        raise SolverMissingError(
            f"MPC: CasADi's folder {folder} has no {listing(missing)}; must be the wheel of casadi >= 3.6 for this "
            "platform, which has HPIPM and BLASFEO with their headers. Install it with pip, or take solver='condensed'."
        )
    return SolverLibraries(folder, headers)
