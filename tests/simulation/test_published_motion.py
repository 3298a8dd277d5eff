"""The motions of the arm of Subudhi & Morris (2002), by every method, beside independent numbers."""

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import models
from oracles.published import reference

REFERENCE = reference("subudhi_morris_2002")
ARM = models.subudhi_morris_2002(shapes="as-printed")
BOTH = ("motor1.torque", "motor2.torque")
MILLISECONDS = np.linspace(0.0, 5.0, 5001)


@pytest.fixture(scope="module")
def bang_bang():
    """The paper's input: +0.2 then -0.2 N m for half a second each at both motors."""
    return fb.simulate(fb.assemble(ARM), MILLISECONDS, u=dict.fromkeys(BOTH, fb.bang_bang(0.2, 0.5)))


def test_bang_bang_against_published_arm(bang_bang):
    """Every sample within 1e-4 rad and 1e-4 m; ``theta`` are the joints' angles, tip bodies as in eqs 47, 48."""
    expected = REFERENCE["bang_bang_0.2Nm_0.5s_each_clamped_mass_as_printed"]["flexible joints"]
    theta = np.column_stack([bang_bang["joint1.angle"], bang_bang["joint2.angle"]])
    tip = np.column_stack([bang_bang["link1.tip_deflection_y"], bang_bang["link2.tip_deflection_y"]])
    np.testing.assert_allclose(theta[::250], expected["theta_250ms"], rtol=0, atol=1e-4)
    np.testing.assert_allclose(tip[::250], expected["tip_250ms"], rtol=0, atol=1e-4)
    bent = np.column_stack([bang_bang["spring1.deflection"], bang_bang["spring2.deflection"]])
    for series, key in ((theta, "peak_theta"), (tip, "peak_tip"), (bent, "peak_joint_defl")):
        np.testing.assert_allclose(np.abs(series).max(axis=0), expected[key], rtol=0, atol=1e-6)


def test_energy_of_the_bang_bang_motion(bang_bang):
    """Nothing is damped: what the motors put in is there, within 1e-8 J."""
    energy = bang_bang["kinetic_energy"] + bang_bang["potential_energy"]
    assert np.abs(energy - bang_bang["work"]).max() < 1e-8
    assert bang_bang["work"].max() > 0.01


@pytest.mark.parametrize("method", ["bdf", "rk4"])
def test_methods_agree_on_the_bang_bang_motion(bang_bang, method):
    options = {"step": 1e-4} if method == "rk4" else {}
    t = MILLISECONDS[:2001]
    u = dict.fromkeys(BOTH, fb.bang_bang(0.2, 0.5))
    other = fb.simulate(fb.assemble(ARM), t, u=u, method=method, **options)
    np.testing.assert_allclose(other["joint2.angle"], bang_bang["joint2.angle"][:2001], rtol=0, atol=1e-7)


@pytest.mark.parametrize("options", [{}, {"method": "dop853"}], ids=["auto", "dop853"])
def test_smooth_input_against_published_arm(options):
    """0.2 sin(2 pi t) N m for a second at both motors, two clamped-free modes a link: within 1e-6."""
    expected = REFERENCE["smooth_input_0.2sin(2pi t)_t<1_two_clamped_free_modes"]
    dae = subudhi_morris(shapes="clamped-free")
    u = dict.fromkeys(BOTH, lambda t: 0.2 * np.sin(2 * np.pi * t) * (t < 1))
    got = fb.simulate(dae, np.array(expected["t"]), u=u, **options)
    for key, names in (
        ("rotor_angle", ("rotor1.angle", "rotor2.angle")),
        ("joint_angle", ("joint1.angle", "joint2.angle")),
        ("tip_deflection", ("link1.tip_deflection_y", "link2.tip_deflection_y")),
    ):
        np.testing.assert_allclose(np.column_stack([got[n] for n in names]), expected[key], rtol=0, atol=1e-6)
