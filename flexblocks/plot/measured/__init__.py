"""Pictures of measurements, beside models."""
