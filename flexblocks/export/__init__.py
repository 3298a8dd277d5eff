"""What leaves flexblocks: linear models for MATLAB, Python and everything that reads JSON."""

from flexblocks.export.linear import load_linear, save_linear

__all__ = ["load_linear", "save_linear"]
