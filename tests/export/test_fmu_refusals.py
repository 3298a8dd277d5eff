"""What cannot be exported, and what an exported arm cannot compute, is said clearly."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.special import beta

import flexblocks as fb
from arms.fmu_arms import VERSIONS, dae, exported
from arms.fmu_instance import Fmu
from arms.one_link import joint_arm
from flexblocks import export
from flexblocks.dae import compiler
from flexblocks.dae.compiler import CompilerError
from flexblocks.errors import FileFormatError, FlexblocksWarning, NameUnknownError, ParameterError
from flexblocks.interfaces.block_variables import GUEST, Coordinate, Variable
from flexblocks.interfaces.frame import Frame
from flexblocks.interfaces.local import Local
from flexblocks.interfaces.physics import Load, Physics
from flexblocks.interfaces.ports import flange

needs_compiler = pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"version": "1.0"}, ParameterError, r"fmu: version = '1\.0'; must be one of '2\.0', '3\.0'"),
        ({"kind": "modelexchange"}, ParameterError, "kind = 'modelexchange'.*Did you mean ModelExchange"),
        ({"kind": ()}, ParameterError, "kind is empty"),
        ({"tolerance": 0}, ParameterError, "tolerance = 0; must be a number > 0 and < 1"),
        ({"outputs": ["joint.angel"]}, NameUnknownError, "no output or state 'joint.angel'.*Did you mean joint.angle"),
    ],
)
def test_refused_before_anything_is_written(tmp_path: Path, options: dict, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        export.fmu(dae("algebraic"), tmp_path / "arm.fmu", **options)
    assert not list(tmp_path.iterdir())


def test_wrong_path(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"arm\.zip: suffix '\.zip'; must be \.fmu"):
        export.fmu(dae("algebraic"), tmp_path / "arm.zip")
    with pytest.raises(FileFormatError, match="there is no folder"):
        export.fmu(dae("algebraic"), tmp_path / "nowhere" / "arm.fmu")


def test_without_a_compiler_there_are_sources_and_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.warns(FlexblocksWarning, match=r"no C compiler was found.*sources alone"):
        path = export.fmu(dae("algebraic"), tmp_path / "arm.fmu")
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    assert "sources/generated_equations.h" in names
    assert not [name for name in names if name.startswith("binaries")]
    with pytest.raises(CompilerError, match="fmu: no C compiler was found"):
        export.fmu(dae("algebraic"), tmp_path / "other.fmu", binary=True)
    assert not (tmp_path / "other.fmu").exists()


@needs_compiler
@pytest.mark.parametrize("version", VERSIONS)
def test_another_model_description_is_noticed(version: str) -> None:
    fmu = Fmu(exported("algebraic", version), "CoSimulation", token="{of another model}")
    with pytest.raises(Exception, match="instantiate"), fmu:
        pass
    assert "belongs to another" in fmu.messages[0]


@needs_compiler
@pytest.mark.parametrize("version", VERSIONS)
def test_calls_out_of_order_are_refused_by_name(version: str) -> None:
    with Fmu(exported("algebraic", version), "CoSimulation") as fmu:
        with pytest.raises(Exception, match="DoStep"):
            fmu.step(0.0, 0.1)
        assert fmu.messages[-1] == f"fmi{version[0]}DoStep is not allowed in instantiated mode."
        fmu.initialize()
        with pytest.raises(Exception, match="Set"):
            fmu.set({"joint.angle": 1.0})
        assert "cannot be set after initialization" in fmu.messages[-1]
        with pytest.raises(Exception, match="Set"):
            fmu.set({"motor.voltage": float("nan")})
        assert "must be finite" in fmu.messages[-1]
        fmu.step(0.0, 0.1)
        with pytest.raises(Exception, match="DoStep"):
            fmu.step(0.3, 0.1)
        assert "starts at 0.3 s; the last one ended at 0.1 s" in fmu.messages[-1]
        with pytest.raises(Exception, match="tate"):
            fmu.deserialize(b"something else")
        assert "no saved state of this FMU" in fmu.messages[-1]


@dataclass(frozen=True)
class EndStop(fb.Block):
    """A torque that has no solution beyond an angle of 1 rad: torque^2 = 1 - angle."""

    ports = (flange("flange_b"),)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad", rank=GUEST),)

    def flanges(self) -> Mapping[str, tuple[str, float]]:
        return {"flange_b": ("angle", 1.0)}

    def algebraics(self) -> tuple[Variable, ...]:
        return (Variable("torque", "N m", start=1.0),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        del frame
        torque = local["torque"]
        return Physics(loads=(Load(torque, local["angle"]),), residuals=(torque**2 - 1 + local["angle"],))


@pytest.fixture(scope="module", params=VERSIONS)
def stopped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    arm = fb.assemble(joint_arm(beam=fb.RigidLink("link", 0.5, 1.0), drive=(EndStop("stop"),), gravity=0.0))
    return str(export.fmu(arm, tmp_path_factory.mktemp("fmu") / "stop.fmu", request.param))


@needs_compiler
def test_algebraic_equations_without_a_solution_end_the_step_and_say_when(stopped: str) -> None:
    with Fmu(stopped, "CoSimulation") as fmu:
        fmu.initialize()
        assert fmu.get("stop.torque") == pytest.approx(1.0, abs=1e-14)
        fmu.step(0.0, 0.1)  # the torque of about 1 N m turns the 1/12 kg m2 link by 0.06 rad
        assert fmu.get("stop.torque") ** 2 == pytest.approx(1 - fmu.get("joint.angle"), abs=1e-14)
        before = fmu.get("joint.angle")
        with pytest.raises(Exception, match="DoStep"):
            fmu.step(0.1, 2.0)
        # J angle'' = sqrt(1 - angle) with J = 1/12 kg m2 gets to 1 rad at this time, by the balance of energy.
        end = math.sqrt(3 / 4 / 12) * 2 / 3 * beta(2 / 3, 1 / 2)
        found = re.search(r"from t = 0.1 s to 2.1 s failed. The algebraic .* at t = ([0-9.]+) s", fmu.messages[-1])
        assert found is not None, fmu.messages
        assert float(found[1]) == pytest.approx(end, abs=1e-6)
        assert fmu.get("joint.angle") == before
        assert len(fmu.messages) == 1


@needs_compiler
def test_a_start_without_a_solution_fails_initialization(stopped: str) -> None:
    with Fmu(stopped, "ModelExchange") as fmu:
        fmu.set({"joint.angle": 1.5})
        with pytest.raises(Exception, match="ExitInitializationMode"):
            fmu.initialize()
        assert "could not be solved at t = 0 s" in fmu.messages[-1]


@needs_compiler
@pytest.mark.parametrize("version", VERSIONS)
def test_an_interface_type_that_was_not_exported_is_refused(tmp_path: Path, version: str) -> None:
    alone = str(export.fmu(dae("algebraic"), tmp_path / "arm.fmu", version, "ModelExchange"))
    fmu = Fmu(alone, "CoSimulation")
    with pytest.raises(Exception, match="instantiate"), fmu:
        pass
    assert "was not exported for" in fmu.messages[0]


@pytest.fixture(scope="module", params=VERSIONS)
def locking(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A free body on three hinges, the first and last of which are parallel where the second is at a quarter turn."""
    model = fb.Model("free body", gravity=(0.0, 0.0, 0.0))
    ball, body = (
        model.add(fb.Gimbal("att")),
        model.add(fb.RigidBody("body", mass=1.0, inertia=np.diag([1.0, 2.0, 3.0]))),
    )
    model.connect(model.add(fb.Ground("ground")).frame_b, ball.frame_a)
    model.connect(ball.frame_b, body.frame_a)
    return str(export.fmu(fb.assemble(model), tmp_path_factory.mktemp("fmu") / "lock.fmu", request.param))


LOCKED = (
    r"The mass matrix is all but singular: joint 'att' is in gimbal lock, two of its axes parallel at att.revolute1"
)


@needs_compiler
@pytest.mark.slow
def test_a_step_into_gimbal_lock_names_the_joint(locking: str) -> None:
    with Fmu(locking, "CoSimulation") as fmu:
        fmu.set({"der(att.revolute2.angle)": 1.0, "der(att.revolute1.angle)": 1e-9})
        fmu.initialize()
        fmu.step(0.0, 1.5)
        assert not fmu.messages
        with pytest.raises(Exception, match="DoStep"):
            fmu.step(1.5, 0.2)
        assert re.search(f"had to become too small at t = 1.5707.* {LOCKED}", fmu.messages[-1])


@needs_compiler
@pytest.mark.slow
def test_whoever_integrates_is_warned_of_gimbal_lock_once(locking: str) -> None:
    with Fmu(locking, "ModelExchange") as fmu:
        fmu.initialize()
        fmu.begin()
        for beside in (0.1, 1e-2, 1e-4, 1e-5):
            fmu.set_states([0.0, math.pi / 2 - beside, 0.0, 0.1, 1.0, 0.3])
            fmu.get("der(att.revolute1.angle,2)")
            assert len(fmu.messages) == (beside < 1e-3)
        assert re.search(f"At t = 0 s rates have few digits. {LOCKED}.angle = 0 rad, .*1.5707", fmu.messages[0])
