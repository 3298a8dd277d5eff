"""Integration methods for the two-link arm and their settings, for `benchmarks.simulation_accuracy`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import flexblocks as fb
from benchmarks.lumped_models import lumped_subudhi_morris
from benchmarks.motions import SAMPLE, Motion, by_exudyn, by_flexblocks, by_mujoco, by_pinocchio

TOLERANCES = tuple(10.0**-k for k in range(4, 11))


@dataclass(frozen=True)
class Method:
    """An integration method.

    Attributes
    ----------
    name : str
        Its first word is the package.
    unit : str
        Of the settings.
    settings : tuple of float
    run : callable
        From a setting to a motion.
    converge : callable
        The motion that counts as the package's exact one.
    """

    name: str
    unit: str
    settings: tuple[float, ...]
    run: Callable[[float], Motion]
    converge: Callable[[], Motion]

    @property
    def package(self) -> str:
        return self.name.split()[0]


def methods(there: list[str], dae: fb.DAE) -> list[Method]:
    """Return flexblocks' methods, then those of the installed packages."""
    compiled = dae.compile(strict=True)
    available = [
        _by_tolerance("flexblocks", lambda e: by_flexblocks(dae, rtol=e, atol=e / 100), 1e-12),
        _by_tolerance("flexblocks compiled", lambda e: by_flexblocks(compiled, rtol=e, atol=e / 100), 1e-12),
        _by_steps(
            "flexblocks rk4",
            (1000, 2000, 4000),
            lambda steps: by_flexblocks(dae, method="rk4", step=SAMPLE / steps),
            lambda: by_flexblocks(dae, rtol=1e-12, atol=1e-14),
        ),
    ]
    arm = lumped_subudhi_morris()
    if "mujoco" in there:
        for name, settings in (("RK4", (700, 800, 1000, 2000, 4000)), ("Euler", (1000, 4000, 16000, 64000))):
            available.append(
                _by_steps(
                    f"MuJoCo {name}",
                    settings,
                    lambda steps, name=name: by_mujoco(arm, steps, name),
                    lambda: by_mujoco(arm, 800),
                )
            )
    if "exudyn" in there:
        for name, settings in (
            ("RK44", (700, 800, 1000, 2000, 4000)),
            ("RK67", (1200, 1500, 2000)),
            ("GeneralizedAlpha", (500, 1000, 2000, 4000)),
        ):
            available.append(
                _by_steps(
                    f"Exudyn {name}",
                    settings,
                    lambda steps, name=name: by_exudyn(arm, steps, name),
                    lambda: by_exudyn(arm, 200, "RK67"),
                )
            )
    if "pin" in there:
        available.append(_by_tolerance("Pinocchio + DOP853", lambda e: by_pinocchio(arm, e), 1e-12))
    return available


def _by_tolerance(name: str, run: Callable[[float], Motion], finest: float) -> Method:
    return Method(name, "rtol", TOLERANCES, run, lambda: run(finest))


def _by_steps(
    name: str, settings: tuple[float, ...], run: Callable[[int], Motion], converge: Callable[[], Motion]
) -> Method:
    """Return a method whose settings are steps a second; `run` takes the number of steps between two samples."""
    return Method(name, "steps/s", settings, lambda k: run(round(k * SAMPLE)), converge)
