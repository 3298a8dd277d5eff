"""Arms that several tests share."""
