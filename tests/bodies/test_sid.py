"""Bodies in SID files: they come back, frequencies are those named, and errors are reported."""

from __future__ import annotations

import re

import numpy as np
import pytest

import flexblocks as fb
from arms.flexible_bodies import angle
from flexblocks.bodies.sid_text import read_sid
from flexblocks.errors import FileFormatError, ModelWarning, ParameterError

pytest.importorskip("skfem")

ENDS = {"frame_a": 1, "frame_b": 2}


@pytest.fixture(scope="module")
def text(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("sid") / "link.SID_FEM"
    angle().save_sid(path)
    return path.read_text()


def read(folder, text: str, **changed) -> fb.FlexibleBody:
    (folder / "link.SID_FEM").write_text(text)
    return fb.FlexibleBody.from_sid(**({"path": folder / "link.SID_FEM", "interfaces": ENDS} | changed))


def test_a_body_comes_back(tmp_path, text):
    body, again = angle(), read(tmp_path, text)
    assert again.mass == body.mass
    assert again.names == body.names
    for name in ("first", "second", "stiffness", "points", "motion"):
        expected = getattr(body, name)
        np.testing.assert_allclose(getattr(again, name), expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_allclose(again.frequencies, body.natural_frequencies, rtol=1e-8)


def test_series_are_those_of_the_standard(tmp_path, text):
    """Derivatives of J, Coriolis and centrifugal terms, against integrals over a deformed body."""
    (tmp_path / "link.SID_FEM").write_text(text)
    content, body = read_sid(tmp_path / "link.SID_FEM"), angle()
    rng = np.random.default_rng(0)
    q, s, w = rng.normal(size=12), rng.normal(size=12), rng.normal(size=3)
    one = np.r_[1.0, q]
    moved = np.einsum("k,kjab->jab", one, body.second)  # integrals of r phi_j'
    J = content.series["J"]
    linear = body.second[0, 0] + np.einsum("k,kab->ab", q, body.second[1:, 0] + body.second[0, 1:])
    np.testing.assert_allclose(
        J.zeroth + np.einsum("ikj,k->ij", J.first, q), np.trace(linear) * np.eye(3) - linear, atol=1e-9
    )
    Oe = content.series["Oe"]
    squares = np.array([w[0] ** 2, w[1] ** 2, w[2] ** 2, w[0] * w[1], w[1] * w[2], w[0] * w[2]])
    centrifugal = (Oe.zeroth + np.einsum("ikj,k->ij", Oe.first, q)) @ squares
    exact = [w @ moved[j] @ w - w @ w * np.trace(moved[j]) for j in range(1, 13)]
    np.testing.assert_allclose(centrifugal, exact, atol=1e-9 * np.abs(exact).max())
    spin = np.einsum("k,kjab->jab", s, body.second[1:, 1:])  # integrals of rdot phi_j'
    coriolis = [2 * w @ np.array([A[1, 2] - A[2, 1], A[2, 0] - A[0, 2], A[0, 1] - A[1, 0]]) for A in spin]
    Ge = content.series["Ge"].zeroth.reshape(12, 12, 3)
    np.testing.assert_allclose(np.einsum("jka,k,a->j", Ge, s, w), coriolis, atol=1e-9 * np.abs(coriolis).max())


def test_a_body_of_a_file_moves_as_the_body_itself(tmp_path, text):
    from arms.flexible_bodies import arm

    daes = [
        fb.assemble(arm(fb.ReducedBody("link", body=body, modes=3)), locked={})
        for body in (angle(), read(tmp_path, text))
    ]
    x = np.linspace(-0.01, 0.01, 8)
    one, other = (np.array(dae.forward_dynamics(x, [0.3], [])).ravel() for dae in daes)
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6 * np.abs(one).max())


def test_other_conventions_of_oe_are_seen(tmp_path, text):
    """The other order of its last columns, which some programs have; numbers with D for the exponent."""
    head, begin, rest = text.partition("\n  Oe\n")
    inside, end, tail = rest.partition("  end Oe")
    swap = {"   5)": "   6)", "   6)": "   5)"}
    swapped = re.sub(r"   [56]\)", lambda match: swap[match[0]], inside)
    other = (head + begin + swapped + end + tail).replace("E+", "D+").replace("E-", "D-")
    expected = angle().second
    np.testing.assert_allclose(read(tmp_path, other).second, expected, atol=1e-9 * np.abs(expected).max())


def test_what_is_wrong_in_a_file_is_told(tmp_path, text):
    with pytest.raises(ParameterError, match="has no node 7; it has 1, 2"):
        read(tmp_path, text, interfaces={"frame_a": 1, "frame_b": 7})
    with pytest.raises(ParameterError, match="its modes move node 2"):
        read(tmp_path, text, interfaces={"frame_a": 2, "frame_b": 1})
    with pytest.raises(ParameterError, match="must name the nodes of frame_a and frame_b"):
        read(tmp_path, text, interfaces={"frame_a": 1})
    with pytest.raises(FileFormatError, match="must be a SID file"):
        read(tmp_path, "part\nend part\n")
    with pytest.raises(FileFormatError, match=r"line \d+: .*is no line of a SID file"):
        read(tmp_path, text.replace("m0(   1,   1) = ", "m0(   1,   1) = x", 1))
    stiff = re.sub(r"(  Oe\n(?:.*\n)*?.*m1\(   1,   1,   1\) = ).*", r"\g<1>1.0E+3", text, count=1)
    with pytest.raises(ParameterError, match="if it holds geometric stiffening"):
        read(tmp_path, stiff)
    flat = re.sub(r"(  Cr\n    order     = )1", r"\g<1>0", text, count=1)
    with pytest.raises(ParameterError, match="of order 0, which leaves inertia unknown"):
        read(tmp_path, flat)
    with pytest.warns(ModelWarning, match=r"frequency 1 of Ke and Me is .* and the file names 1 Hz"):
        read(tmp_path, re.sub(r"Eigen Mode    1 : \S+ Hz", "Eigen Mode    1 : 1.0 Hz", text))
