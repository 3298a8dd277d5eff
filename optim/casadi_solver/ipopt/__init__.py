"""IPOPT through CasADi's nlpsol: configuration, runs, warm starts and solutions."""
