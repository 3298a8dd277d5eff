"""Identification: parameters of an arm from what was measured, and which of them the data determine."""
