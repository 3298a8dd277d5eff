"""What a block is."""
