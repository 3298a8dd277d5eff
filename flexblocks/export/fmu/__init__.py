"""Functional Mock-up Units: the arm as a component for Simulink, Modelica tools and everybody else who speaks FMI."""

from flexblocks.export.fmu.write import fmu

__all__ = ["fmu"]
