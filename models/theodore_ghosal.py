"""The arms of Theodore & Ghosal (1995): flexible links on revolute and prismatic joints, in the plane and in space."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

import flexblocks as fb
from flexblocks.errors import ParameterError, suggestion
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.ports import Port

ARMS = ("RR", "RRR", "RP", "RRP")
DISCRETIZATIONS = ("modes", "elements")
# Table 3.
MASS_1, MASS_2, MASS_3 = 3.7051, 0.3310, 0.4303  # [kg]
LENGTH_1, LENGTH_2, LENGTH_3 = 0.1, 1.0, 1.3  # [m]
INERTIAS = (0.352, 3.2, 0.0)  # of the joints, each about its axis [kg m2]
RIGIDITY = 1165.4916  # EI of links 2 and 3 [N m2]
PAYLOAD = 0.0828  # [kg]
EXTENSION = 0.3  # of the prismatic joint, where section 5 starts [m]
QUARTER = math.pi / 2


def theodore_ghosal_1995(
    arm: Literal["RR", "RRR", "RP", "RRP"] = "RRP",
    discretization: Literal["modes", "elements"] = "modes",
    n: int = 2,
    shapes: Literal["fixed", "algebraic", "ode"] = "ode",
    payload: float = PAYLOAD,
    motors: bool = True,
    rigidity: float = RIGIDITY,
) -> fb.Model:
    """Return an arm of Theodore & Ghosal, Int. J. Robotics Research 14(2), 1995, with the data of Table 3.

    Parameters
    ----------
    arm : "RR", "RRR", "RP" or "RRP"
        Joints from the ground out, revolute or prismatic. The last two links are flexible, the first of three is rigid.
        RRP is the spatial arm of section 5, whose links bend in both planes; the others move in the xy plane.
    discretization : "modes" or "elements"
        Clamped-mass modes, or finite elements.
    n : int
        Modes or elements of each flexible link, in each plane of bending.
    shapes : "fixed", "algebraic" or "ode"
        Dependence of a sliding link's mode shapes on its extension, see `fb.SlidingBeam`.
    payload : float
        Mass at the tip [kg]; 0 for none.
    motors : bool
        Whether the joints have motors, ``motor1.torque``, ... (``motor3.force`` for a prismatic joint), and their
        inertia.
    rigidity : float
        Flexural rigidity EI of links 2 and 3 [N m2].

    Returns
    -------
    Model

    Raises
    ------
    ParameterError
        An unknown arm or discretization.

    Notes
    -----
    Links are numbered as in Table 3: the flexible ones are always ``link2`` and ``link3``. A prismatic joint is part of
    ``link3``, with the coordinate ``link3.displacement``; it slides across link 2 (twist of +90 degrees, like that
    between the revolute joints of RRP). What the paper leaves open is interpreted as follows: joint inertias count
    about the joint axis, relative to the mount; the modes of link 2 carry the mass of link 3 and the payload at their
    tip, those of link 3 the payload, as points. The tip of link 2 turns by a true rotation, where the paper's eq 2 is
    linear.
    """
    for name, value, known in (("arm", arm, ARMS), ("discretization", discretization, DISCRETIZATIONS)):
        if value not in known:
            raise ParameterError(
                f"theodore_ghosal_1995: {name} = {value!r}{suggestion(value, known, 'must be one of')}"
            )
    builder = _Builder(arm, discretization, n, shapes, payload, motors, rigidity)
    return builder.model()


class _Builder:
    """Builds an arm block by block from the ground; `end` is the port to which the next block is mounted."""

    def __init__(
        self,
        arm: str,
        discretization: str,
        n: int,
        shapes: Literal["fixed", "algebraic", "ode"],
        payload: float,
        motors: bool,
        rigidity: float,
    ) -> None:
        self.rigidity = rigidity
        self.arm, self.n, self.payload, self.motors = arm, n, payload, motors
        self.modes = discretization == "modes"
        self.shapes: Literal["fixed", "algebraic", "ode"] = shapes if self.modes and payload else "fixed"
        self.bending = "yz" if arm == "RRP" else "y"
        self.arm_model = fb.Model(f"Theodore & Ghosal {arm}")

    def model(self) -> fb.Model:
        m = self.arm_model
        end = m.add(fb.Ground("ground")).frame_b
        if len(self.arm) == 3:
            end = self._first_link(self._revolute(1, end))
        beam = fb.FlexibleBeam("link2", **self._beam(LENGTH_2, MASS_2, carried=MASS_3 + self.payload))
        end = self._mounted(beam, self._revolute(2, end))
        end = self._revolute_link(end) if self.arm.endswith("R") else self._sliding_link(end)
        if self.payload:
            self._mounted(fb.Payload("payload", mass=self.payload), end)
        return m

    def _first_link(self, end: Port) -> Port:
        """Add the rigid first link: along the arm (RRR), or upright with the next joint across it (RRP)."""
        if self.arm == "RRR":
            return self._mounted(fb.RigidLink("link1", length=LENGTH_1, mass=MASS_1), end)
        rod = MASS_1 * LENGTH_1**2 / 12
        body = fb.Payload("link1", mass=MASS_1, inertia=np.diag([rod, rod, 0.0]), center=(0.0, 0.0, LENGTH_1 / 2))
        self._mounted(body, end)
        return self._mounted(fb.FixedTransform("offset1", (0.0, 0.0, LENGTH_1), (QUARTER, 0.0, 0.0)), end)

    def _revolute_link(self, end: Port) -> Port:
        """Add link 3 behind a revolute joint."""
        beam = fb.FlexibleBeam("link3", **self._beam(LENGTH_3, MASS_3, carried=self.payload))
        return self._mounted(beam, self._revolute(3, end))

    def _sliding_link(self, end: Port) -> Port:
        """Add link 3, which slides through a prismatic joint."""
        # The slide is along z after a twist of 90 degrees about x: along -y here. It bends along our x and z.
        along = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        end = self._mounted(fb.FixedTransform("offset2", rotation=along), end)
        properties = self._beam(LENGTH_3, MASS_3, carried=self.payload)
        beam = fb.SlidingBeam("link3", **properties, shapes=self.shapes, start=EXTENSION)
        end = self._mounted(beam, end)
        if self.motors:
            self.arm_model.connect(self.arm_model.add(fb.ForceSource("motor3")).flange_b, beam.axis)
        return end

    def _revolute(self, i: int, end: Port) -> Port:
        """Add a revolute joint, with its motor and inertia on request."""
        m = self.arm_model
        joint = m.add(fb.Revolute(f"joint{i}"))
        m.connect(end, joint.frame_a)
        if self.motors:
            motor, rotor = m.add(fb.TorqueSource(f"motor{i}")), m.add(fb.Rotor(f"rotor{i}", inertia=INERTIAS[i - 1]))
            m.connect(motor.flange_b, rotor.flange_a)
            m.connect(rotor.flange_b, joint.axis)
        return joint.frame_b

    def _mounted(self, block: Block, end: Port) -> Port:
        """Mount a block at the end of the arm and return the new end."""
        self.arm_model.connect(end, self.arm_model.add(block).frame_a)
        return end if isinstance(block, fb.Payload) else block.frame_b

    def _beam(self, length: float, mass: float, carried: float) -> dict[str, Any]:
        """Return the parameters of a flexible link that carries a mass [kg] at its tip."""
        discretization = fb.AssumedModes(self.n, tip=fb.TipBody(carried)) if self.modes else fb.FiniteElements(self.n)
        return {
            "length": length,
            "linear_density": mass / length,
            "flexural_rigidity": self.rigidity,
            "discretization": discretization,
            "bending": self.bending,
        }
