"""Equations of motion as formulas and as code: every form gives the numbers of the DAE."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.one_link import DCMotor, HardeningSpring, joint_arm
from flexblocks import export, models
from flexblocks.dae import compiler
from flexblocks.errors import FileFormatError, FlexblocksError, NameUnknownError, ParameterError
from flexblocks.export.equations.constants import latex_number
from flexblocks.models.yu_chen_chords import chord_coordinates

sympy = pytest.importorskip("sympy")


def one_link() -> fb.DAE:
    """A link with a motor that has a current, and a spring that hardens by an algebraic equation."""
    link = fb.RigidLink("link", length=0.5, mass=0.1)
    return fb.assemble(joint_arm(beam=link, drive=(DCMotor("motor"), HardeningSpring("hard"))), symbolic=("link.mass",))


ARMS = {
    "numbers": fb.assemble(models.subudhi_morris_2002()),
    "symbols": fb.assemble(models.subudhi_morris_2002(), symbolic="all"),
    "gravity, chords": chord_coordinates(fb.assemble(models.yu_chen_2019(), symbolic=("mass1.mass",))),
    "friction, gears": fb.assemble(models.yu_chen_2019(drives="geared", friction=True), symbolic="all"),
    "current, algebraic variable": one_link(),
}
POINTS = 4


def point(dae: fb.DAE, seed: int) -> dict[str, np.ndarray]:
    """Return random arguments by letter; parameters keep their signs."""
    random = np.random.default_rng(seed)
    n = dae.tree.size
    sizes = {"q": n, "v": n, "a": n, "w": len(dae.x) - 2 * n, "z": len(dae.z), "u": len(dae.u)}
    values = {letter: random.uniform(-0.6, 0.6, size) for letter, size in sizes.items()}
    return values | {"p": np.where(dae.p.start == 0, 0.05, dae.p.start) * random.uniform(0.8, 1.2, len(dae.p))}


def expected(dae: fb.DAE, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the parts of the equations as CasADi's virtual machine computes them."""
    equations = export.equations(dae, "casadi")
    values = equations.function().call([given[letter] for letter in equations.arguments()])
    return {name: np.array(value) for name, value in zip(equations.names, values, strict=True)}


def agree(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        scale = np.max(np.abs(value), initial=1e-300)
        assert np.max(np.abs(np.reshape(found[name], value.shape) - value), initial=0.0) <= 1e-12 * scale, name


@pytest.mark.parametrize("arm", ARMS)
def test_the_parts_add_up_to_the_equations_of_motion(arm: str) -> None:
    dae = ARMS[arm]
    for seed in range(POINTS):
        given = point(dae, seed)
        parts = {name: value if name in ("M", "B") else value.ravel() for name, value in expected(dae, given).items()}
        left = parts["M"] @ given["a"] + sum(parts[name] for name in "cgkd")
        inverse = dae.inverse_dynamics(*(given[letter] for letter in "qva"), given["p"]).full().ravel()
        assert np.allclose(left, inverse, rtol=0, atol=1e-13 * np.max(np.abs(inverse)))
        x = np.concatenate([given["q"], given["v"], given["w"]])
        more = [given["z"]] if len(dae.z) else []
        force = dae.input_force(x, given["u"], given["p"], *more).full().ravel()
        right = parts["B"] @ given["u"] + parts.get("r", 0.0)
        assert np.allclose(right, force, rtol=0, atol=1e-13 * np.max(np.abs(force), initial=1e-300))


def test_each_part_is_what_it_is_called() -> None:
    """Velocity forces are quadratic in the rates and do no work beyond M's change; weight and stiffness hold still."""
    dae = ARMS["friction, gears"]
    given = point(dae, 5)
    parts = expected(dae, given)
    doubled = expected(dae, given | {"v": 2 * given["v"]})
    assert np.allclose(doubled["c"], 4 * parts["c"], rtol=1e-12)
    for name in ("M", "g", "k", "B"):
        assert np.array_equal(doubled[name], parts[name])
    assert np.max(np.abs(expected(dae, given | {"v": 0 * given["v"]})["d"])) == 0.0
    assert float(parts["d"].ravel() @ given["v"]) > 0  # it takes energy
    h = 1e-6
    change = [expected(dae, given | {"q": given["q"] + s * h * given["v"]})["M"] for s in (1, -1)]
    power = given["v"] @ (change[0] - change[1]) @ given["v"] / (2 * h) / 2
    assert float(parts["c"].ravel() @ given["v"]) == pytest.approx(power, rel=1e-7)
    weightless = fb.assemble(models.yu_chen_2019(drives="geared", friction=True, gravity=0.0), symbolic="all")
    assert np.max(np.abs(expected(weightless, given)["g"])) == 0.0
    assert np.max(np.abs(parts["g"])) > 1.0


@pytest.mark.parametrize("arm", ARMS)
def test_python(arm: str) -> None:
    dae = ARMS[arm]
    source = export.equations(dae, "python", name="arm")
    assert re.findall(r"^(?:import|from) .*", source, flags=re.MULTILINE) == ["import numpy as np"]
    module = types.ModuleType("arm")
    exec(source, module.__dict__)
    letters = export.equations(dae, "casadi").arguments()
    for seed in range(POINTS):
        given = point(dae, seed)
        wanted = expected(dae, given)
        found = module.arm(*(given[letter] for letter in letters))
        agree(dict(zip(wanted, found, strict=True)), wanted)


@pytest.mark.parametrize("arm", ["symbols", "friction, gears"])
def test_sympy(arm: str) -> None:
    dae = ARMS[arm]
    equations = export.equations(dae, "sympy")
    letters = {"q": dae.q_names, "v": dae.x.names[dae.tree.size :], "p": dae.p.names}
    given = point(dae, 1)
    values = {
        equations.symbols[name]: value
        for letter, names in letters.items()
        for name, value in zip(names, given[letter], strict=True)
    }
    symbols, replacements = list(values), list(equations.subexpressions)
    for symbol, expression in replacements:
        values[symbol] = sympy.lambdify(symbols, expression)(*(values[s] for s in symbols))
        symbols.append(symbol)
    found = {
        name: np.array(sympy.lambdify(symbols, matrix)(*(values[s] for s in symbols)), dtype=float)
        for name, matrix in equations.matrices.items()
    }
    agree(found, expected(dae, given))


def test_sympy_expressions_without_subexpressions_are_those_of_a_pendulum() -> None:
    model = fb.Model("pendulum", gravity=(0, -9.81, 0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1", damping=0.1))
    rod = model.add(fb.RigidLink("link1", length=0.5, mass=0.2))
    motor, load = model.add(fb.TorqueSource("motor1")), model.add(fb.Payload("payload", mass=0.1, inertia=0.01))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, rod.frame_a)
    model.connect(rod.frame_b, load.frame_a)
    equations = export.equations(fb.assemble(model, symbolic="all"), "sympy", names={"payload.mass": "m_p"})
    m, L, J, b = (
        equations.symbols[f"{name}"] for name in ("link1.mass", "link1.length", "payload.inertia", "joint1.damping")
    )
    theta, rate, load = (equations.symbols[name] for name in ("joint1.angle", "der(joint1.angle)", "payload.mass"))
    assert [str(s) for s in (theta, rate, m, L, load)] == ["theta_1", "thetadot_1", "m_1", "L_1", "m_p"]
    free = equations["M"].free_symbols
    assert {m, L, load, J} <= free
    numbers = {m: 0.3, load: 0.7, L: 0.9, theta: 0.4}
    assert float(equations["g"][0].subs(numbers)) == pytest.approx((0.15 + 0.7) * 9.81 * 0.9 * math.cos(0.4), rel=1e-13)
    assert sympy.simplify(equations["M"][0] - (m * L**2 / 3 + load * L**2 + J)) == 0  # no rounded 0.333
    assert equations["c"][0] == 0
    assert equations["d"][0] == b * rate
    assert equations["B"][0] == 1
    for form in ("sympy", "casadi"):
        with pytest.raises(NameUnknownError, match="no part 'm'"):
            export.equations(fb.assemble(model), form)["m"]


def test_yu_and_chens_inertia_and_stiffness_come_out_symbolically() -> None:
    """Eqs A.1-A.3, A.8 and (corrected) A.9 of Yu & Chen (2019) with lumped masses at the links' ends."""
    dae = fb.assemble(models.yu_chen_2019(), symbolic="all")
    equations = export.equations(dae, "sympy", names={"mass1.mass": "M_1", "mass2.mass": "M_2"})
    s = equations.symbols
    th1, th2, f11, f12, f21, f22 = new = sympy.symbols("theta1 theta2 f11 f12 f21 f22", real=True)
    L1, L2, M1, M2 = (s[name] for name in ("link1.length", "link2.length", "mass1.mass", "mass2.mass"))
    EI1, EI2 = s["link1.flexural_rigidity"], s["link2.flexural_rigidity"]
    m1, m2 = s["link1.linear_density"] * L1, s["link2.linear_density"] * L2
    pi, root = sympy.pi, sympy.sqrt(2)
    old = {
        "joint1.angle": th1 - pi / L1 * f11 + 2 * pi / L1 * f12,
        "joint2.angle": th2 - pi / L2 * f21 + 2 * pi / L2 * f22 - pi / L1 * f11 - 2 * pi / L1 * f12,
        "link1.bending_y[1]": -f11 / root,
        "link1.bending_y[2]": f12 / root,
        "link2.bending_y[1]": -f21 / root,
        "link2.bending_y[2]": f22 / root,
    }
    T = sympy.Matrix([old[name] for name in dae.q_names]).jacobian(new)
    put_in = {s[name]: old[name] for name in dae.q_names}
    A = (m2 + 2 * M2) * L1 * L2 * sympy.cos(th2) / 2 + 2 * L1 * m2 * sympy.sin(th2) * f21 / pi
    B = (m2 + 3 * M2) * L2**2 / 3 + m2 * (f21**2 + f22**2) / 2
    C = (m1 / 3 + m2 + M1 + M2) * L1**2 + m1 * (f11**2 + f12**2) / 2
    coupling = sympy.Matrix(
        [
            [-L1 * m1 / pi, -L1 * m1 / (2 * pi), -m2 * (L2 + 2 * L1 * sympy.cos(th2)) / pi, -L2 * m2 / (2 * pi)],
            [0, 0, -L2 * m2 / pi, -L2 * m2 / (2 * pi)],
        ]
    )
    thth = sympy.Matrix([[2 * A + B + C, A + B], [A + B, B]])
    wanted = sympy.Matrix(sympy.BlockMatrix([[thth, coupling], [coupling.T, sympy.diag(m1, m1, m2, m2) / 2]]))
    difference = (T.T * equations["M"] * T).xreplace(put_in) - wanted
    symbols = sorted(difference.free_symbols, key=str)
    difference = sympy.lambdify(symbols, difference, cse=True)
    random = np.random.default_rng(2)
    for _ in range(3):
        # Terms of (2 pi / L)^2 M, up to 1e3, cancel.
        assert np.max(np.abs(difference(*random.uniform(0.2, 1.0, len(symbols))))) < 1e-12
    K = sympy.diag(
        pi**4 * EI1 / (2 * L1**3), 8 * pi**4 * EI1 / L1**3, pi**4 * EI2 / (2 * L2**3), 8 * pi**4 * EI2 / L2**3
    )
    k = (T.T * equations["k"]).xreplace(put_in)
    assert (k[2:, :] - K * sympy.Matrix([f11, f12, f21, f22])).expand() == sympy.zeros(4, 1)
    t1, t2 = sympy.symbols("tau1 tau2")
    F = sympy.Matrix([t1, t2, -pi * (t1 + t2) / L1, 2 * pi * (t1 - t2) / L1, -pi * t2 / L2, 2 * pi * t2 / L2])
    assert (T.T * equations["B"] * sympy.Matrix([t1, t2]) - F).expand() == sympy.zeros(6, 1)


@pytest.mark.parametrize("arm", ["symbols", "gravity, chords", "friction, gears"])
def test_blocks_by_joint_and_elastic_coordinates(arm: str) -> None:
    dae = ARMS[arm]
    elastic = [name for name in dae.q_names if "bending" in name or name.startswith("f")]
    grouped = export.equations(dae, "casadi", grouping="joint-elastic", elastic=elastic)
    f = [i for i, name in enumerate(dae.q_names) if name in elastic]
    th = [i for i in range(dae.tree.size) if i not in f]
    given = point(dae, 7)
    values = grouped.function()(*(given[letter] for letter in grouped.arguments()))
    parts = dict(zip(grouped.names, (np.array(value) for value in values), strict=True))
    plain = expected(dae, given)

    def whole(name: str) -> np.ndarray:
        matrix = np.zeros((len(dae.q_names), len(dae.q_names)))
        for rows, of in ((th, "th"), (f, "f")):
            for columns, by in ((th, "th"), (f, "f")):
                matrix[np.ix_(rows, columns)] = parts.get(f"{name}_{of}{by}", 0.0)
        return matrix

    M = whole("M")
    M[np.ix_(f, th)] = parts["M_thf"].T
    assert np.allclose(M, plain["M"], rtol=1e-13)
    force = plain["c"].ravel()
    assert np.allclose(whole("H") @ given["v"], force, rtol=0, atol=1e-12 * np.max(np.abs(force)))
    assert np.allclose(whole("K") @ given["q"], plain["k"].ravel(), rtol=1e-12)
    still = given | {"v": np.where(np.isin(np.arange(dae.tree.size), th), given["v"], 0.0)}
    values = grouped.function("H_thth", "H_fth")(*(still[letter] for letter in grouped.arguments()))
    assert np.allclose(values[0].full(), parts["H_thth"], rtol=1e-13)  # joint rates only
    assert np.allclose(values[1].full(), parts["H_fth"], rtol=1e-13)


def test_yu_and_chens_blocks_in_chord_coordinates() -> None:
    """M_ff is constant and diagonal, elastic rates take no part in the elastic equations, and K and F are theirs."""
    dae = ARMS["gravity, chords"]
    grouped = export.equations(dae, "casadi", grouping="joint-elastic", elastic=["f11", "f12", "f21", "f22"])
    assert "H_ff" not in grouped.names
    assert {"M_thth", "M_thf", "M_ff", "H_thth", "H_thf", "H_fth", "C_th", "C_f", "K_ff", "F_th", "F_f"} <= {
        *grouped.names
    }
    K, M, F = grouped.function("K_ff", "M_ff", "F_f")(np.zeros(6), np.zeros(6), np.array([3.1, -1.4]), [2.94])
    # From an independent derivation in SymPy for Table 2 of the paper.
    stiffness = [14978.76024134466, 239660.16386151456, 8227.591435895074, 131641.46297432118]
    assert np.allclose(K.full(), np.diag(stiffness), rtol=1e-12, atol=1e-8)
    assert np.allclose(M.full(), np.diag([0.187, 0.187, 0.145, 0.145]), rtol=1e-12, atol=1e-14)
    force = [-11.243594760216103, 59.52491343643818, 10.110872908105081, -20.221745816210163]
    assert np.allclose(np.array(F).ravel(), force, rtol=1e-12)
    formula = export.equations(dae, "latex", grouping="joint-elastic", elastic=["f11", "f12", "f21", "f22"])
    assert r"M_{\theta f}" in formula
    assert r"\theta_{2}" in formula
    assert r"\dot{\theta}_{2}" in formula
    assert r"\dot{f}" not in formula  # no product of elastic rates anywhere


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@pytest.mark.parametrize("arm", ARMS)
def test_exported_c_passes_its_own_test_without_warnings(arm: str, tmp_path: Path) -> None:
    source, header, test = export.c_code(ARMS[arm], tmp_path / "arm.c")
    assert header.name == "arm.h"
    program = tmp_path / "arm_test"
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O0"]
    subprocess.run(["gcc", *strict, str(source), str(test), "-lm", "-o", str(program)], check=True)
    run = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.strip()) == (0, "arm: 0 of 15 tests failed")
    # A wrong number in the source is found out.
    text = source.read_text()
    source.write_text(re.sub(r"(    M\[0\](?:\[0\])? = )(.*);", r"\1(1.0 + 1e-9)*(\2);", text))
    assert source.read_text() != text
    subprocess.run(["gcc", *strict, str(source), str(test), "-lm", "-o", str(program)], check=True)
    run = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "arm_equations: M, entry 0" in run.stdout


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_exported_c_of_any_function_and_of_jacobians(tmp_path: Path) -> None:
    dae = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))
    jacobians = dae.forward_dynamics.factory("linear", ["x", "u", "p"], ["dx", "jac:dx:x", "jac:dx:u", "jac:dx:p"])
    wanted = ["mass_matrix", "forward_dynamics", "input_force", "motion", "algebraic", jacobians]
    source, header, test = export.c_code(dae, tmp_path / "arm.c", functions=wanted)
    assert (
        "void arm_linear(const double x[16], const double u[2], const double p[1], double dx[16]" in header.read_text()
    )
    assert "double jac_dx_x[16][16]" in header.read_text()
    assert "arm_algebraic" not in header.read_text()  # there is nothing in it
    program = tmp_path / "arm_test"
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O0"]
    subprocess.run(["gcc", *strict, str(source), str(test), "-lm", "-o", str(program)], check=True)
    run = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.strip()) == (0, "arm: 0 of 15 tests failed")


def test_c_code_of_a_compiled_dae(tmp_path: Path) -> None:
    if compiler.find_compiler() is None:
        pytest.skip("there is no C compiler")
    dae = fb.assemble(models.subudhi_morris_2002(links=1, modes=1))
    plain = export.c_code(dae, tmp_path / "arm.c")[0].read_text()
    assert export.c_code(dae.compile(strict=True), tmp_path / "arm.c")[0].read_text() == plain


def test_functions_that_c_code_cannot_write(tmp_path: Path) -> None:
    dae = ARMS["numbers"]
    with pytest.raises(NameUnknownError, match=r"no 'forward_dynamic' .*Did you mean forward_dynamics"):
        export.c_code(dae, tmp_path / "arm.c", functions=["forward_dynamic"])
    speed = ca.SX.sym("speed", 2)
    own = ca.Function("own", [speed], [2 * speed], ["speed"], ["twice"])
    with pytest.raises(ParameterError, match=r"own takes 'speed' of size \(2, 1\)"):
        export.c_code(dae, tmp_path / "arm.c", functions=[own])
    with pytest.raises(ParameterError, match="arm_energy would be there twice"):
        export.c_code(dae, tmp_path / "arm.c", functions=["energy", "energy"])
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_c_source_alone_is_a_translation_unit(tmp_path: Path) -> None:
    path = tmp_path / "arm.c"
    export.save_equations(ARMS["symbols"], path)
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wmissing-prototypes", "-fsyntax-only"]
    subprocess.run(["gcc", *flags, str(path)], check=True)
    assert "void arm(const double q[8]" in path.read_text()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("octave") is None, reason="Octave is not installed")
@pytest.mark.parametrize("arm", ARMS)
def test_octave(arm: str, tmp_path: Path) -> None:
    dae = ARMS[arm]
    export.save_equations(dae, tmp_path / "arm.m")
    given = point(dae, 3)
    wanted = expected(dae, given)
    letters = list(export.equations(dae, "casadi").arguments())
    lines = [f"{letter} = [{' '.join(repr(float(x)) for x in given[letter])}];" for letter in letters]
    lines.append(f"[{', '.join(wanted)}] = arm({', '.join(letters)});")
    lines += [f"printf('%.17g\\n', {name}');" for name in wanted]
    (tmp_path / "script.m").write_text("\n".join(lines))
    command = ["octave", "--no-gui", "--quiet", "--no-init-file", "script.m"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    numbers = np.array([float(text) for text in run.stdout.split()])
    ends = np.cumsum([value.size for value in wanted.values()])
    agree(dict(zip(wanted, np.split(numbers, ends[:-1]), strict=True)), wanted)


def latex_command() -> list[str] | None:
    for name, options in (("pdflatex", ["-interaction=nonstopmode", "-halt-on-error"]), ("tectonic", [])):
        if shutil.which(name):
            return [name, *options]
    return None


@pytest.mark.slow
@pytest.mark.skipif(latex_command() is None, reason="neither pdflatex nor tectonic is installed")
@pytest.mark.parametrize("grouping", [None, "joint-elastic"])
@pytest.mark.parametrize("arm", ARMS)
def test_latex_compiles(arm: str, grouping: str | None, tmp_path: Path) -> None:
    export.save_equations(ARMS[arm], tmp_path / "arm.tex", grouping=grouping)
    command = latex_command() or []
    run = subprocess.run([*command, "arm.tex"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-2000:]
    assert (tmp_path / "arm.pdf").stat().st_size > 10_000


def test_latex_of_a_pendulum() -> None:
    formulas = export.equations(one_link(), "latex")
    assert r"\[ M(q)\,\ddot q + c(q, \dot q) + g(q) + k(q) + d(q, \dot q) = B(q)\,u + r \]" in formulas
    assert r"M(q) = \begin{bmatrix}" in formulas
    assert "m_{\\mathrm{link}}" in formulas
    assert formulas.count("{") == formulas.count("}")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2 / math.pi, r"\frac{2}{\pi}"),
        (math.pi**4 / 2, r"\frac{\pi^{4}}{2}"),
        (math.sqrt(2) * math.pi, r"\sqrt{2}\,\pi"),
        (1 / 3, r"\frac{1}{3}"),
        (3.0, "3"),
        (0.1, r"\frac{1}{10}"),
        (0.3183, None),
    ],
)
def test_numbers_a_person_would_recognise(value: float, text: str | None) -> None:
    assert latex_number(value) == text


def test_names_of_ones_own() -> None:
    dae = ARMS["symbols"]
    code = export.equations(dae, "python", names={"joint1.angle": "phi", "payload.mass": "load"})
    assert "phidot = v[1]" in code
    assert re.search(r"\bload = p\[\d+\]", code)
    formulas = export.equations(dae, "latex", names={"joint2.angle": r"\varphi"})
    assert r"\dot{\varphi}" in formulas


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"form": "c++"}, ParameterError, r"form = 'c\+\+'; must be one of latex"),
        ({"form": "pyhton"}, ParameterError, "Did you mean python"),
        ({"form": "c", "name": "2arm"}, ParameterError, "function name '2arm'"),
        ({"form": "matlab", "name": "end"}, ParameterError, "function name 'end'"),
        ({"form": "c", "grouping": "blocks"}, ParameterError, "grouping = 'blocks'"),
        ({"form": "c", "elastic": ["link1.bending_y[1]"]}, ParameterError, "grouping='joint-elastic' only"),
        ({"form": "c", "grouping": "joint-elastic", "elastic": ["link1.bend"]}, NameUnknownError, "Did you mean link1"),
        ({"form": "c", "names": {"joint1.angel": "phi"}}, NameUnknownError, r"Did you mean joint1\.angle"),
        ({"form": "c", "names": {"joint1.angle": "for"}}, ParameterError, "'joint1.angle' = 'for'"),
        ({"form": "c", "names": {"joint1.angle": "s1"}}, ParameterError, "'joint1.angle' = 's1'"),
        ({"form": "c", "names": {"joint1.angle": r"\phi"}}, ParameterError, "must be letters"),
        ({"form": "c", "names": {"joint1.angle": "t", "joint2.angle": "t"}}, ParameterError, "same name 't'"),
    ],
)
def test_refusals(arguments: dict, error: type[FlexblocksError], message: str) -> None:
    with pytest.raises(error, match=message):
        export.equations(ARMS["symbols"], **arguments)


def test_files_of_other_kinds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"suffix '.f90'; must be one of .tex"):
        export.save_equations(ARMS["numbers"], tmp_path / "arm.f90")
    with pytest.raises(FileFormatError, match=r"must be .c"):
        export.c_code(ARMS["numbers"], tmp_path / "arm.h")
    assert not list(tmp_path.iterdir())


def test_without_sympy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)  # to import it is an ImportError from here on
    with pytest.raises(FlexblocksError, match=r"pip install 'flexblocks\[symbolic\]'"):
        export.equations(ARMS["numbers"], "sympy")
