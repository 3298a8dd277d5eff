"""Singular perturbation and composite control."""
