"""Files of exported controllers: compilers, names, self-tests, what is refused."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import casadi as ca
import pytest

import flexblocks as fb
from arms.c_compilers import COMPILERS, STRICT
from arms.driven import rotor, upright_arm
from flexblocks import control, export
from flexblocks.errors import FileFormatError, FlexblocksError, ParameterError
from flexblocks.export.controllers.enumerators import enumerators

LOOPS = {"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}
pd = control.PD(LOOPS, kp=[20.0, 5.0], kd=[1.0, 0.2])
pid = control.PID(LOOPS, kp=[10.0, 3.0], ki=[5.0, 1.0], kd=[0.5, 0.1])
lqr = control.LQR(dict.fromkeys(LOOPS, 10.0) | {"elastic_energy": 1.0})
kalman = control.Kalman(
    [*LOOPS, "payload.x"], process={"motor1.torque": 1e-2, "motor2.torque": 1e-2}, noise=1e-6, equations="nonlinear"
)
LAWS = {
    "pid": control.Sampled(pid, 0.002, delay=0.0008),
    "lqg": control.LQG(lqr, kalman),
    "observer": kalman,
    "feedforward": control.Feedforward(),
}
CORTEX_M = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")


@cache
def arm() -> fb.DAE:
    return upright_arm(damping=0.01, limit=1.5)


# Each law in one of the two types; compilers take seconds over observers.
TYPES = {"pid": "double", "lqg": "float", "observer": "double", "feedforward": "float"}


@pytest.fixture(scope="module", params=TYPES.items(), ids=str)
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    name, real = request.param
    folder = tmp_path_factory.mktemp("controllers") / name
    return export.controller(LAWS[name], arm(), 0.002, folder, real=real)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_strict_compilers_do_not_warn_and_the_self_test_passes(files: tuple[Path, ...], compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    _, source, test, *_ = files
    program = source.with_suffix(f".{compiler}")
    subprocess.run([compiler, *STRICT, "-Wmissing-prototypes", "-O1", source, test, "-lm", "-o", program], check=True)
    run = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, f"{source.stem}: 25 samples, 0 differences\n")


def test_the_self_test_finds_a_wrong_number(tmp_path: Path) -> None:
    _, source, test, *_ = export.controller(pd, arm(), 0.002, tmp_path / "ctl")
    text = source.read_text()
    source.write_text(text.replace("20.0", "20.000001"))
    assert source.read_text() != text
    subprocess.run(["gcc", *STRICT, source, test, "-lm", "-o", tmp_path / "ctl_test"], check=True)
    run = subprocess.run([tmp_path / "ctl_test"], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "inputs, entry 0" in run.stdout


def test_it_is_compiled_for_a_cortex_m_and_needs_nothing_but_libm(files: tuple[Path, ...]) -> None:
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("there is no arm-none-eabi-gcc")
    source = files[1]
    target = source.with_suffix(".o")
    subprocess.run(["arm-none-eabi-gcc", *CORTEX_M, *STRICT, "-Os", "-c", source, "-o", target], check=True)
    listed = subprocess.run(["arm-none-eabi-nm", target], capture_output=True, text=True, check=True).stdout
    symbols = [line.split()[-2:] for line in listed.splitlines()]
    stem = source.stem
    public = {name for kind, name in symbols if kind == "T"}
    assert {f"{stem}_init", f"{stem}_step"} <= public <= {f"{stem}_init", f"{stem}_step", f"{stem}_release"}
    # No variables; undefined are functions of libm, and of the arithmetic of doubles that this processor lacks.
    assert not {kind for kind, _ in symbols} & set("BbDdCGgSs")
    needed = {name for kind, name in symbols if kind == "U"}
    allowed = {"sin", "cos", "fmin", "fmax", "sqrt"}
    allowed |= {f"{name}f" for name in allowed}
    assert all(name in allowed or name.startswith("__aeabi_d") for name in needed), needed
    if "float" in files[0].read_text().split("typedef ")[1].splitlines()[0]:
        assert not any(name.startswith("__aeabi_d") for name in needed)


def test_cmake_builds_it_and_runs_its_test(tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("there is no cmake")
    export.controller(pd, arm(), 0.002, tmp_path / "ctl")
    subprocess.run(["cmake", "-S", tmp_path / "ctl", "-B", tmp_path / "build"], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", tmp_path / "build"], check=True, capture_output=True)
    run = subprocess.run(["ctest"], cwd=tmp_path / "build", capture_output=True, text=True, check=False)
    assert "100% tests passed" in run.stdout


def test_signals_have_names_in_the_header(tmp_path: Path) -> None:
    header = export.controller(control.Sampled(pid, 0.002, delay=0.0008), arm(), 0.002, tmp_path / "my_arm")[0]
    text = header.read_text()
    for line in (
        "MY_ARM_MEASURED_DER_JOINT1_ANGLE = 2, /* der(joint1.angle) [rad/s] */",
        "MY_ARM_MEASURED_SIZE = 4",
        "MY_ARM_REFERENCE_JOINT2_ANGLE = 2, /* reference.joint2.angle [rad] */",
        "MY_ARM_STATE_PID_INTEGRAL_1 = 0, /* pid.integral[1] [rad s] */",
        "MY_ARM_INPUT_MOTOR2_TORQUE = 1, /* motor2.torque [N m] */",
        "#define MY_ARM_SAMPLE_TIME 0.002 /* s */",
        "#define MY_ARM_RELEASE_TIME 0.0008 /* s */",
        "my_arm_real x[MY_ARM_STATE_SIZE];",
    ):
        assert line in text


def test_names_that_would_be_one_are_numbered() -> None:
    names = ("a.b", "a-b", "a_b", "size", "der(a.b)", "der(a.b,2)", "ä")
    assert enumerators("X", names) == ["X_A_B", "X_A_B_2", "X_A_B_3", "X_SIZE_2", "X_DER_A_B", "X_DER2_A_B", "X_X"]


def test_the_header_is_c_plus_plus_too_and_so_is_the_example(files: tuple[Path, ...], tmp_path: Path) -> None:
    """The example against stand-ins for the headers of ros2_control, which are not here: its syntax alone."""
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    stand_ins = {
        "controller_interface/controller_interface.hpp": STAND_IN,
        "pluginlib/class_list_macros.hpp": "#define PLUGINLIB_EXPORT_CLASS(kind, base) static base *made = new kind;",
    }
    for name, text in stand_ins.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    example = files[4]
    assert "NOT TESTED" in example.read_text()
    subprocess.run(["g++", "-std=c++17", "-fsyntax-only", f"-I{tmp_path}", example], check=True)


STAND_IN = """
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
namespace rclcpp { struct Time {}; struct Duration {}; }
namespace rclcpp_lifecycle { struct State {}; }
namespace controller_interface {
enum class CallbackReturn { SUCCESS, FAILURE, ERROR };
enum class return_type : std::uint8_t { OK, ERROR };
enum class interface_configuration_type : std::uint8_t { ALL, INDIVIDUAL, NONE };
struct InterfaceConfiguration { interface_configuration_type type; std::vector<std::string> names = {}; };
struct Loaned { std::optional<double> get_optional() const; bool set_value(double); };
struct ControllerInterface {
  virtual CallbackReturn on_init() = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State &);
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State &);
  virtual return_type update(const rclcpp::Time &, const rclcpp::Duration &) = 0;
  unsigned int get_update_rate() const;
  std::vector<Loaned> command_interfaces_, state_interfaces_;
};
}
"""


class Solver(control.Law):
    """A law that computes with what is no arithmetic."""

    def bind(self, dae: fb.DAE, actuators: Any) -> control.Bound:
        del actuators
        q = dae.x.symbol[0]
        return control.Bound({"motor1.torque": ca.erfinv(q)})


@pytest.mark.parametrize(
    ("law", "more", "told"),
    [
        (lqr, {}, r"uses link1\.bending_y\[1\], .*der\(link2\.bending_y\[1\]\), which no sensor measures; .* observer"),
        (pd, {"measured": ["joint1.angle", "joint2.angle"]}, r"uses der\(joint1\.angle\), der\(joint2\.angle\), which"),
        (kalman, {"measured": "joint1.angle"}, r"uses joint2\.angle, .*motor1\.torque.*, which no sensor measures"),
        (control.Sampled(pd, 0.001), {}, r"sample_time = 0\.002, but the law is Sampled every 0\.001 s"),
        (pd, {"real": "half"}, r"real = 'half'; must be 'double', 'float'"),
        (control.PD(LOOPS, 1e40), {"real": "float"}, r"1e\+40 is beyond its range; must be 'double'"),
        (Solver(), {}, r"operation ERFINV, which C does not have"),
        (control.PD({"joint3.angle": "motor1.torque"}, 1.0), {}, r"joint3\.angle"),
    ],
)
def test_what_is_refused(law: Any, more: dict[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(FlexblocksError, match=told):
        export.controller(law, arm(), 0.002, tmp_path / "ctl", **more)
    assert not list(tmp_path.iterdir())


def test_a_loop_that_explodes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FlexblocksError, match=r"cannot be simulated over 25 samples, .* change the law"):
        export.controller(control.PD({"wheel.angle": "motor.torque"}, 0.0, 1e4), rotor(), 0.002, tmp_path / "ctl")
    assert not list(tmp_path.iterdir())


def test_folders_that_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ctl").write_text("")
    with pytest.raises(FileFormatError, match=r"is a file; must be a folder"):
        export.controller(pd, arm(), 0.002, tmp_path / "ctl")
    with pytest.raises(FileFormatError, match=r"there is no folder"):
        export.controller(pd, arm(), 0.002, tmp_path / "nowhere" / "ctl")
    with pytest.raises(ParameterError, match=r"'my-arm'; must be letters"):
        export.controller(pd, arm(), 0.002, tmp_path / "my-arm")
    with pytest.raises(ParameterError, match=r"sample_time = 0"):
        export.controller(kalman, arm(), 0, tmp_path / "ctl2")


def test_the_same_controller_gives_the_same_files(tmp_path: Path) -> None:
    law = control.PD({"wheel.angle": "motor.torque"}, 2.0, 0.1)
    written = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        written.append([path.read_text() for path in export.controller(law, rotor(), 0.01, folder / "ctl")])
    assert written[0] == written[1]
    assert not re.search(r"malloc|static (?!void)", written[0][1])
