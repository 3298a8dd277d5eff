"""Functional Mock-up Units (FMU): the arm as a component for Simulink, Modelica tools and other FMI importers."""

from flexblocks.export.fmu.write import fmu

__all__ = ["fmu"]
