from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris


@pytest.fixture(scope="package")
def planar() -> fb.Trajectory:
    dae = subudhi_morris()
    return fb.simulate(dae, np.linspace(0.0, 1.0, 101), u={"motor1.torque": 0.2, "motor2.torque": -0.05})
