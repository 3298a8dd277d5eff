"""Inverse statics: postures of rest, by a program with scales and start points, and a choice of its solutions."""
