"""Inverse statics as a program: its scales, its start points, its solution."""
