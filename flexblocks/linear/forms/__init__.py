"""Forms of linear systems: their data, the second-order form by block, and the minimal form of a descriptor form."""
