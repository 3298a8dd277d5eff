"""Forces between frames: springs, cylinders, ropes, contacts, and forces from outside."""
