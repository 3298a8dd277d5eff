"""Identification: parameters of an arm from measured motions, with what the data tell of them and what not."""
