"""Reduced bodies in arms: statics, energy, momentum, frequencies, instructions, against beams and another program."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import flexblocks as fb
from arms.flexible_bodies import (
    ALUMINIUM,
    ANGLE_ENDS,
    LOAD,
    LOAD_INERTIA,
    angle,
    angle_mesh,
    arm,
    bar,
    bar_ends,
    bar_mesh,
    hung,
)
from flexblocks.bodies.finite_elements import finite_elements
from flexblocks.bodies.reduction import Reduction
from flexblocks.bodies.solid import patches, solid
from flexblocks.errors import FileFormatError, LargeDeflectionWarning, ParameterError
from flexblocks.interfaces import Carried

pytest.importorskip("skfem")


def link(name: str = "link", make=angle, **options) -> fb.ReducedBody:
    return fb.ReducedBody(name, body=make(), **options)


def test_sag_under_a_load_is_that_of_all_elements():
    """Static modes of the interface are among the twelve: a force there bends the body exactly."""
    of = solid(angle_mesh(), ALUMINIUM)
    nodes, centers = patches(of, ANGLE_ENDS)
    model = finite_elements(*of.matrices, of.nodes, nodes, centers)
    reduction = Reduction(model)
    K = (reduction.spread.T @ model.K @ reduction.spread).tocsc()
    force = np.zeros(K.shape[0])
    force[-4] = -9.81 * LOAD
    expected = sp.linalg.spsolve(K, force)[-6:]
    tip = angle().motion[1]
    modes = tip @ np.linalg.solve(angle().stiffness, tip.T @ np.r_[0, 0, -9.81 * LOAD, 0, 0, 0])
    np.testing.assert_allclose(modes, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    # In the arm with the weight of the body, which twelve modes carry almost exactly, and turns of true size.
    weight = np.zeros((len(of.nodes), 3))
    weight[:, 2] = -9.81 * np.asarray(model.scalar_mass.sum(axis=0)).ravel()
    both = sp.linalg.spsolve(K, force + reduction.spread.T @ weight.ravel())[-6:]
    point = fb.equilibrium(fb.assemble(hung(link(modes=12))))
    assert point["link.frame_b_deflection_z"] == pytest.approx(both[2], rel=1e-5)


def test_rigid_it_is_a_rigid_body_of_the_same_inertia():
    body = angle()
    rigid = fb.RigidBody("link", body.mass, body.inertia, tuple(body.center), tuple(body.points[1]))
    models = [arm(block, gravity=(0, -9.81, 1.0)) for block in (link(modes=0), rigid)]
    ours, theirs = (fb.assemble(model) for model in models)
    for dae in (ours, theirs):
        assert dae.q_names == ("joint1.angle",)
    q, v = np.array([0.3]), np.array([2.0])
    for name, arguments in (("mass_matrix", (q, [])), ("inverse_dynamics", (q, v, v, []))):
        one, other = (np.array(getattr(dae, name)(*arguments)) for dae in (ours, theirs))
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_what_a_rigid_twin_of_it_is():
    twin = fb.stiffen(arm(link()))
    assert twin["link"].modes == 0
    assert fb.assemble(twin).q_names == ("joint1.angle",)


def free_flight(**options) -> fb.Model:
    model = fb.Model("flight")
    ground, base = model.add(fb.Ground("ground")), model.add(fb.FreeMotion("base"))
    body, load = model.add(link(**options)), model.add(fb.Payload("load", 0.3, np.eye(3) * 1e-3))
    model.add(fb.TotalMomentum("total"))
    model.connect(ground.frame_b, base.frame_a)
    model.connect(base.frame_b, body.frame_a)
    model.connect(body.frame_b, load.frame_a)
    return model


def test_momentum_and_energy_are_kept_in_free_flight():
    """To 1e-12 of the length of each vector, and of the energy."""
    dae = fb.assemble(free_flight(modes=3))
    moving = {name: 0.5 for name in dae.x.names if name.startswith("der(base.")}
    x0 = moving | {f"der(link.mode[{i}])": value for i, value in enumerate((0.02, -0.01, 0.015), 1)}
    run = fb.simulate(dae, t=np.linspace(0, 0.2, 6), x0=x0, rtol=1e-13, atol=1e-15)
    for kind in ("momentum", "angular_momentum"):
        values = np.array([run[f"total.{kind}_{axis}"] for axis in "xyz"])
        size = np.linalg.norm(values[:, 0])
        assert size > 0.01
        assert np.ptp(values, axis=1).max() < 1e-12 * size
    energy = run["kinetic_energy"] + run["potential_energy"]
    assert np.ptp(energy) < 1e-12 * energy.max()


@pytest.mark.parametrize(("make", "modes", "stiffening"), [(angle, 4, False), (bar, 4, True)])
def test_closed_velocity_forces_are_the_derivatives_of_the_energy(make, modes, stiffening):
    """Without it assembly of a block of one's own would refuse it."""
    from flexblocks.dynamics.evaluation.contract import _check_bodies, _check_kinetic, check_dependence

    for body in fb.assemble(arm(link(make=make, modes=modes, stiffening=stiffening))).tree.bodies:
        check_dependence(body.terms)
        _check_kinetic(body.terms)
        _check_bodies(body.terms)


def test_power_in_is_energy_gained():
    dae = fb.assemble(arm(link(modes=3, damping_ratio=0.0), gravity=(0, -9.81, 0)))
    run = fb.simulate(dae, t=np.linspace(0, 0.2, 21), u={"motor1.torque": lambda t: 5 * np.sin(30 * t)}, rtol=1e-11)
    balance = run["kinetic_energy"] + run["potential_energy"] - run["work"]
    assert np.ptp(balance) < 1e-8 * np.ptp(run["work"])


@pytest.mark.slow
def test_a_bar_of_solids_has_the_frequencies_of_a_beam():
    """Slender: 1 m by 2 cm by 1 cm, without Poisson's ratio, of which solids clamped in a plane are stiffer."""
    section, material = fb.Rectangle(height=0.01, width=0.02), fb.Material(2700.0, 70e9, 0.0)
    beam = fb.FlexibleBeam(
        "link",
        1.0,
        section=section,
        material=material,
        bending="yz",
        shear=True,
        rotary_inertia=True,
        discretization=fb.AssumedModes(3),
    )
    body = fb.FlexibleBody.from_mesh(bar_mesh(n=40), material, bar_ends(), quadratic=False)
    ours, theirs = (
        fb.linearize(fb.assemble(hung(block, (0, 0, 0)))).modes()
        for block in (fb.ReducedBody("link", body=body, modes=4), beam)
    )
    for i in range(3):
        assert ours[i].frequency == pytest.approx(theirs[i].frequency, rel=1e-3)


def test_damping_is_that_of_each_mode_with_what_it_carries():
    modes = fb.linearize(fb.assemble(hung(link(modes=3, damping_ratio=0.02), (0, 0, 0)))).modes()
    np.testing.assert_allclose([mode.damping_ratio for mode in modes], 0.02, rtol=1e-6)
    dae = fb.assemble(hung(link(modes=2, damping_ratio=0.02)), symbolic=("link.damping_ratio",))
    assert dae.p.names == ("link.damping_ratio",)


def test_two_links_take_few_instructions():
    links = [link(f"link{i}", modes=4) for i in (1, 2)]
    assert fb.assemble(arm(*links)).forward_dynamics.n_instructions() <= 3800
    rough = dataclasses.replace(angle(), negligible=1e-4)
    links = [fb.ReducedBody(f"link{i}", body=rough, modes=4) for i in (1, 2)]
    assert fb.assemble(arm(*links)).forward_dynamics.n_instructions() <= 2950
    links = [link(f"link{i}", make=bar, modes=4, stiffening=True) for i in (1, 2)]
    assert fb.assemble(arm(*links)).forward_dynamics.n_instructions() <= 6400


def slewed(block) -> np.ndarray:
    """Return the path of the load of an arm that is thrown to some 10 rad/s in a second."""
    model = arm(block)
    rotor = model.add(fb.Rotor("rotor", inertia=0.05))
    model.connect(rotor.flange_b, model["joint1"].axis)
    run = fb.simulate(
        fb.assemble(model), t=np.linspace(0, 1, 41), u={"motor1.torque": lambda t: 20 * np.sin(np.pi * t)}
    )
    assert run["der(joint1.angle)"].max() > 10
    return np.array([run["load.x"], run["load.y"]])


@pytest.mark.slow
def test_with_quadratic_modes_a_fast_slew_is_that_of_a_geometrically_exact_beam():
    section, material = fb.Rectangle(height=0.01, width=0.02), fb.Material(2700.0, 70e9, 0.0)
    exact = slewed(fb.FlexibleBeam("link", 1.0, section=section, material=material, discretization=fb.StrainModes(3)))
    fine = fb.FlexibleBody.from_mesh(bar_mesh(n=24), material, bar_ends())
    errors = {
        stiffening: np.abs(slewed(fb.ReducedBody("link", body=fine, modes=4, stiffening=stiffening)) - exact).max()
        for stiffening in (False, True)
    }
    assert errors[True] < 1e-4
    assert errors[False] > 1e-3


def test_stiffening_raises_the_frequency_of_a_spinning_bar():
    """Southwell: omega^2 = omega_0^2 + 1.19 Omega^2 for the first mode of a bar across the plane of its spin."""
    spin, first = 20.0, {}
    for stiffening in (False, True):
        block = link(make=bar, modes=4, stiffening=stiffening, tip="free")
        turning = fb.assemble(arm(block, load=1e-9))
        q, v, h, columns = np.zeros(5), np.r_[spin, np.zeros(4)], 1e-6, []
        for i in range(1, 5):
            step = np.eye(5)[i] * h
            up, down = (np.array(turning.inverse_dynamics(q + s * step, v, np.zeros(5), [])).ravel() for s in (1, -1))
            columns.append(((up - down) / (2 * h))[1:])
        K = np.array(columns).T
        M = np.array(turning.mass_matrix(q, []))[1:, 1:]
        tip = np.abs(block.kept(Carried()).motion[1, :3])
        across = int(np.flatnonzero(tip[2] > tip[1])[0])
        first[stiffening] = K[across, across] / M[across, across]
    assert first[True] - first[False] == pytest.approx(1.19 * spin**2, rel=0.03)


def test_stress_at_the_root_is_that_of_bending():
    """sigma = M y / I, the moment of the load's weight at the place."""
    point = fb.equilibrium(fb.assemble(hung(link(make=bar, modes=8), (0, -9.81, 0))))
    moment = 9.81 * (LOAD * 0.95 + bar().mass * 0.95**2 / 2)
    assert point["link.root.stress"] == pytest.approx(moment * 0.005 / (0.02 * 0.01**3 / 12), rel=0.03)


def test_a_large_deflection_is_warned_of():
    dae = fb.assemble(hung(link(make=bar, modes=4), (0, -9.81, 0), load=12.0))
    with pytest.warns(LargeDeflectionWarning, match=r"ReducedBody\(modes=4\) is off by about"):
        fb.equilibrium(dae)


def test_a_model_with_bodies_comes_back_from_files_and_pickles(tmp_path):
    angle().save(tmp_path / "link.npz")
    model = arm(link(modes=2))
    (tmp_path / "models").mkdir()
    path = tmp_path / "models" / "arm.yaml"
    model.save(path)
    assert f"{{type: BodyFile, path: ../link.npz, digest: {angle().digest}}}" in path.read_text()
    again = fb.load(path)
    assert again.blocks == model.blocks
    assert pickle.loads(pickle.dumps(model)).blocks == model.blocks
    bar().save(tmp_path / "link.npz")
    with pytest.raises(FileFormatError, match=r"link.npz: holds the body"):
        fb.load(path)
    with pytest.raises(FileFormatError, match=r"save it before the model: body.save"):
        arm(fb.ReducedBody("link", body=dataclasses.replace(bar(), negligible=1e-8))).save(path)


def test_more_or_fewer_modes():
    model = arm(link(modes=2, tip="free"))
    assert fb.rediscretize(model)["link"].modes == 6
    assert fb.rediscretize(model, fb.AssumedModes(3))["link"].modes == 3
    assert fb.rediscretize(model, {"link": fb.Rigid()})["link"].modes == 0
    assert fb.rediscretize(model, fb.FiniteElements(2))["link"] == model["link"]
    with pytest.raises(ParameterError, match=r"must be fb.AssumedModes"):
        fb.rediscretize(model, {"link": fb.FiniteElements(2)})
    with pytest.raises(ParameterError, match=r"from 0 .rigid. to the 12"):
        fb.rediscretize(model, fb.AssumedModes(13))


def test_check_tells_mass_and_frequencies():
    text = str(arm(link()).check())
    assert "link: mass" in text
    assert "link: finite elements, clamped, free:" in text
    assert "4 modes, clamped, with 1 kg at frame_b" in text


def test_wrong_arguments_are_refused():
    for options, match in (
        ({"modes": -1}, "modes = -1; must be a whole number from 0"),
        ({"modes": 13}, "to the 12 that the body has"),
        ({"stiffening": True}, "needs quadratic modes, which matrices do not have"),
        ({"tip": "pinned"}, "must be one of 'auto', 'free'"),
        ({"damping_ratio": 1.5}, "damping_ratio = 1.5"),
    ):
        with pytest.raises(ParameterError, match=match):
            link(**options)
    with pytest.raises(ParameterError, match=r"body = None; must be a fb.FlexibleBody"):
        fb.ReducedBody("link", None)


def test_a_third_interface_is_a_port():
    of = solid(angle_mesh(), ALUMINIUM)
    ends = patches(of, ANGLE_ENDS)[0]
    ends["elbow"] = np.flatnonzero(np.linalg.norm(of.nodes - (0.5, 0.0, 0.0), axis=1) < 0.021)
    body = fb.FlexibleBody.from_matrices(*of.matrices, of.nodes, ends, modes=14, points={"elbow": (0.5, 0, 0)})
    model = hung(fb.ReducedBody("link", body=body, modes=3))
    load = model.add(fb.Payload("second", 0.5, np.eye(3) * 1e-3))
    model.connect(model["link"].elbow, load.frame_a)
    dae = fb.assemble(model)
    point = fb.equilibrium(dae)
    assert point["link.elbow_deflection_z"] < 0
    assert point["second.z"] == pytest.approx(point["link.elbow_deflection_z"] + body.points[2, 2], abs=1e-9)
    # Its three modes are those of all elements with both loads.
    loads = [np.diag([LOAD_INERTIA] * 3 + [LOAD] * 3), np.diag([1e-3] * 3 + [0.5] * 3)]
    points = {"elbow": (0.5, 0, 0)}
    exact = Reduction(finite_elements(*of.matrices, of.nodes, ends, points)).full_frequencies(3, np.array(loads))
    found = [mode.frequency for mode in fb.linearize(dae).modes()]
    np.testing.assert_allclose(found, exact, rtol=1e-3)
    assert "with 1 kg at frame_b, 0.5 kg at elbow" in str(model.check())


@pytest.mark.slow
def test_slews_are_those_of_exudyns_reduced_bodies():
    """The same matrices, 12 modes, floating frames (ObjectFFRFreducedOrder)."""
    pytest.importorskip("exudyn")
    from oracles.exudyn_bodies import slew

    of = solid(angle_mesh(), ALUMINIUM)
    nodes, _ = patches(of, ANGLE_ENDS)
    body = fb.FlexibleBody.from_matrices(*of.matrices, of.nodes, nodes)
    torques = (3.0, 1.5)
    duration = 0.3
    times, places, _ = slew(of.matrices, of.nodes, nodes, torques, duration, LOAD, LOAD_INERTIA)
    links = [fb.ReducedBody(f"link{i}", body=body, modes=12) for i in (1, 2)]
    signals = {
        f"motor{i}.torque": (lambda t, a=a: a * np.sin(2 * np.pi * t / duration)) for i, a in enumerate(torques, 1)
    }
    run = fb.simulate(fb.assemble(arm(*links)), t=times, u=signals)
    ours = np.array([run[f"load.{axis}"] for axis in "xyz"]).T
    assert np.abs(ours - places).max() < 1e-6


def test_bodies_are_compared_and_leave_for_other_tools(tmp_path):
    import fmpy

    from flexblocks import export

    model = arm(link(modes=2, damping_ratio=0.01), gravity=(0, -9.81, 0))
    comparison = fb.compare(
        model, [fb.AssumedModes(2), fb.AssumedModes(4)], t=(0, 0.02), at={"joint1.angle": 0.0}, output="load.y"
    )
    frequencies = comparison.table["frequency 1 [rad/s]"]
    assert frequencies.iloc[0] == pytest.approx(frequencies.iloc[1], rel=0.01)
    export.fmu(fb.assemble(model), tmp_path / "arm.fmu")
    names = [variable.name for variable in fmpy.read_model_description(tmp_path / "arm.fmu").modelVariables]
    assert "link.mode[1]" in names
    assert "link.frame_b_deflection_y" in names


def test_studies_know_bodies_by_their_numbers():
    from flexblocks.studies.identity import _entries

    def described(body: fb.FlexibleBody) -> dict[str, str]:
        return dict(_entries("", {"task": arm(fb.ReducedBody("link", body=body, modes=2))}))

    same = dataclasses.replace(angle())
    assert described(same) == described(dataclasses.replace(angle()))
    assert described(same) != described(dataclasses.replace(angle(), stiffness=1.01 * angle().stiffness))


def test_coordinates_are_probed_within_the_range_of_quadratic_modes():
    """A tenth of a metre of an axial mode, beyond all strains, would say that it moves no mass."""
    assert fb.assemble(arm(link(make=bar, modes=8, stiffening=True))).tree.size == 9
