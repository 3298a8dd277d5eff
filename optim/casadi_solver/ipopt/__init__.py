"""Runs of IPOPT through CasADi's nlpsol."""
