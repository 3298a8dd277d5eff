"""An arm under sampled PD laws whose torques saturate."""

from __future__ import annotations

import flexblocks as fb
from arms.driven import upright_arm
from flexblocks import control

LIMIT = 1.0  # [N m]; the law commands five times as much at an error of 1 rad
REFERENCE = "reference.joint1.angle"


def sampled_loop(delay: float = 0.0, sample_time: float = 1e-3) -> fb.DAE:
    """Return the loop of an arm of two flexible links."""
    arm = upright_arm(links=2, modes=1, damping=0.1, limit=LIMIT)
    law = control.PD({"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}, kp=5.0, kd=0.5)
    return control.close_loop(arm, control.Sampled(law, sample_time, delay=delay))
