"""Reduced linear models: what they keep exactly, and how near they come otherwise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from benchmarks.reduction import arm
from flexblocks import export
from flexblocks.errors import ComputationError, ParameterError
from flexblocks.linear.spectral_split import split_rigid, split_stable


def linear(damping: float = 0.005) -> fb.LinearModel:
    dae = arm(damping=damping)
    point = fb.equilibrium(dae, x={"joint1.angle": 0.0, "joint2.angle": 0.7})
    return fb.linearize(dae, point, outputs=("payload.x", "payload.y"))


DAMPED, UNDAMPED = linear(), linear(0.0)


def response(lin: fb.LinearModel, frequencies: np.ndarray) -> np.ndarray:
    identity = np.eye(len(lin.A))
    return np.array([lin.C @ np.linalg.solve(1j * w * identity - lin.A, lin.B) + lin.D for w in frequencies])


def error(lin: fb.LinearModel, reduced: fb.LinearModel) -> float:
    """Largest relative error of the transfer function up to the third elastic mode."""
    third = [mode.frequency for mode in lin.modes() if mode.eigenvalue != 0][2]
    # The undamped arm has no response at its own frequencies.
    frequencies = np.geomspace(0.1, third, 300) * (1 + 1e-6)
    whole, small = response(lin, frequencies), response(reduced, frequencies)
    return float(np.max(np.linalg.norm(whole - small, 2, axis=(1, 2)) / np.linalg.norm(whole, 2, axis=(1, 2))))


@pytest.mark.parametrize("lin", [DAMPED, UNDAMPED], ids=["damped", "undamped"])
def test_twelve_of_sixty_states_keep_the_tip_within_a_percent(lin: fb.LinearModel) -> None:
    assert len(lin.states) == 60
    reduced = fb.reduce(lin, states=12)
    assert len(reduced.states) == 12
    assert error(lin, reduced) < 0.01
    poles = np.linalg.eigvals(reduced.A)
    assert np.count_nonzero(poles == 0) == 4  # not nearly: two joints, position and rate
    assert np.all(poles.real <= 0)
    # The static gain is what does it: without, the error is more than four times the permitted one.
    assert error(lin, fb.reduce(lin, 12, "modal")) > 0.04


@pytest.mark.parametrize("method", ["modal", "residualized"])
def test_poles_are_the_slowest_poles(method: str) -> None:
    reduced = fb.reduce(DAMPED, 12, method)
    found = np.sort_complex(np.linalg.eigvals(reduced.A))
    expected = [value for mode in DAMPED.modes() for value in (mode.eigenvalue, np.conj(mode.eigenvalue))][:12]
    assert np.allclose(found, np.sort_complex(np.array(expected)), rtol=1e-8, atol=1e-8)
    assert not fb.reduce(DAMPED, 12, "modal").D.any()


def test_balanced_reduction_stays_below_its_bound() -> None:
    """The bound of Liu & Anderson; Hankel singular values from the eigenvalues of the product of Gramians."""
    import scipy.linalg

    rigid, elastic = split_rigid(DAMPED.A)
    B, C = elastic.left @ DAMPED.B, DAMPED.C @ elastic.right
    P = scipy.linalg.solve_continuous_lyapunov(elastic.A, -B @ B.T)
    Q = scipy.linalg.solve_continuous_lyapunov(elastic.A.T, -C.T @ C)
    hankel = np.sqrt(np.sort(np.linalg.eigvals(P @ Q).real)[::-1].clip(0))
    frequencies = np.geomspace(0.1, 3e4, 2000)
    whole = response(DAMPED, frequencies)
    for states in (8, 12, 20):
        reduced = fb.reduce(DAMPED, states, "balanced")
        assert np.count_nonzero(np.linalg.eigvals(reduced.A) == 0) == len(rigid.A) == 4
        gap = np.max(np.linalg.norm(whole - response(reduced, frequencies), 2, axis=(1, 2)))
        left_out = hankel[states - 4 :]
        assert 0.1 * left_out[0] < gap <= 2 * np.sum(left_out)
    assert error(DAMPED, fb.reduce(DAMPED, 20, "balanced")) < 1e-3


def test_balanced_reduction_keeps_the_tip_within_a_percent() -> None:
    reduced = fb.reduce(DAMPED, 12, "balanced")
    assert error(DAMPED, reduced) < 0.01
    assert np.all(np.linalg.eigvals(reduced.A).real <= 0)


def test_what_does_not_decay_is_kept_by_balanced_reduction() -> None:
    """A pendulum standing up: one pole to the right, no damping at the joint."""
    model = fb.Model("upright", gravity=(0.0, -9.81, 0.0))
    joint, motor = model.add(fb.Revolute("joint", start=np.pi / 2)), model.add(fb.TorqueSource("motor"))
    mesh = fb.FiniteElements(6)
    link = model.add(fb.FlexibleBeam("link", 1.0, 0.5, 20.0, discretization=mesh, damping_ratio=0.01, bending="y"))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, model.add(fb.Payload("payload", 0.5, 0.0)).frame_a)
    lin = fb.linearize(fb.assemble(model), outputs=("payload.x",))
    unstable = max(np.linalg.eigvals(lin.A).real)
    assert unstable > 1
    reduced = fb.reduce(lin, 8, "balanced")
    assert max(np.linalg.eigvals(reduced.A).real) == pytest.approx(unstable, rel=1e-9)
    frequencies = np.geomspace(0.1, 30, 50)
    assert np.allclose(response(reduced, frequencies), response(lin, frequencies), rtol=3e-3)
    still = np.zeros(1)
    assert np.allclose(response(reduced, still), response(lin, still), rtol=1e-10)  # the static gain


def test_modes_of_a_reduced_model_name_the_blocks() -> None:
    for lin in (DAMPED, UNDAMPED):
        for whole, small in zip(lin.modes(), fb.reduce(lin, 12).modes(), strict=False):
            assert small.eigenvalue == pytest.approx(whole.eigenvalue, rel=1e-8)
            assert small.shape.shape == whole.shape.shape
            if whole.eigenvalue:
                for block, share in whole.participation.items():
                    assert small.participation[block] == pytest.approx(share, abs=1e-6)
    assert "unstable" not in str(fb.reduce(UNDAMPED, 12).modes())


def test_reducing_twice_is_reducing_once() -> None:
    once, twice = fb.reduce(DAMPED, 8), fb.reduce(fb.reduce(DAMPED, 16, "modal"), 8, "modal")
    assert np.allclose(np.sort_complex(np.linalg.eigvals(twice.A)), np.sort_complex(np.linalg.eigvals(once.A)), 1e-7)
    assert twice.basis is not None
    assert twice.basis.matrix.shape == (60, 8)
    assert twice.basis.states == DAMPED.states
    assert fb.reduce(DAMPED, 60) is DAMPED


def test_a_pair_is_not_torn_apart_and_everything_can_go() -> None:
    assert len(fb.reduce(DAMPED, 11).states) == 10
    assert fb.reduce(DAMPED, 4).states == ("rigid[1]", "rigid[2]", "rigid[3]", "rigid[4]")
    assert fb.reduce(DAMPED, 6).states[4:] == ("mode[1]", "mode[2]")


@pytest.mark.parametrize("suffix", [".mat", ".json", ".npz"])
def test_files_and_control_take_reduced_models(tmp_path: Path, suffix: str) -> None:
    reduced = fb.reduce(DAMPED, 12)
    export.save_linear(reduced, tmp_path / f"arm{suffix}")
    again = fb.load(tmp_path / f"arm{suffix}")
    assert again.states == reduced.states
    assert again.basis is not None
    assert np.array_equal(again.basis.matrix, reduced.basis.matrix)
    assert again.basis.states == DAMPED.states
    assert again.operating_point.states == DAMPED.states
    assert str(again.modes()) == str(reduced.modes())
    assert reduced.to_control().nstates == 12


def test_split_is_invariant_and_exact() -> None:
    lin = fb.linearize(subudhi_morris())
    rigid, rest = split_rigid(lin.A)
    assert np.array_equal(np.tril(rigid.A), np.zeros((4, 4)))
    scale = np.max(np.abs(lin.A))
    for part in (rigid, rest):
        assert np.max(np.abs(lin.A @ part.right - part.right @ part.A)) < 1e-12 * scale
        assert np.max(np.abs(part.left @ lin.A - part.A @ part.left)) < 1e-11 * scale
        assert np.allclose(part.left @ part.right, np.eye(len(part.A)), atol=1e-11)
    assert np.allclose(rigid.left @ rest.right, 0, atol=1e-11)
    assert np.min(np.abs(np.linalg.eigvals(rest.A))) > 10
    slow, fast = split_stable(np.array([[0.5, 1.0, 0.0], [0.0, -1.0, 2.0], [0.0, -2.0, -1.0]]), 1e-9)
    assert np.allclose(slow.A, [[0.5]])
    assert np.allclose(np.sort_complex(np.linalg.eigvals(fast.A)), [-1 - 2j, -1 + 2j])


@pytest.mark.parametrize(
    ("states", "method", "error_type", "words"),
    [
        (12, "balance", ParameterError, r"'balance'\. Did you mean balanced"),
        (0, "modal", ParameterError, "states = 0; must be a whole number > 0"),
        (2.5, "modal", ParameterError, "states = 2.5"),
        (3, "modal", ComputationError, "states = 3; the rigid-body motions take 4"),
    ],
)
def test_refusals(states: int, method: str, error_type: type, words: str) -> None:
    with pytest.raises(error_type, match=words):
        fb.reduce(DAMPED, states, method)


def test_an_undamped_arm_cannot_be_balanced() -> None:
    with pytest.raises(ComputationError, match="do not decay take 60, which are kept exactly; damp the beams"):
        fb.reduce(UNDAMPED, 12, "balanced")
