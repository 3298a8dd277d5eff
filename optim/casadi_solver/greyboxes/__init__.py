"""Grey boxes: external Pyomo models made of CasADi functions."""
