"""Integrators of CasADi: multistep methods of SUNDIALS, and Runge-Kutta of fixed step."""
