"""Control: laws, closed loops that are DAEs again, observers, shaped references, robustness."""

from flexblocks.control.close_loop import close_loop
from flexblocks.control.composite import Composite
from flexblocks.control.computed_torque import ComputedTorque
from flexblocks.control.decoupling import Decoupling
from flexblocks.control.fast_feedback import FastFeedback
from flexblocks.control.feedforward import Feedforward
from flexblocks.control.follow import follow
from flexblocks.control.gain_schedule import GainSchedule, gain_schedule
from flexblocks.control.gravity_compensation import GravityCompensation
from flexblocks.control.kalman import Kalman
from flexblocks.control.law import Bound, Law
from flexblocks.control.lqr import LQR
from flexblocks.control.luenberger import Luenberger
from flexblocks.control.margins import Margins, margins
from flexblocks.control.monte_carlo import monte_carlo
from flexblocks.control.multipliers import multipliers
from flexblocks.control.observer import Observer
from flexblocks.control.open_loop import OpenLoop, open_loop
from flexblocks.control.output_feedback import LQG, OutputFeedback
from flexblocks.control.pd import PD
from flexblocks.control.pid import PID
from flexblocks.control.profiles import cycloid, quintic
from flexblocks.control.reference import Reference, reference
from flexblocks.control.sampled import Sampled
from flexblocks.control.shaped import Shaped
from flexblocks.control.shaper import Shaper
from flexblocks.control.shapers import EI, ZV, ZVD
from flexblocks.control.singular_perturbation import singular_perturbation
from flexblocks.control.slow_fast import SlowFast
from flexblocks.control.spillover import Spillover, spillover
from flexblocks.control.split import SingularPerturbation
from flexblocks.control.time_scales import TimeScales, poles_along, time_scales
from flexblocks.control.time_varying_lqr import TimeVaryingLQR

__all__ = [
    "EI",
    "LQG",
    "LQR",
    "PD",
    "PID",
    "ZV",
    "ZVD",
    "Bound",
    "Composite",
    "ComputedTorque",
    "Decoupling",
    "FastFeedback",
    "Feedforward",
    "GainSchedule",
    "GravityCompensation",
    "Kalman",
    "Law",
    "Luenberger",
    "Margins",
    "Observer",
    "OpenLoop",
    "OutputFeedback",
    "Reference",
    "Sampled",
    "Shaped",
    "Shaper",
    "SingularPerturbation",
    "SlowFast",
    "Spillover",
    "TimeScales",
    "TimeVaryingLQR",
    "close_loop",
    "cycloid",
    "follow",
    "gain_schedule",
    "margins",
    "monte_carlo",
    "multipliers",
    "open_loop",
    "poles_along",
    "quintic",
    "reference",
    "singular_perturbation",
    "spillover",
    "time_scales",
]
