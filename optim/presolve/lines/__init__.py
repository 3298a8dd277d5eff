"""Lines that points of an arm follow: whether the arm can follow them at all."""
