"""Bodies, and what is mounted on them: ground, links, beams, payloads, sensors."""
