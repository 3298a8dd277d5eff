"""Implicit integration of stiff arms and loops on the residual of their equations of motion."""
