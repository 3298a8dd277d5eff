"""A short recorded run of a controller with its arm: its inputs at each sample, and its outputs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from flexblocks.control.close_loop import close_loop
from flexblocks.control.controller import Controller
from flexblocks.control.estimation.observer import Observer
from flexblocks.errors import ComputationError, FlexblocksError, FlexblocksWarning
from flexblocks.simulation.signals.polynomial import piecewise_constant
from flexblocks.simulation.simulate import simulate

# Samples of the run, and how far references and inputs are moved, each by a sine of its own phase.
SAMPLES, AMPLITUDE = 25, 0.1


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """Inputs of a controller at each sample, and what it computes.

    Attributes
    ----------
    measured, references : ndarray (samples, ...)
    outputs, released : ndarray (samples, no)
        After the step, and after the release that follows.
    """

    measured: np.ndarray
    references: np.ndarray
    outputs: np.ndarray
    released: np.ndarray


def recorded_run(controller: Controller, limits: bool) -> RecordedRun:
    """Return a run of the closed loop under moving references; of an observer, of the arm under moving inputs."""
    times = controller.sample_time * np.arange(SAMPLES)
    references = controller.references.start + _waves(len(controller.references))
    measured = _measured(controller, times, references, limits)
    p, x = controller.parameters.start, np.array(controller.states.start)
    told = np.hstack([measured, references])
    outputs, released = [], []
    for u in told:
        for shown, ticking in ((outputs, True), (released, False)):
            changes = [clock.change(x, [], u, p) for clock in controller.clocks if (clock.offset == 0) is ticking]
            for change in changes:
                x = x + change.full().ravel()
            shown.append(controller.output(x, p).full().ravel())
    return RecordedRun(measured, references, np.array(outputs), np.array(released))


def _measured(controller: Controller, times: np.ndarray, references: np.ndarray, limits: bool) -> np.ndarray:
    """Return what is measured at the arm at each sample (samples, nm)."""
    arm = controller.arm
    if isinstance(controller.law, Observer):
        dae, driven = arm, dict(zip(arm.u.names, (arm.u.start + _waves(len(arm.u))).T, strict=True))
    else:
        dae = close_loop(arm, controller.law, limits=limits)
        driven = dict(zip(controller.references.names, references.T, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexblocksWarning)  # the controller receives the motion, whatever it is
        try:
            run = simulate(dae, times, u={name: piecewise_constant(times, values) for name, values in driven.items()})
        except FlexblocksError as error:
            raise ComputationError(
                f"controller: '{dae.name}' cannot be simulated over {SAMPLES} samples, which the self-test records: "
                f"{error} Simulate it before it is exported, and change the law."
            ) from error
    known = np.array([run[name] for name in arm.u.names]).reshape(len(arm.u), -1)
    at = run.x[:, : len(arm.x)].T, run.z.T, known, np.array([run.p[name] for name in arm.p.names])
    return controller.measure().map(len(times))(*at[:3], np.tile(at[3][:, None], len(times))).full().T


def _waves(count: int) -> np.ndarray:
    """Return a sine for each of so many signals (samples, count)."""
    return AMPLITUDE * np.sin(2 * np.pi * np.arange(SAMPLES)[:, None] / SAMPLES + np.arange(count))
