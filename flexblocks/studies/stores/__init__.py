"""Stores: where the results of a study are kept, in memory or in a Zarr group."""
