"""Simulation: input signals, numerical integration, trajectories, batches of runs."""

from flexblocks.simulation.batch import simulate_batch
from flexblocks.simulation.record import Record
from flexblocks.simulation.signals.polynomial import (
    PiecewisePolynomial,
    bang_bang,
    piecewise_constant,
    piecewise_linear,
)
from flexblocks.simulation.signals.signal import Signal
from flexblocks.simulation.simulate import SimulationError, simulate
from flexblocks.simulation.stepping.stepper import Stepper, stepper
from flexblocks.simulation.trajectory import Trajectory

__all__ = [
    "PiecewisePolynomial",
    "Record",
    "Signal",
    "SimulationError",
    "Stepper",
    "Trajectory",
    "bang_bang",
    "piecewise_constant",
    "piecewise_linear",
    "simulate",
    "simulate_batch",
    "stepper",
]
