"""From a problem and a DAE to everything that is not optimised."""
