"""Slews of flexible bodies by Exudyn: reduced floating-frame bodies from the same finite-element matrices."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

STEPS = 1.25e-4  # s; of the generalised-alpha method


def slew(
    matrices: tuple[Any, Any],
    nodes: np.ndarray,
    ends: dict[str, np.ndarray],
    torques: tuple[float, ...],
    duration: float,
    load: float,
    load_inertia: float,
    step: float = STEPS,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return times (k,) and places (k, 3) [m] of a load at the end of links in series, hinged about z at their roots.

    And CPU time of the motion [s]. Each hinge is driven by ``torque * sin(2 pi t / duration)``; the first is at the
    origin.
    """
    import exudyn as exu
    from exudyn import FEM
    from exudyn import utilities as eu
    from exudyn.advancedUtilities import CreateSymbolicUserFunction

    M, K = matrices
    places = nodes - nodes[ends["frame_a"]].mean(axis=0)
    tip = places[ends["frame_b"]].mean(axis=0)
    fem = FEM.FEMinterface()
    fem.nodes, fem.massMatrix, fem.stiffnessMatrix = {"Position": places}, M, K
    fem.elements, fem.surface = [], [{"Name": "none", "Trigs": np.zeros((0, 3), int)}]
    patches = [list(map(int, ends[name])) for name in ("frame_a", "frame_b")]
    fem.ComputeHurtyCraigBamptonModes(patches, 6, True, FEM.HCBstaticModeSelection.RBE2)
    reduced = FEM.ObjectFFRFreducedOrderInterface(fem)
    container = exu.SystemContainer()
    mbs = container.AddSystem()

    def sine(_: Any, t: Any, load: Any) -> Any:
        return load * exu.symbolic.sin(2 * np.pi / duration * t)

    driving = CreateSymbolicUserFunction(mbs, sine, "loadVectorUserFunction", itemTypeName="LoadTorqueVector")
    ground = mbs.AddObject(eu.ObjectGround())
    before, at = mbs.AddMarker(eu.MarkerBodyRigid(bodyNumber=ground, localPosition=[0, 0, 0])), np.zeros(3)
    for i, torque in enumerate(torques):
        made = reduced.AddObjectFFRFreducedOrder(
            mbs, positionRef=list(at), rotationMatrixRef=np.eye(3), gravity=[0, 0, 0], color=[0, 1, 0, 1]
        )
        markers = [
            mbs.AddMarker(
                eu.MarkerSuperElementRigid(
                    bodyNumber=made["oFFRFreducedOrder"],
                    meshNodeNumbers=np.array(patch, int),
                    weightingFactors=np.ones(len(patch)) / len(patch),
                )
            )
            for patch in patches
        ]
        mbs.AddObject(eu.GenericJoint(markerNumbers=[before, markers[0]], constrainedAxes=[1, 1, 1, 1, 1, 0]))

        mbs.AddLoad(eu.Torque(markerNumber=markers[0], loadVector=[0, 0, torque], loadVectorUserFunction=driving))
        if i:
            mbs.AddLoad(eu.Torque(markerNumber=before, loadVector=[0, 0, -torque], loadVectorUserFunction=driving))
        before, at = markers[1], at + tip
    inertia = eu.RigidBodyInertia(mass=load, inertiaTensor=np.eye(3) * load_inertia)
    carried = mbs.CreateRigidBody(inertia=inertia, referencePosition=list(at), gravity=[0, 0, 0])
    marker = mbs.AddMarker(eu.MarkerBodyRigid(bodyNumber=carried, localPosition=[0, 0, 0]))
    mbs.AddObject(eu.GenericJoint(markerNumbers=[before, marker], constrainedAxes=[1] * 6))
    sensor = mbs.AddSensor(
        eu.SensorBody(
            bodyNumber=carried,
            localPosition=[0, 0, 0],
            storeInternal=True,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime = duration
    settings.timeIntegration.numberOfSteps = round(duration / step)
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = duration / 30
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.relativeTolerance = 1e-9
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.linearSolverType = exu.LinearSolverType.EXUdense
    begun = time.process_time()
    mbs.SolveDynamic(settings)
    taken = time.process_time() - begun
    data = mbs.GetSensorStoredData(sensor)
    return data[:, 0], data[:, 1:4], taken
