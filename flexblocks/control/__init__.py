"""Control: laws, closed loops as DAEs, observers, input shaping, two time scales, robustness."""

from typing import TYPE_CHECKING

from flexblocks.lazy_package import LazyPackage

if TYPE_CHECKING:
    from flexblocks.control.close_loop import close_loop
    from flexblocks.control.controller import Controller, controller
    from flexblocks.control.estimation.filtered import Filtered
    from flexblocks.control.estimation.kalman import Kalman
    from flexblocks.control.estimation.luenberger import Luenberger
    from flexblocks.control.estimation.observer import Observer
    from flexblocks.control.estimation.sampled_kalman import SampledKalman
    from flexblocks.control.law import Bindable, Bound, Law, Sum
    from flexblocks.control.laws.computed_torque import ComputedTorque
    from flexblocks.control.laws.feedback_linearization import Decoupling
    from flexblocks.control.laws.feedforward import Feedforward
    from flexblocks.control.laws.gravity_compensation import GravityCompensation
    from flexblocks.control.laws.lqr import LQR
    from flexblocks.control.laws.output_feedback import LQG, OutputFeedback
    from flexblocks.control.laws.pd import PD
    from flexblocks.control.laws.pid import PID
    from flexblocks.control.laws.sampled import Sampled
    from flexblocks.control.laws.state_feedback import StateFeedback
    from flexblocks.control.laws.time_varying_lqr import TimeVaryingLQR
    from flexblocks.control.references.follow import follow
    from flexblocks.control.references.profiles import cycloid, quintic
    from flexblocks.control.references.reference import Reference, reference
    from flexblocks.control.robustness.floquet_multipliers import multipliers
    from flexblocks.control.robustness.margins import Margins, margins
    from flexblocks.control.robustness.monte_carlo import monte_carlo
    from flexblocks.control.robustness.open_loop import OpenLoop, open_loop
    from flexblocks.control.robustness.spillover import Spillover, spillover
    from flexblocks.control.sensing.sensor import Sensor
    from flexblocks.control.shaping.shaped_law import Shaped
    from flexblocks.control.shaping.shaper import Shaper
    from flexblocks.control.shaping.zv_zvd_ei import EI, ZV, ZVD
    from flexblocks.control.two_time_scales.composite_control import SlowFast
    from flexblocks.control.two_time_scales.fast_feedback import FastFeedback
    from flexblocks.control.two_time_scales.gain_schedule import GainSchedule, gain_schedule
    from flexblocks.control.two_time_scales.singular_perturbation import singular_perturbation
    from flexblocks.control.two_time_scales.subsystems import SingularPerturbation
    from flexblocks.control.two_time_scales.time_scales import TimeScales, poles_along, time_scales

    __all__ = [
        "EI",
        "LQG",
        "LQR",
        "PD",
        "PID",
        "ZV",
        "ZVD",
        "Bindable",
        "Bound",
        "ComputedTorque",
        "Controller",
        "Decoupling",
        "FastFeedback",
        "Feedforward",
        "Filtered",
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
        "SampledKalman",
        "Sensor",
        "Shaped",
        "Shaper",
        "SingularPerturbation",
        "SlowFast",
        "Spillover",
        "StateFeedback",
        "Sum",
        "TimeScales",
        "TimeVaryingLQR",
        "close_loop",
        "controller",
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
else:
    LazyPackage.make(
        __name__,
        [
            {
                "flexblocks.control.close_loop": ["close_loop"],
                "flexblocks.control.controller": ["Controller", "controller"],
                "flexblocks.control.estimation.filtered": ["Filtered"],
                "flexblocks.control.estimation.kalman": ["Kalman"],
                "flexblocks.control.estimation.luenberger": ["Luenberger"],
                "flexblocks.control.estimation.observer": ["Observer"],
                "flexblocks.control.estimation.sampled_kalman": ["SampledKalman"],
                "flexblocks.control.law": ["Bindable", "Bound", "Law", "Sum"],
                "flexblocks.control.laws.computed_torque": ["ComputedTorque"],
                "flexblocks.control.laws.feedback_linearization": ["Decoupling"],
                "flexblocks.control.laws.feedforward": ["Feedforward"],
                "flexblocks.control.laws.gravity_compensation": ["GravityCompensation"],
                "flexblocks.control.laws.lqr": ["LQR"],
                "flexblocks.control.laws.output_feedback": ["LQG", "OutputFeedback"],
                "flexblocks.control.laws.pd": ["PD"],
                "flexblocks.control.laws.pid": ["PID"],
                "flexblocks.control.laws.sampled": ["Sampled"],
                "flexblocks.control.laws.state_feedback": ["StateFeedback"],
                "flexblocks.control.laws.time_varying_lqr": ["TimeVaryingLQR"],
                "flexblocks.control.references.follow": ["follow"],
                "flexblocks.control.references.profiles": ["cycloid", "quintic"],
                "flexblocks.control.references.reference": ["Reference", "reference"],
                "flexblocks.control.sensing.sensor": ["Sensor"],
            },
            {
                "flexblocks.control.robustness.floquet_multipliers": ["multipliers"],
                "flexblocks.control.robustness.margins": ["Margins", "margins"],
                "flexblocks.control.robustness.monte_carlo": ["monte_carlo"],
                "flexblocks.control.robustness.open_loop": ["OpenLoop", "open_loop"],
                "flexblocks.control.robustness.spillover": ["Spillover", "spillover"],
            },
            {
                "flexblocks.control.shaping.shaped_law": ["Shaped"],
                "flexblocks.control.shaping.shaper": ["Shaper"],
                "flexblocks.control.shaping.zv_zvd_ei": ["EI", "ZV", "ZVD"],
            },
            {
                "flexblocks.control.two_time_scales.composite_control": ["SlowFast"],
                "flexblocks.control.two_time_scales.fast_feedback": ["FastFeedback"],
                "flexblocks.control.two_time_scales.gain_schedule": ["GainSchedule", "gain_schedule"],
                "flexblocks.control.two_time_scales.singular_perturbation": ["singular_perturbation"],
                "flexblocks.control.two_time_scales.subsystems": ["SingularPerturbation"],
                "flexblocks.control.two_time_scales.time_scales": ["TimeScales", "poles_along", "time_scales"],
            },
        ],
        [],
    )
