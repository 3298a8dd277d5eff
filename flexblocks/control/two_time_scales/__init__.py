"""Two-time-scale control: singular perturbation, slow and fast subsystems, composite control."""
