"""What an arm has by name at one instant of a motion, and expressions of it."""
