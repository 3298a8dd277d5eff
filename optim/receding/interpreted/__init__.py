"""Iterations of a receding horizon in NumPy and CasADi's virtual machine, without a compiler."""
