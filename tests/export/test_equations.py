"""Equations of motion as formulas and as code: every form gives the numbers of the DAE."""

from __future__ import annotations

import re
import shutil
import subprocess
import types
from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb
from arms.equation_arms import ARMS, POINTS, agree, expected, point
from flexblocks import export, models
from flexblocks.errors import FileFormatError, FlexblocksError, NameUnknownError, ParameterError


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
    weightless = fb.assemble(
        models.yu_chen_2019(drives="geared", friction=True, gravity=(0.0, 0.0, 0.0)), symbolic="all"
    )
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
        ({"form": "c++"}, ParameterError, r"form = 'c\+\+'. Did you mean c\? Must be one of latex"),
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
