"""Drive trains: everything between a motor and the axis of a joint."""
