"""Fixed steps as compiled functions: one kernel for steps, rollouts, simulations at fixed steps and sampled loops."""
