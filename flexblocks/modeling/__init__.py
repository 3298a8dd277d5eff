"""Models: graphs of blocks, and their files."""
