"""flexblocks: flexible robot arms from blocks.

blocks -> Model -> assemble -> DAE -> simulate | equilibrium | linearize | optim.plan | export
"""

from typing import TYPE_CHECKING

from flexblocks.lazy_package import LazyPackage

if TYPE_CHECKING:
    from flexblocks import beam, blocks, bodies, shapes
    from flexblocks import studies as studies
    from flexblocks.assemble import assemble
    from flexblocks.beam import *  # noqa: F403 - what its register, __all__, names
    from flexblocks.blocks import *  # noqa: F403 - likewise
    from flexblocks.blocks.joints.denavit_hartenberg import DHRow, denavit_hartenberg
    from flexblocks.bodies import *  # noqa: F403 - likewise
    from flexblocks.compare import Comparison, compare
    from flexblocks.dae.change_coordinates import change_coordinates
    from flexblocks.dae.dae import DAE
    from flexblocks.errors import FlexblocksError, FlexblocksWarning
    from flexblocks.identification.identify import identify
    from flexblocks.identification.results.fit import Fit
    from flexblocks.identification.results.validation import Validation
    from flexblocks.identification.rigid.regressor import Regressor, regressor
    from flexblocks.identification.rigid.regressor_fit import RegressorFit
    from flexblocks.identification.spectral.frequency_response import FrequencyResponse
    from flexblocks.identification.spectral.identify_modes import identify_modes
    from flexblocks.identification.spectral.identify_response import identify_response
    from flexblocks.identification.spectral.measured_modes import MeasuredModes
    from flexblocks.identification.spectral.spectral_fit import SpectralFit
    from flexblocks.identification.unknowns.unknown import Unknown
    from flexblocks.importers.elastic import Elastic
    from flexblocks.importers.mjcf import from_mjcf
    from flexblocks.importers.robot import Robot
    from flexblocks.importers.urdf import from_urdf
    from flexblocks.interfaces import Block, Composite, ForceElement
    from flexblocks.linear.choose_damping import choose_damping
    from flexblocks.linear.damping_choice import DampingChoice
    from flexblocks.linear.grid import LinearGrid, linear_grid
    from flexblocks.linear.linear_model import LinearModel
    from flexblocks.linear.linearize import linearize
    from flexblocks.linear.reduce import reduce
    from flexblocks.load import load
    from flexblocks.modeling.model import Model
    from flexblocks.modeling.rediscretize import rediscretize
    from flexblocks.modeling.stiffen import stiffen
    from flexblocks.shapes import *  # noqa: F403 - likewise
    from flexblocks.simulation import (
        PiecewisePolynomial,
        Record,
        Signal,
        SimulationError,
        Stepper,
        Trajectory,
        bang_bang,
        piecewise_constant,
        piecewise_linear,
        simulate,
        simulate_batch,
        stepper,
    )
    from flexblocks.statics.buckling_load import BucklingLoad, buckling_load
    from flexblocks.statics.equilibrium import equilibrium
    from flexblocks.statics.operating_point import OperatingPoint
    from flexblocks.studies.cases import grid
    from flexblocks.studies.study import study

    __all__ = [
        "DAE",
        "Block",
        "BucklingLoad",
        "Comparison",
        "Composite",
        "DHRow",
        "DampingChoice",
        "Elastic",
        "Fit",
        "FlexblocksError",
        "FlexblocksWarning",
        "ForceElement",
        "FrequencyResponse",
        "LinearGrid",
        "LinearModel",
        "MeasuredModes",
        "Model",
        "OperatingPoint",
        "PiecewisePolynomial",
        "Record",
        "Regressor",
        "RegressorFit",
        "Robot",
        "Signal",
        "SimulationError",
        "SpectralFit",
        "Stepper",
        "Trajectory",
        "Unknown",
        "Validation",
        "assemble",
        "bang_bang",
        "buckling_load",
        "change_coordinates",
        "choose_damping",
        "compare",
        "denavit_hartenberg",
        "equilibrium",
        "from_mjcf",
        "from_urdf",
        "grid",
        "identify",
        "identify_modes",
        "identify_response",
        "linear_grid",
        "linearize",
        "load",
        "piecewise_constant",
        "piecewise_linear",
        "rediscretize",
        "reduce",
        "regressor",
        "simulate",
        "simulate_batch",
        "stepper",
        "stiffen",
        "study",
    ]
    __all__ += beam.__all__
    __all__ += blocks.__all__
    __all__ += bodies.__all__
    __all__ += shapes.__all__
else:
    LazyPackage.make(
        __name__,
        [
            {
                "flexblocks.modeling.model": ["Model"],
                "flexblocks.load": ["load"],
                "flexblocks.modeling.rediscretize": ["rediscretize"],
                "flexblocks.modeling.stiffen": ["stiffen"],
                "flexblocks.interfaces": ["Block", "Composite", "ForceElement"],
                "flexblocks.blocks.joints.denavit_hartenberg": ["DHRow", "denavit_hartenberg"],
            },
            {
                "flexblocks.importers.urdf": ["from_urdf"],
                "flexblocks.importers.mjcf": ["from_mjcf"],
                "flexblocks.importers.elastic": ["Elastic"],
                "flexblocks.importers.robot": ["Robot"],
            },
            {
                "flexblocks.assemble": ["assemble"],
                "flexblocks.dae.dae": ["DAE"],
                "flexblocks.dae.change_coordinates": ["change_coordinates"],
            },
            {
                "flexblocks.simulation": [
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
            },
            {
                "flexblocks.statics.buckling_load": ["BucklingLoad", "buckling_load"],
                "flexblocks.statics.equilibrium": ["equilibrium"],
                "flexblocks.statics.operating_point": ["OperatingPoint"],
                "flexblocks.linear.linearize": ["linearize"],
                "flexblocks.linear.linear_model": ["LinearModel"],
                "flexblocks.linear.reduce": ["reduce"],
                "flexblocks.linear.grid": ["LinearGrid", "linear_grid"],
                "flexblocks.linear.choose_damping": ["choose_damping"],
                "flexblocks.linear.damping_choice": ["DampingChoice"],
            },
            {
                "flexblocks.identification.identify": ["identify"],
                "flexblocks.identification.results.fit": ["Fit"],
                "flexblocks.identification.unknowns.unknown": ["Unknown"],
                "flexblocks.identification.results.validation": ["Validation"],
            },
            {"flexblocks.compare": ["Comparison", "compare"]},
            {
                "flexblocks.identification.rigid.regressor": ["Regressor", "regressor"],
                "flexblocks.identification.rigid.regressor_fit": ["RegressorFit"],
            },
            {
                "flexblocks.identification.spectral.frequency_response": ["FrequencyResponse"],
                "flexblocks.identification.spectral.identify_modes": ["identify_modes"],
                "flexblocks.identification.spectral.identify_response": ["identify_response"],
                "flexblocks.identification.spectral.measured_modes": ["MeasuredModes"],
                "flexblocks.identification.spectral.spectral_fit": ["SpectralFit"],
            },
            {"flexblocks.studies.study": ["study"], "flexblocks.studies.cases": ["grid"]},
            {"flexblocks.errors": ["FlexblocksError", "FlexblocksWarning"]},
        ],
        ["flexblocks.beam", "flexblocks.blocks", "flexblocks.bodies", "flexblocks.shapes"],
    )
