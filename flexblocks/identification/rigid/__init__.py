"""Inertial parameters of rigid arms, in which torques are linear."""
