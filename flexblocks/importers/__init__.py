"""Robots from files of other programs: read to a description, from which one builder makes the model."""
