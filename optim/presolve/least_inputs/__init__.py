"""What a motion takes at least of the inputs of the rigid arm, over the ways that it may go."""
