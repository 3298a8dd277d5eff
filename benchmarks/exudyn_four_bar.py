"""The misaligned four-bar of `tests/arms/misaligned_four_bar.py` in Exudyn: geometrically exact beam elements."""

from __future__ import annotations

import itertools
import time

import exudyn as exu
import numpy as np
from exudyn.utilities import (
    GenericJoint,
    MarkerNodeRigid,
    NodePointGround,
    NodeRigidBodyEP,
    ObjectBeamGeometricallyExact,
    RotationMatrix2EulerParameters,
    RotationMatrixY,
    RotationMatrixZ,
    SensorNode,
)

E, NU, RHO = 207e9, 0.3, 7800.0
# Torsional constant of a square, in a^4; shear coefficient of a rectangle.
SQUARE, SHEAR = 0.1406, 5 / 6
SKEW, SPEED = np.radians(5.0), 0.6


def deflection(elements: int, step: float, end: float, radius: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return times (k,) [s], deflection (k,) of the coupler's end out of the plane [m], and CPU time of the loop [s].

    Parameters
    ----------
    elements : int
        Of each bar.
    step, end : float
        [s]
    radius : float
        Spectral radius of generalised alpha.
    """
    container = exu.SystemContainer()
    system = container.AddSystem()
    thick, thin = _section(0.016), _section(0.008)
    first, R1 = _bar(system, (0, 0, 0), (0, 0.12, 0), thick, elements)
    second, R2 = _bar(system, (0, 0.12, 0), (0.24, 0.12, 0), thick, elements)
    third, R3 = _bar(system, (0.24, 0, 0), (0.24, 0.12, 0), thin, elements)
    at_a, at_d = (
        system.AddMarker(MarkerNodeRigid(nodeNumber=system.AddNode(NodePointGround(referenceCoordinates=list(place)))))
        for place in ((0, 0, 0), (0.24, 0, 0))
    )

    def mark(node: int) -> int:
        return system.AddMarker(MarkerNodeRigid(nodeNumber=node))

    def crank(mbs, t, item, offset):
        return [0, 0, 0, 0, 0, -SPEED * t]

    def hinge(one: int, other: int, A: np.ndarray, B: np.ndarray, **more: object) -> None:
        joint = GenericJoint(markerNumbers=[one, other], rotationMarker0=A, rotationMarker1=B, **more)
        system.AddObject(joint)

    free = {"constrainedAxes": [1, 1, 1, 1, 1, 0]}
    skewed = RotationMatrixY(SKEW)
    hinge(at_a, mark(first[0]), np.eye(3), R1.T, offsetUserFunction=crank)
    hinge(mark(first[-1]), mark(second[0]), R1.T, R2.T, **free)
    hinge(at_d, mark(third[0]), np.eye(3), R3.T, **free)
    hinge(mark(second[-1]), mark(third[-1]), R2.T @ skewed, R3.T @ skewed, **free)
    kind = exu.OutputVariableType.Position
    sensor = system.AddSensor(SensorNode(nodeNumber=second[-1], storeInternal=True, outputVariableType=kind))
    system.Assemble()
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime, integration.verboseMode = round(end / step), end, 0
    integration.generalizedAlpha.spectralRadius = radius
    integration.newton.relativeTolerance = integration.newton.absoluteTolerance = 1e-6
    settings.solutionSettings.sensorsWritePeriod, settings.solutionSettings.writeSolutionToFile = end / 240, False
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    begun = time.process_time()
    system.SolveDynamic(settings)
    taken = time.process_time() - begun
    data = system.GetSensorStoredData(sensor)
    return data[:, 0], data[:, 3], taken


def _section(side: float) -> exu.BeamSection:
    area, second = side**2, side**4 / 12
    G = E / (2 * (1 + NU))
    section = exu.BeamSection()
    stiffness = [E * area, G * area * SHEAR, G * area * SHEAR, G * SQUARE * side**4, E * second, E * second]
    section.stiffnessMatrix = np.diag(stiffness)
    section.inertia = RHO * np.diag([2 * second, second, second])
    section.massPerLength = RHO * area
    return section


def _bar(
    system: exu.MainSystem, start: tuple, end: tuple, section: exu.BeamSection, count: int
) -> tuple[list[int], np.ndarray]:
    """Return the nodes of a bar, and its orientation (3, 3)."""
    p, q = np.array(start, dtype=float), np.array(end, dtype=float)
    length, turn = np.linalg.norm(q - p), np.arctan2(q[1] - p[1], q[0] - p[0])
    R = RotationMatrixZ(turn)
    parameters = list(RotationMatrix2EulerParameters(R))
    places = [list(p + (q - p) * k / count) for k in range(count + 1)]
    nodes = [system.AddNode(NodeRigidBodyEP(referenceCoordinates=place + parameters)) for place in places]
    for pair in itertools.pairwise(nodes):
        beam = ObjectBeamGeometricallyExact(nodeNumbers=list(pair), physicsLength=length / count, sectionData=section)
        system.AddObject(beam)
    return nodes, R
