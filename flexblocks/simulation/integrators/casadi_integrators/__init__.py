"""Integrators of CasADi: multistep methods of SUNDIALS."""
