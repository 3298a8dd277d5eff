"""Parameters from frequency responses, and from modes with their dampings."""
