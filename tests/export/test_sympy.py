"""Equations of motion in SymPy: numbers of the DAE, and formulas of a pendulum and of Yu & Chen (2019)."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import flexblocks as fb
from arms.equation_arms import ARMS, agree, expected, point
from flexblocks import export, models
from flexblocks.errors import FlexblocksError, NameUnknownError

sympy = pytest.importorskip("sympy")


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


def test_without_sympy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)  # to import it is an ImportError from here on
    with pytest.raises(FlexblocksError, match=r"pip install 'flexblocks\[symbolic\]'"):
        export.equations(ARMS["numbers"], "sympy")
