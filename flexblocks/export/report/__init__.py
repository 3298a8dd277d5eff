"""Reports: one HTML file for a plan, a simulation, a linear model or an audit."""

from flexblocks.export.report.report import report

__all__ = ["report"]
