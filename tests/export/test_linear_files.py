"""Linear models in files: everything comes back, and other programs find what they look for."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import control
import jsonschema
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.io

import flexblocks as fb
from arms.library import subudhi_morris
from arms.linkages import FourBar
from arms.one_link import DCMotor, HardeningSpring, cantilever, joint_arm
from flexblocks import export, models
from flexblocks.errors import FileFormatError, ParameterError

SUFFIXES = (".mat", ".json", ".npz")
LINK = fb.RigidLink("link", length=0.5, mass=0.1)


def linear_models() -> dict[str, fb.LinearModel]:
    one_of_each = joint_arm(beam=LINK, drive=(DCMotor("motor"), HardeningSpring("hard")))
    beam = fb.FlexibleBeam("beam", 0.5, 0.2, 1.0, discretization=fb.AssumedModes(1, tip="free"))
    everything = fb.assemble(one_of_each, symbolic=("link.mass",))
    return {
        "paper": fb.linearize(subudhi_morris()),
        "current, algebraic variable, parameter": fb.linearize(
            everything, fb.equilibrium(everything, x={"joint.angle": 0.2})
        ),
        "no inputs, one mode": fb.linearize(fb.assemble(cantilever(beam))),
        "closed loop of links": fb.linearize(fb.assemble(FourBar(rigidity=0.5, gravity=0.0).model())),
        "descriptor form": fb.linearize(fb.assemble(FourBar(rigidity=0.5).model()), form="descriptor"),
        "no outputs": fb.linearize(fb.assemble(cantilever(beam)), outputs=()),
    }


MODELS = linear_models()


def same(first: object, second: object) -> bool:
    """Whether two records are equal, entry by entry."""
    if isinstance(first, np.ndarray):
        return isinstance(second, np.ndarray) and first.shape == second.shape and np.array_equal(first, second)
    if isinstance(first, dict):
        return (
            isinstance(second, dict) and list(first) == list(second) and all(same(first[k], second[k]) for k in first)
        )
    if hasattr(first, "__dataclass_fields__"):
        return type(first) is type(second) and all(
            same(getattr(first, field.name), getattr(second, field.name)) for field in fields(first) if field.compare
        )
    return first == second


@pytest.mark.parametrize("suffix", [*SUFFIXES, ".MAT"])
@pytest.mark.parametrize("name", MODELS)
def test_round_trip(tmp_path: Path, name: str, suffix: str) -> None:
    lin = MODELS[name]
    path = tmp_path / f"arm{suffix}"
    export.save_linear(lin, path)
    again = fb.load(str(path))
    assert same(lin, again)
    assert str(again.modes()) == str(lin.modes())


def test_mat_file_holds_what_matlab_calls_a_state_space_model(tmp_path: Path) -> None:
    lin = MODELS["paper"]
    export.save_linear(lin, tmp_path / "arm.mat")
    found = scipy.io.loadmat(tmp_path / "arm.mat")
    for matrix in "ABCDE":
        np.testing.assert_array_equal(found[matrix], getattr(lin, matrix))
    for kind, names, units in (
        ("State", lin.states, lin.state_units),
        ("Input", lin.inputs, lin.input_units),
        ("Output", lin.outputs, lin.output_units),
    ):
        # A cell array: a column of objects, each a text.
        assert found[f"{kind}Name"].dtype == object
        assert found[f"{kind}Name"].shape == (len(names), 1)
        assert [str(cell[0]) for cell in found[f"{kind}Name"][:, 0]] == list(names)
        assert [str(cell[0]) for cell in found[f"{kind}Unit"][:, 0]] == list(units)
    assert found["Name"] == ["Subudhi & Morris 2002, 2 links"]
    np.testing.assert_array_equal(found["OperatingState"], lin.operating_point.x[:, None])


def test_json_file_reads_without_flexblocks(tmp_path: Path) -> None:
    lin = MODELS["paper"]
    export.save_linear(lin, tmp_path / "arm.json")
    found = json.loads((tmp_path / "arm.json").read_text())
    assert (found["Format"], found["Version"]) == ("flexblocks linear model", 1)
    np.testing.assert_array_equal(found["A"], lin.A)
    assert found["InputUnit"] == ["N m", "N m"]


def test_npz_file_needs_no_pickle(tmp_path: Path) -> None:
    lin = MODELS["paper"]
    export.save_linear(lin, tmp_path / "arm.npz")
    with np.load(tmp_path / "arm.npz", allow_pickle=False) as found:
        np.testing.assert_array_equal(found["B"], lin.B)
        assert found["StateName"].tolist() == list(lin.states)


@pytest.mark.parametrize("function", [lambda path: export.save_linear(MODELS["paper"], path), fb.load])
@pytest.mark.parametrize("name", ["arm.doc", "arm"])
def test_unknown_suffix(tmp_path: Path, function, name: str) -> None:
    with pytest.raises(FileFormatError, match=r"must be one of .*\.mat, .*\.npz"):
        function(tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_and_missing_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"arm{suffix}"
    with pytest.raises(FileFormatError, match="there is no such file"):
        fb.load(path)
    path.write_bytes(b"not a file of this kind")
    with pytest.raises(FileFormatError, match=r"not a readable|not valid JSON"):
        fb.load(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Version": 2}, r"version 2; this flexblocks reads 'flexblocks linear model', version 1"),
        ({"Format": "something"}, "format 'something'"),
        ({"B": [[1.0]]}, r"'B' holds 1 numbers; must be 16 x 2"),
        ({"StateName": None}, r"holds no 'StateName'"),
        ({"A": [["a"] * 16] * 16}, "'A' does not hold numbers"),
    ],
)
def test_files_of_another_kind(tmp_path: Path, change: dict, words: str) -> None:
    path = tmp_path / "arm.json"
    export.save_linear(MODELS["paper"], path)
    record = json.loads(path.read_text()) | change
    path.write_text(json.dumps({name: value for name, value in record.items() if value is not None}))
    with pytest.raises(FileFormatError, match=words):
        fb.load(path)


def test_a_json_list_is_no_linear_model(tmp_path: Path) -> None:
    (tmp_path / "arm.json").write_text("[1, 2]")
    with pytest.raises(FileFormatError, match="must be a mapping"):
        fb.load(tmp_path / "arm.json")


@pytest.mark.parametrize("name", MODELS)
def test_json_files_follow_the_schema(tmp_path: Path, name: str) -> None:
    export.save_linear(MODELS[name], tmp_path / "arm.json")
    found = json.loads((tmp_path / "arm.json").read_text())
    validator = jsonschema.Draft202012Validator(export.linear_schema())
    validator.check_schema(export.linear_schema())
    assert list(validator.iter_errors(found)) == []
    assert list(found) == export.linear_schema()["required"]
    for change in ({"Version": 2}, {"A": [1.0]}, {"StateName": "x"}, {"Extra": 1}, {"OperatingInput": ["0"]}):
        assert not validator.is_valid(found | change), change
    assert not validator.is_valid({key: value for key, value in found.items() if key != "E"})


def record(lin: fb.LinearModel, folder: Path) -> dict:
    """All fields, as the JSON file holds them."""
    export.save_linear(lin, folder / "expected.json")
    return json.loads((folder / "expected.json").read_text())


@pytest.mark.parametrize("name", MODELS)
def test_py_file_needs_numpy_alone(tmp_path: Path, name: str) -> None:
    export.save_linear(MODELS[name], tmp_path / "arm.py")
    program = (
        "import json, sys, numpy as np\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "for name in ('scipy', 'flexblocks', 'casadi', 'control'): sys.modules[name] = None\n"
        "import arm\n"
        "fields = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in vars(arm).items() if k[0].isupper()}\n"
        "shapes = [arm.A.shape, arm.B.shape, arm.C.shape, arm.D.shape, arm.KineticBlockMatrix.shape]\n"
        "print(json.dumps([fields, shapes]))\n"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    fields, shapes = json.loads(run.stdout)
    lin = MODELS[name]
    assert fields == record(lin, tmp_path)
    n = len(lin.structure.coordinates)
    expected = [lin.A.shape, lin.B.shape, lin.C.shape, lin.D.shape, (len(lin.structure.kinetic), n, n)]
    assert [tuple(shape) for shape in shapes] == expected


def test_programs_are_not_read_back_and_need_a_name(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"must be one of .*\.mat, \.npz"):
        fb.load(tmp_path / "arm.py")
    with pytest.raises(ParameterError, match="'two links' must start with a letter"):
        export.save_linear(MODELS["paper"], tmp_path / "two links.m")


def octave(program: str, folder: Path) -> str:
    """What Octave prints; a test that asks is skipped where there is none, or no control package."""
    executable = shutil.which("octave-cli") or shutil.which("octave")
    if executable is None:
        pytest.skip("Octave is not installed (octave, octave-control)")
    command = [executable, "--no-gui", "--no-window-system", "--norc", "--eval"]
    if subprocess.run([*command, "pkg load control"], capture_output=True, check=False).returncode:
        pytest.skip("Octave has no control package (octave-control)")
    run = subprocess.run(
        [*command, f"pkg load control; cd('{folder}'); {program}"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.slow
@pytest.mark.parametrize("read", ["s = load('arm.mat');", "s = arm();"])
@pytest.mark.parametrize("name", ["paper", "current, algebraic variable, parameter"])
def test_octave_finds_the_same_poles_names_and_matrices(tmp_path: Path, name: str, read: str) -> None:
    lin = MODELS[name]
    export.save_linear(lin, tmp_path / "arm.mat")
    export.save_linear(lin, tmp_path / "arm.m")
    program = (
        f"{read} sys = dss(s.A, s.B, s.C, s.D, s.E, 'stname', s.StateName, 'inname', s.InputName, 'outname', "
        "s.OutputName); p = pole(sys); [A, B, C, D] = ssdata(sys); stname = get(sys, 'stname'); outname = "
        "get(sys, 'outname'); k = s.KineticBlockMatrix; x = s.OperatingState; "
        "save('-v7', 'back.mat', 'p', 'A', 'B', 'C', 'D', 'stname', 'outname', 'k', 'x');"
    )
    octave(program, tmp_path)
    back = scipy.io.loadmat(tmp_path / "back.mat")
    poles, expected = (_swinging(values) for values in (back["p"].ravel(), np.linalg.eigvals(lin.A)))
    assert len(back["p"]) == len(lin.states)
    assert len(expected) == len(lin.states) - (4 if name == "paper" else 0)
    assert np.allclose(poles, expected, rtol=1e-7, atol=1e-9)
    for matrix in "ABCD":
        assert np.array_equal(back[matrix].reshape(getattr(lin, matrix).shape), getattr(lin, matrix))
    assert [str(cell[0]) for cell in back["stname"].ravel()] == list(lin.states)
    assert [str(cell[0]) for cell in back["outname"].ravel()] == list(lin.outputs)
    assert np.array_equal(back["k"].reshape(len(lin.structure.kinetic), *lin.structure.mass.shape),
                          np.array(list(lin.structure.kinetic.values())))  # fmt: skip
    assert np.array_equal(back["x"].ravel(), lin.operating_point.x)


@pytest.mark.slow
@pytest.mark.parametrize("read", ["s = load('arm.mat');", "s = arm();"])
@pytest.mark.parametrize("name", ["paper", "four-bar"])
def test_octave_finds_the_same_poles_in_the_descriptor_form(tmp_path: Path, name: str, read: str) -> None:
    """Its poles are the finite generalised eigenvalues, its frequency response that of the minimal form."""
    dae = fb.assemble(models.subudhi_morris_2002() if name == "paper" else FourBar(rigidity=0.5).model())
    point = fb.equilibrium(dae)
    whole, small = (fb.linearize(dae, point, form=form) for form in ("descriptor", "minimal"))
    export.save_linear(whole, tmp_path / "arm.mat")
    export.save_linear(whole, tmp_path / "arm.m")
    program = (
        f"{read} sys = dss(s.A, s.B, s.C, s.D, s.E, 'stname', s.StateName, 'inname', s.InputName, 'outname', "
        "s.OutputName); p = pole(sys); H = freqresp(sys, [3, 50]); e = s.EquationName; [~, ~, ~, ~, E] = dssdata(sys);"
        "save('-v7', 'back.mat', 'p', 'H', 'e', 'E');"
    )
    octave(program, tmp_path)
    back = scipy.io.loadmat(tmp_path / "back.mat")
    poles = back["p"].ravel()
    poles = _swinging(poles[np.isfinite(poles) & (np.abs(poles) < 1e6)])
    assert np.allclose(poles, _swinging(np.linalg.eigvals(small.A)), rtol=1e-7, atol=1e-7)
    assert np.array_equal(back["E"], whole.E)
    assert [str(cell[0]) for cell in back["e"].ravel()] == list(whole.equations)
    for k, w in enumerate((3.0, 50.0)):
        expected = small.C @ np.linalg.solve(1j * w * np.eye(len(small.A)) - small.A, small.B) + small.D
        assert np.allclose(back["H"][..., k], expected, rtol=1e-8, atol=1e-9 * np.max(np.abs(expected)))


@pytest.mark.slow
def test_octave_reads_a_grid(tmp_path: Path) -> None:
    dae = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))
    grid = fb.linear_grid(dae, over={"joint2.angle": [0.4, 0.5, 0.6], "payload.mass": [0.1, 0.12]}, outputs="payload.y")
    export.save_grid(grid, tmp_path / "grid.mat")
    program = (
        "s = load('grid.mat'); p = pole(dss(s.A(:,:,2,1), s.B(:,:,2,1), s.C(:,:,2,1), s.D(:,:,2,1), s.E(:,:,2,1), "
        "'stname', s.StateName)); at = [s.AxisValue{1}(2), s.AxisValue{2}(1)]; save('-v7', 'back.mat', 'p', 'at');"
    )
    octave(program, tmp_path)
    back = scipy.io.loadmat(tmp_path / "back.mat")
    assert back["at"].ravel().tolist() == [0.5, 0.1]
    lin = grid.at({"joint2.angle": 0.5, "payload.mass": 0.1})
    assert np.allclose(_swinging(back["p"].ravel()), _swinging(np.linalg.eigvals(lin.A)), rtol=1e-7, atol=1e-6)


def _swinging(poles: np.ndarray) -> np.ndarray:
    """Poles off zero, by their imaginary part; those of rigid-body motions are double and each routine splits them."""
    poles = poles[np.abs(poles) > 1e-2]
    return poles[np.lexsort((np.round(poles.real, 6), np.round(poles.imag, 6)))]


def test_python_control_designs_simulates_and_draws_without_renaming() -> None:
    mpl.use("Agg")
    plt.close("all")  # python-control draws into whatever picture is open
    lin = fb.linearize(subudhi_morris(), outputs=("payload.x", "payload.y"))
    system = lin.to_control()
    gain, _, poles = control.lqr(system, np.eye(16), np.eye(2))
    assert gain.shape == (2, 16)
    assert max(poles.real) < 0
    closed = control.feedback(control.ss(system.A, system.B, np.eye(16), 0), gain)
    assert np.allclose(np.sort(closed.poles().real), np.sort(poles.real), atol=1e-6)
    response = control.forced_response(system, np.linspace(0, 0.1, 11), np.ones((2, 11)))
    assert list(response.to_pandas().columns[:5]) == [
        "time",
        "motor1_torque",
        "motor2_torque",
        "payload_x",
        "payload_y",
    ]
    assert response.state_labels == list(lin.states)
    name = lin.control_names
    assert control.bode_plot(system[name["payload.x"], name["motor1.torque"]]).figure is not None
    plt.close("all")
    labels = (*system.input_labels, *system.output_labels, *system.state_labels)
    assert [lin.original_names[label] for label in labels] == [*lin.inputs, *lin.outputs, *lin.states]


def test_a_damaged_mat_file_is_refused_before_scipy_reads_it(tmp_path):
    """SciPy's reader ends Python on some of these."""
    lin = fb.linearize(subudhi_morris(links=1))
    path = tmp_path / "arm.mat"
    export.save_linear(lin, path)
    whole = path.read_bytes()
    np.testing.assert_array_equal(fb.load(path).A, lin.A)
    rng = np.random.default_rng(0)
    for place in rng.integers(len(whole), size=50):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with pytest.raises(FileFormatError, match="not as save_linear wrote it"):
            fb.load(path)
