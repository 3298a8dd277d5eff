from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models


@pytest.fixture(scope="package")
def planar() -> fb.Trajectory:
    dae = fb.assemble(models.subudhi_morris_2002())
    return fb.simulate(dae, np.linspace(0.0, 1.0, 101), u={"motor1.torque": 0.2, "motor2.torque": -0.05})
