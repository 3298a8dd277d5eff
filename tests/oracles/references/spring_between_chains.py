"""A spring with a damper between two chains in MuJoCo: writes spring_between_chains.json beside this file.

Two pendulum chains of two rods hang in space from different places, on hinges about different axes; a tendon with
spring and damper joins their ends. MuJoCo integrates with RK4 at 0.1 ms. Needs `pip install mujoco`.

python tests/oracles/references/spring_between_chains.py
"""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np

STEP, END, SAMPLES = 1e-4, 1.5, 16
START = [0.4, -0.6, -0.3, 0.8]
XML = """
<mujoco>
  <compiler angle="radian" boundmass="0" boundinertia="0" inertiafromgeom="false"/>
  <option timestep="{step}" integrator="RK4" gravity="0 0 -9.81"><flag contact="disable" constraint="disable"/></option>
  <worldbody>
    <body pos="0 0 0">
      <joint name="a1" axis="0 1 0"/><inertial pos="0.25 0 0" mass="1.2" diaginertia="0.001 0.025 0.025"/>
      <body pos="0.5 0 0">
        <joint name="a2" axis="0 0 1"/><inertial pos="0.2 0 0" mass="0.8" diaginertia="0.001 0.011 0.011"/>
        <site name="end_a" pos="0.4 0 0"/>
      </body>
    </body>
    <body pos="0.2 0.9 0.3">
      <joint name="b1" axis="0 1 0"/><inertial pos="0.3 0 0" mass="1.5" diaginertia="0.002 0.045 0.045"/>
      <body pos="0.6 0 0">
        <joint name="b2" axis="1 0 1"/><inertial pos="0.15 0 0" mass="0.5" diaginertia="0.0005 0.004 0.004"/>
        <site name="end_b" pos="0.3 0.05 0"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial stiffness="60" damping="1.5" springlength="0.35"><site site="end_a"/><site site="end_b"/></spatial>
  </tendon>
</mujoco>
"""


def main() -> None:
    """Simulate and write times, joint angles and the length of the spring."""
    model = mujoco.MjModel.from_xml_string(XML.format(step=STEP))
    data = mujoco.MjData(model)
    data.qpos[:] = START
    every = round(END / STEP / (SAMPLES - 1))
    rows = []
    for k in range(every * (SAMPLES - 1) + 1):
        mujoco.mj_forward(model, data)
        if k % every == 0:
            rows.append([data.time, *data.qpos, data.ten_length[0]])
        mujoco.mj_step(model, data)
    t, *angles, length = np.array(rows).T.tolist()
    values = {"by": f"MuJoCo {mujoco.__version__}, RK4, {STEP:g} s", "t": t, "angles": angles, "length": length}
    Path(__file__).with_suffix(".json").write_text(json.dumps(values, indent=1) + "\n")


if __name__ == "__main__":
    main()
