"""Bodies and what is fixed to them: ground, links, beams, loads, sensors."""
