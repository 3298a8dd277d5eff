"""Commands that read files of other programs."""
