"""The state of a receding horizon among those of the closed loop: a key to its memory, and counters."""

from __future__ import annotations

from flexblocks.interfaces.variables import Variables, variables

# In the order of the C code.
COUNTERS = (
    "steps",
    "saturated",
    "qp_iterations",
    "most_qp_iterations",
    "second_iterations",
    "shifted_plans",
    "stabilised",
    "resets",
    "limited_references",
    "unknown_samples",
    "late_samples",
)


def memory_variables(name: str, coordinates: tuple[str, ...], units: tuple[str, ...]) -> Variables:
    """Return the states: at zero, where a run begins with a plan of its own.

    The estimated force on each coordinate has the unit of power over that of its rate.
    """
    entries = [("memory", "1"), ("time", "s"), ("failing", "1"), *((counter, "1") for counter in COUNTERS)]
    forces = [(f"force.{name}", f"J/({unit})") for name, unit in zip(coordinates, units, strict=True)]
    return variables("state", [(f"{name}.{entry}", unit, 0.0) for entry, unit in (*entries, *forces)])
