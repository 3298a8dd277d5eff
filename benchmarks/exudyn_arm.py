"""A lumped arm in Exudyn: a kinematic tree in minimal coordinates, with its rotors, springs and input all in C++."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import exudyn as exu
import exudyn.itemInterface as items
import numpy as np
from exudyn.advancedUtilities import CreateSymbolicUserFunction

from benchmarks.lumped_arm import LumpedArm


class ExudynArm:
    """An arm with drives in an Exudyn system, ready to be solved.

    Parameters
    ----------
    arm : LumpedArm
        With drives.
    torque : callable
        Torque [N m] on every rotor as an expression of the symbol of time [s].

    Attributes
    ----------
    system : exudyn.MainSystem
    sensor : int
        Number of the sensor that stores the angles of the hinges.
    """

    def __init__(self, arm: LumpedArm, torque: Callable[[Any], Any]) -> None:
        if arm.drive is None:
            raise ValueError("ExudynArm: the arm has no drives; torques straight on joints are not built here.")
        self.container = exu.SystemContainer()  # has to outlive the system
        self.system = self.container.AddSystem()
        node = self._add_tree(arm)
        self.sensor = self.system.AddSensor(
            items.SensorNode(
                nodeNumber=node,
                storeInternal=True,
                writeToFile=False,
                outputVariableType=exu.OutputVariableType.Coordinates,
            )
        )
        self._torque = CreateSymbolicUserFunction(
            self.system, lambda _, t, load: load * torque(t), "loadUserFunction", itemTypeName="LoadCoordinate"
        )
        for i in arm.joints:
            self._add_drive(node, int(i), arm.drive.rotor_inertia, arm.drive.stiffness)
        self.system.Assemble()

    def _add_tree(self, arm: LumpedArm) -> int:
        n = len(arm.segments)
        node = self.system.AddNode(
            items.NodeGenericODE2(
                referenceCoordinates=[0.0] * n,
                initialCoordinates=[0.0] * n,
                initialCoordinates_t=[0.0] * n,
                numberOfODE2Coordinates=n,
            )
        )
        transformations, offsets = exu.Matrix3DList(), exu.Vector3DList()
        centers, inertias = exu.Vector3DList(), exu.Matrix3DList()
        for segment in arm.segments:
            transformations.Append(np.eye(3))
            offsets.Append([segment.inboard_length, 0.0, 0.0])
            centers.Append([segment.center, 0.0, 0.0])
            inertias.Append(np.diag([0.0, segment.inertia, segment.inertia]))
        self.system.AddObject(
            items.ObjectKinematicTree(
                nodeNumber=node,
                jointTypes=[exu.JointType.RevoluteZ] * n,
                linkParents=list(range(-1, n - 1)),
                jointTransformations=transformations,
                jointOffsets=offsets,
                linkInertiasCOM=inertias,
                linkCOMs=centers,
                linkMasses=[segment.mass for segment in arm.segments],
                gravity=[0.0, -arm.gravity, 0.0],
                jointPControlVector=arm.stiffness.tolist(),
                jointPositionOffsetVector=[0.0] * n,
            )
        )
        return node

    def _add_drive(self, node: int, joint: int, inertia: float, stiffness: float) -> None:
        """Add a rotor, whose one coordinate is its angle against the mount, and its spring to a hinge."""
        rotor = self.system.AddNode(items.Node1D(referenceCoordinates=[0.0]))
        self.system.AddObject(items.ObjectMass1D(physicsMass=inertia, nodeNumber=rotor))
        on_rotor = self.system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=rotor, coordinate=0))
        on_joint = self.system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=joint))
        spring = items.ObjectConnectorCoordinateSpringDamper(markerNumbers=[on_rotor, on_joint], stiffness=stiffness)
        self.system.AddObject(spring)
        self.system.AddLoad(items.LoadCoordinate(markerNumber=on_rotor, load=1.0, loadUserFunction=self._torque))
