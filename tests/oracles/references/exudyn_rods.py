"""Makes exudyn_rods.json: `python exudyn_rods.py`, with Exudyn 1.13 (pip install exudyn).

Shear-deformable geometrically exact beams, which converge with the square of the size of their elements: each motion
is the limit of three meshes, and `uncertainty` is how far that limit moves from two of them to three, in lengths.

``spin_up``: a rod on a hinge, at rest, is pushed by a torque that rises and falls within a second, and left alone.

``flying_rod``: the free rod of Simo & Vu-Quoc (1988, "flying spaghetti"; 10 m, 10 kg, EI = GJ = 500 N m2, EA = kappa GA
= 1e4 N, 10 kg m of sections about each axis), thrown out of its plane by a dead force and two dead moments at one end,
which rise and fall within 5 s.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import exudyn
import exudyn.itemInterface as item
import numpy as np

SPIN_UP = {
    "length": 1.0, "density": 0.2, "EI": 1.0, "EA": 4e3, "kGA": 2e3, "section_inertia": 1e-4, "torque": 2.0,
    "duration": 1.0, "t_s": [0.25, 0.5, 0.75, 1.0, 1.25, 1.5],
}  # fmt: skip
FLYING = {
    "length": 10.0, "density": 1.0, "EI": 500.0, "EA": 1e4, "kGA": 1e4, "section_inertia": 10.0,
    "force": [8.0, 4.0, 0.0], "moment": [60.0, -80.0, -160.0], "duration": 5.0, "t_s": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
}  # fmt: skip


def pulse(t: float, duration: float) -> float:
    return float(np.sin(np.pi * t / duration) ** 2) if t < duration else 0.0


def solved(system: exudyn.MainSystem, sensors: list, times: list[float], steps: int) -> np.ndarray:
    """Return what the sensors show (times, sensors, 3)."""
    system.Assemble()
    settings = exudyn.SimulationSettings()
    run = settings.timeIntegration
    run.numberOfSteps, run.endTime, run.adaptiveStep = steps, times[-1], False
    run.newton.relativeTolerance, run.newton.absoluteTolerance, run.newton.useModifiedNewton = 1e-8, 1e-9, True
    run.generalizedAlpha.spectralRadius = 0.98
    settings.solutionSettings.sensorsWritePeriod = times[-1] / steps
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverType = exudyn.LinearSolverType.EigenSparse
    system.SolveDynamic(settings)
    rows = [round(t / times[-1] * steps) for t in times]
    return np.array([system.GetSensorStoredData(sensor)[rows, 1:4] for sensor in sensors]).swapaxes(0, 1)


def spin_up(elements: int, steps: int) -> np.ndarray:
    """Return the places (times, 1, 3) of the tip."""
    case, system = SPIN_UP, exudyn.SystemContainer().AddSystem()
    size = case["length"] / elements
    nodes = [system.AddNode(item.NodeRigidBody2D(referenceCoordinates=[i * size, 0, 0])) for i in range(elements + 1)]
    for pair in pairwise(nodes):
        system.AddObject(
            item.ObjectBeamGeometricallyExact2D(
                nodeNumbers=list(pair), length=size, massPerLength=case["density"], bendingStiffness=case["EI"],
                axialStiffness=case["EA"], shearStiffness=case["kGA"], crossSectionInertia=case["section_inertia"],
            )
        )  # fmt: skip
    ground = system.AddMarker(
        item.MarkerNodeCoordinate(nodeNumber=system.AddNode(item.NodePointGround()), coordinate=0)
    )
    for k in (0, 1):
        held = system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        system.AddObject(item.CoordinateConstraint(markerNumbers=[ground, held]))
    hinge = system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=2))
    torque = lambda _, t, load: case["torque"] * pulse(t, case["duration"])  # noqa: E731
    system.AddLoad(item.LoadCoordinate(markerNumber=hinge, load=1.0, loadUserFunction=torque))
    return solved(system, [place(system, nodes[-1])], case["t_s"], steps)


def flying_rod(elements: int, steps: int) -> np.ndarray:
    """Return the places (times, 2, 3) of both ends, the pushed one first."""
    case, system = FLYING, exudyn.SystemContainer().AddSystem()
    size, section = case["length"] / elements, exudyn.BeamSection()
    section.massPerLength, section.inertia = case["density"], case["section_inertia"] * np.eye(3)
    section.stiffnessMatrix = np.diag([case["EA"], case["kGA"], case["kGA"], *[case["EI"]] * 3])
    nodes = [
        system.AddNode(item.NodeRigidBodyRotVecLG(referenceCoordinates=[i * size, 0, 0, 0, 0, 0]))
        for i in range(elements + 1)
    ]
    for pair in pairwise(nodes):
        system.AddObject(item.ObjectBeamGeometricallyExact(nodeNumbers=list(pair), length=size, sectionData=section))
    end = system.AddMarker(item.MarkerNodeRigid(nodeNumber=nodes[0]))
    for kind, load in ((item.LoadForceVector, case["force"]), (item.LoadTorqueVector, case["moment"])):
        pushed = lambda _, t, vector: [pulse(t, case["duration"]) * v for v in vector]  # noqa: E731
        system.AddLoad(kind(markerNumber=end, loadVector=load, loadVectorUserFunction=pushed))
    return solved(system, [place(system, nodes[0]), place(system, nodes[-1])], case["t_s"], steps)


def place(system: exudyn.MainSystem, node: object) -> object:
    kind = exudyn.OutputVariableType.Position
    return system.AddSensor(item.SensorNode(nodeNumber=node, outputVariableType=kind, storeInternal=True))


def limit(meshes: list[np.ndarray], length: float) -> tuple[np.ndarray, float]:
    """Return the limit of three meshes, each with half the elements' size, and how far off it may be in lengths."""
    coarse, fine = (second + (second - first) / 3 for first, second in pairwise(meshes))
    finest = fine + (fine - coarse) / 15
    return finest, float(np.linalg.norm(finest - fine, axis=-1).max() / length)


if __name__ == "__main__":
    text: dict[str, object] = {"about": "made by exudyn_rods.py"}
    for name, motion, case, sizes, steps in (
        ("spin_up", spin_up, SPIN_UP, (16, 32, 64), 24000),
        ("flying_rod", flying_rod, FLYING, (8, 16, 32), 6000),
    ):
        meshes = [motion(elements, steps) for elements in sizes]
        found, uncertainty = limit(meshes, case["length"])
        in_time = np.linalg.norm(motion(sizes[0], 2 * steps) - meshes[0], axis=-1).max() / case["length"]
        print(name, uncertainty, in_time, *[np.abs(b - a).max() for a, b in pairwise(meshes)], file=sys.stderr)
        text[name] = {**case, "uncertainty": float(f"{uncertainty:.1e}"), "places_m": found.round(7).tolist()}
    Path(__file__).with_suffix(".json").write_text(json.dumps(text, indent=1) + "\n")
