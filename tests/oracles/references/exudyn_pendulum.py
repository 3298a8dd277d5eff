"""Makes exudyn_pendulum.json: `python exudyn_pendulum.py`, with Exudyn 1.13 (pip install exudyn).

A bar of 1 m, 0.2 kg and EI = 0.1 N m2 on a hinge falls from the horizontal; planar ANCF cable elements of
Euler-Bernoulli type, EA = 2e5 N, reduced integration against membrane locking, generalised alpha. With EA = 2e4 N,
32 elements are within 2e-5 m of 16, and 16000 steps within 6e-6 m of 4000.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import exudyn
import exudyn.itemInterface as item
import numpy as np

LENGTH, DENSITY, EI, EA = 1.0, 0.2, 0.1, 2e5
TIMES = (0.25, 0.5, 0.75, 1.0)


def tip(elements: int, steps: int) -> np.ndarray:
    """Return the places (4, 2) of the tip at the times."""
    system = exudyn.SystemContainer().AddSystem()
    size = LENGTH / elements
    nodes = [
        system.AddNode(item.NodePoint2DSlope1(referenceCoordinates=[i * size, 0, 1, 0])) for i in range(elements + 1)
    ]
    for pair in pairwise(nodes):
        cable = item.ObjectANCFCable2D(
            length=size, massPerLength=DENSITY, bendingStiffness=EI, axialStiffness=EA, nodeNumbers=list(pair),
            useReducedOrderIntegration=1,
        )  # fmt: skip
        marker = system.AddMarker(item.MarkerBodyMass(bodyNumber=system.AddObject(cable)))
        system.AddLoad(item.LoadMassProportional(markerNumber=marker, loadVector=[0, -9.81, 0]))
    ground = system.AddMarker(
        item.MarkerNodeCoordinate(nodeNumber=system.AddNode(item.NodePointGround()), coordinate=0)
    )
    for k in (0, 1):
        held = system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        system.AddObject(item.CoordinateConstraint(markerNumbers=[ground, held]))
    place = exudyn.OutputVariableType.Position
    sensor = system.AddSensor(item.SensorNode(nodeNumber=nodes[-1], outputVariableType=place, storeInternal=True))
    system.Assemble()
    settings = exudyn.SimulationSettings()
    run = settings.timeIntegration
    run.numberOfSteps, run.endTime, run.adaptiveStep = steps, TIMES[-1], False
    run.newton.relativeTolerance, run.newton.absoluteTolerance, run.newton.useModifiedNewton = 1e-8, 1e-9, True
    run.generalizedAlpha.spectralRadius = 0.95
    settings.solutionSettings.sensorsWritePeriod = TIMES[-1] / steps
    settings.solutionSettings.writeSolutionToFile = False
    system.SolveDynamic(settings)
    data = system.GetSensorStoredData(sensor)
    return np.column_stack([np.interp(TIMES, data[:, 0], data[:, k]) for k in (1, 2)])


if __name__ == "__main__":
    text = {"about": "made by exudyn_pendulum.py", "t_s": TIMES, "tip_m": tip(16, 8000).round(7).tolist()}
    Path(__file__).with_suffix(".json").write_text(json.dumps(text, indent=1) + "\n")
