"""Identification: parameters of a model from what was measured."""
