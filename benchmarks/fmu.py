"""FMUs in FMPy against `fb.simulate`: ``python -m benchmarks.fmu``."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import fmpy
import numpy as np
from rich.console import Console
from rich.table import Table

import flexblocks as fb
from flexblocks import export, models

KINDS = ("ModelExchange", "CoSimulation")
TOLERANCES = (1e-8, 1e-9, 1e-10, 1e-11)
SAMPLES = np.linspace(0.0, 0.5, 51)


def main() -> None:
    dae = fb.assemble(models.subudhi_morris_2002())
    signal = fb.piecewise_constant([0.0, 0.2, 0.4], [0.2, -0.2, 0.0])
    corners = [(0.0, 0.2), (0.2, 0.2), (0.2, -0.2), (0.4, -0.2), (0.4, 0.0), (0.5, 0.0)]
    inputs = np.array(corners, dtype=[("time", float), ("motor1.torque", float)])
    exact = fb.simulate(dae, SAMPLES, u={"motor1.torque": signal}, rtol=1e-12, atol=1e-14)
    names = [*dae.x.names, *dae.y.names]
    rates = [name for name in names if name.startswith("der(")]
    table = Table("FMU in FMPy", "tolerance", "rates (rad/s, m/s)", "everything else (rad, m)", "time (s)")
    with tempfile.TemporaryDirectory() as folder:
        for version in ("2.0", "3.0"):
            path = str(export.fmu(dae, Path(folder, f"arm{version[0]}.fmu"), version))
            for kind in KINDS:
                for tolerance in TOLERANCES:
                    start = time.perf_counter()
                    result = fmpy.simulate_fmu(
                        path, fmi_type=kind, stop_time=0.5, output_interval=0.01, input=inputs, output=names,
                        record_events=False, relative_tolerance=tolerance,
                    )  # fmt: skip
                    taken = time.perf_counter() - start
                    error = {name: np.max(np.abs(result[name] - exact[name])) for name in names}
                    fast = max(error[name] for name in rates)
                    slow = max(error[name] for name in names if name not in rates)
                    table.add_row(f"{version} {kind}", f"{tolerance:g}", f"{fast:.1e}", f"{slow:.1e}", f"{taken:.2f}")
    Console(width=120).print(table)
    print(f"largest rate {max(np.max(np.abs(exact[name])) for name in rates):.0f} rad/s")


if __name__ == "__main__":
    main()
