"""Shapes of what is drawn, with their colours: meshes, sections of beams, looks of blocks."""
