"""Sensor of the mass, the centre of mass and the momenta of the whole arm."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.interfaces import Block, Frame, Local, Output, Physics


@dataclass(frozen=True)
class TotalMomentum(Block):
    """An ideal sensor of the mass, the centre of mass and the momenta of the whole arm. It is connected to nothing.

    Parameters
    ----------
    name : str

    Notes
    -----
    Outputs in world axes: ``mass`` [kg]; ``center_x``, ``_y``, ``_z`` [m], the centre of mass; ``momentum_x``, ...
    [kg m/s]; ``angular_momentum_x``, ... [kg m2/s], about the centre of mass. Rotors whose mount is not connected have
    no place in space, and do not count.
    """

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        whole = local.totals
        groups: dict[str, tuple[ca.SX, str]] = {
            "center": (whole.center, "m"),
            "momentum": (whole.momentum, "kg m/s"),
            "angular_momentum": (whole.angular_momentum, "kg m2/s"),
        }
        outputs = {"mass": Output(whole.mass, "kg")}
        for name, (vector, unit) in groups.items():
            outputs |= {f"{name}_{axis}": Output(vector[i], unit) for i, axis in enumerate("xyz")}
        return Physics(outputs=outputs)
