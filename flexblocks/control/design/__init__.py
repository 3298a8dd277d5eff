"""Control design: models of the arm, gains, cost matrices, Riccati equations."""
