"""Identification: parameters of an arm from what was measured, with what the data tell of them and what not."""
