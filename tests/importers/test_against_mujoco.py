"""Robots from MuJoCo's files against MuJoCo: masses, forces, actuators, places, at random states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb

mujoco = pytest.importorskip("mujoco")


def random_robot(rng: np.random.Generator, bodies: int, size: float) -> str:
    """Return a random tree of bodies with hinges and slides, some of them several to a body, beside their origins."""
    inner: dict[int, list[int]] = {}
    for body in range(1, bodies):
        inner.setdefault(int(rng.integers(0, body)), []).append(body)
    actuated: list[str] = []

    def triple(scale: float) -> str:
        return " ".join(map(repr, map(float, rng.normal(size=3) * scale)))

    def written(body: int) -> str:
        joints = ""
        for k in range(int(rng.integers(1, 3))):
            name = f"j{body}_{k}"
            slide = rng.random() < 0.3
            actuated.append(name)
            joints += (
                f'<joint name="{name}" type="{"slide" if slide else "hinge"}" axis="{triple(1.0)}" '
                f'pos="{triple(0.1 * size)}" '
                f'damping="{rng.random()}" armature="{rng.random() * size**2}" stiffness="{rng.random()}" '
                f'springref="{rng.normal()}" ref="{rng.normal() * (size if slide else 1)}"/>'
            )
        children = "".join(written(child) for child in inner.get(body, ()))
        return (
            f'<body name="b{body}" pos="{triple(size)}" euler="{triple(60.0)}">{joints}'
            f'<geom type="box" size="{0.1 * size} {0.2 * size} {0.05 * size}" pos="{triple(0.2 * size)}" '
            f'euler="{triple(60.0)}" mass="{rng.uniform(0.5, 2.0)}"/><site name="s{body}" pos="{triple(0.3 * size)}"/>'
            f"{children}</body>"
        )

    world = written(0)
    actuators = "".join(
        f'<motor name="m_{name}" joint="{name}" gear="{rng.uniform(1, 9)}" ctrlrange="-2 2" ctrllimited="true"/>'
        if i % 2
        else f'<position name="p_{name}" joint="{name}" kp="{rng.uniform(1, 9)}" kv="{rng.uniform(0, 1)}"/>'
        for i, name in enumerate(actuated)
    )
    equality = ""
    if len(actuated) > 3:
        follower, leader = actuated[-1], actuated[0]
        equality = f'<equality><joint joint1="{follower}" joint2="{leader}" polycoef="0.3 -1.7 0 0 0"/></equality>'
    return (
        f'<mujoco model="arm"><option gravity="{triple(5.0)}"/><worldbody>{world}</worldbody>'
        f"<actuator>{actuators}</actuator>{equality}</mujoco>"
    )


@pytest.mark.filterwarnings("ignore:.*actuators are left out")
@pytest.mark.parametrize("seed", range(6))
def test_robots_agree_with_mujoco(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    path = tmp_path / "arm.xml"
    path.write_text(random_robot(rng, bodies=int(rng.integers(1, 6)), size=[0.1, 1.0, 10.0][seed % 3]))
    robot = fb.from_mjcf(path)
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    names = [mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_JOINT, j) for j in range(m.njnt)]
    sites = [mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_SITE, s) for s in range(m.nsite)]
    dae = fb.assemble(robot.model)
    leaders = [name for name in names if robot.coordinates[name] in dae.q_names]
    columns = [dae.q_names.index(robot.coordinates[name]) for name in leaders]
    G, offset = np.zeros((m.nv, len(leaders))), np.zeros(m.nv)
    for i, name in enumerate(names):
        if name in leaders:
            G[i, leaders.index(name)] = 1.0
    if m.neq:
        follower, leader = int(m.eq_obj1id[0]), int(m.eq_obj2id[0])
        constant, ratio = m.eq_data[0][:2]
        G[follower] = ratio * G[leader]
        offset[follower] = m.qpos0[follower] + constant - ratio * m.qpos0[leader]
    assert np.linalg.matrix_rank(G) == len(leaders)
    assert {name.partition("_")[2] for name in robot.inputs} == set(leaders)
    for _ in range(20):
        q, v, a = rng.uniform(-1, 1, (3, len(leaders)))
        d.qpos[:], d.qvel[:] = G @ q + offset, G @ v
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        for column in range(m.nv):
            unit, product = np.zeros(m.nv), np.zeros(m.nv)
            unit[column] = 1.0
            mujoco.mj_mulM(m, d, product, unit)
            M[:, column] = product
        ours = np.zeros((3, len(leaders)))
        ours[:, columns] = q, v, a
        close(np.array(dae.mass_matrix(ours[0], []))[np.ix_(columns, columns)], G.T @ M @ G)
        # The damping of position actuators is that of joints here.
        servo = np.zeros(m.nv)
        for i in range(m.nu):
            name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_ACTUATOR, i)
            if name in robot.inputs and name.startswith("p_"):
                j = int(m.actuator_trnid[i][0])
                servo[j] += m.actuator_gear[i][0] ** 2 * m.actuator_biasprm[i][2] * d.qvel[j]
        expected = G.T @ (M @ (G @ a) + d.qfrc_bias - d.qfrc_passive - servo)
        kp = np.zeros(m.nv)
        for i in range(m.nu):
            name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_ACTUATOR, i)
            if name in robot.inputs and name.startswith("p_"):
                j = int(m.actuator_trnid[i][0])
                kp[j] += m.actuator_gainprm[i][0] * d.qpos[j]
        force = np.array(dae.inverse_dynamics(*ours, [])).ravel()[columns]
        close(force, expected + G.T @ kp)
        outputs = np.array(dae.output([*ours[0], *ours[1]], np.zeros(len(dae.u)), [])).ravel()
        values = dict(zip(dae.y.names, outputs, strict=True))
        for s, name in enumerate(sites):
            close([values[f"{name}.{axis}"] for axis in "xyz"], d.site_xpos[s])


def close(found: object, expected: np.ndarray) -> None:
    found = np.squeeze(np.array(found))
    expected = np.squeeze(expected)
    assert np.abs(found - expected).max() <= 1e-10 * max(1.0, np.abs(expected).max())
