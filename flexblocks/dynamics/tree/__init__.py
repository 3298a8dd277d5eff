"""Multibody tree: bodies, frames, edges between them, cut joints and feedback."""
