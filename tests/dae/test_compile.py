"""Compiled functions give the same numbers, come from a cache, and are done without where there is no compiler."""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.one_link import DCMotor, HardeningSpring, joint_arm
from flexblocks import models, optim
from flexblocks.dae import compiler, library_cache
from flexblocks.dae.compiler import CompilerError
from flexblocks.dae.functions import DAEFunction, DAEFunctions

FUNCTIONS = [name for name, member in vars(DAEFunctions).items() if isinstance(member, DAEFunction)]

needs_compiler = pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLEXBLOCKS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@cache
def arm(links: int = 1) -> fb.DAE:
    return fb.assemble(models.subudhi_morris_2002(links=links, modes=1), symbolic=("payload.mass",))


@cache
def driven() -> fb.DAE:
    """An arm with a first-order state and an algebraic variable."""
    link = fb.RigidLink("link", length=0.5, mass=0.1)
    return fb.assemble(joint_arm(beam=link, drive=(DCMotor("motor"), HardeningSpring("hard"))))


@needs_compiler
@pytest.mark.parametrize("dae", [arm(2), driven()], ids=["two links", "state and algebraic variable"])
def test_results_are_those_of_the_virtual_machine_to_the_last_digit(dae: fb.DAE) -> None:
    for name in FUNCTIONS:
        getattr(dae, name)  # what has been made before, interpreted, is compiled all the same
    compiled = dae.compile(strict=True)
    assert compiled.library is not None
    assert dae.library is None
    random = np.random.default_rng(1)
    for name in FUNCTIONS:
        slow, fast = getattr(dae, name), getattr(compiled, name)
        if not slow.numel_out(0):
            continue
        assert fast.is_a("External")
        assert (fast.name_in(), fast.name_out()) == (slow.name_in(), slow.name_out())
        for _ in range(5):
            given = [random.uniform(0.1, 0.5, slow.size_in(i)) for i in range(slow.n_in())]
            for one, other in zip(slow.call(given), fast.call(given), strict=True):
                assert one.full().shape == other.full().shape
                assert np.array_equal(one.full(), other.full()), name


@needs_compiler
@pytest.mark.parametrize("method", ["adams", "rk4"])
def test_a_simulation_runs_on_compiled_functions(method: str) -> None:
    dae = arm()
    settings = {"u": {"motor1.torque": fb.bang_bang(0.2, 0.1)}, "p": {"payload.mass": 0.15}, "method": method}
    if method == "rk4":
        settings["step"] = 1e-3
    slow, fast = (fb.simulate(d, (0.0, 0.3), **settings) for d in (dae, dae.compile(strict=True)))
    assert np.max(np.abs(slow.x[-1])) > 1e-3
    assert np.allclose(slow.x, fast.x, rtol=0, atol=1e-9)
    assert np.allclose(slow.y, fast.y, rtol=0, atol=1e-9)


@needs_compiler
def test_a_simulation_with_algebraic_variables_and_a_function_that_is_called_back() -> None:
    dae = driven()
    slow, fast = (
        fb.simulate(d, (0.0, 0.2), u={"motor.voltage": lambda t: float(np.sin(9 * t))})
        for d in (dae, dae.compile(strict=True))
    )
    assert np.max(np.abs(slow.x[-1])) > 1e-4
    assert np.allclose(slow.x, fast.x, rtol=0, atol=1e-8)


@needs_compiler
def test_what_needs_expressions_works_on_a_compiled_dae_too() -> None:
    dae = arm()
    compiled = dae.compile(strict=True)
    assert np.array_equal(fb.linearize(compiled).A, fb.linearize(dae).A)
    goal = optim.RestToRest(start={"joint1.angle": 0.0}, goal={"joint1.angle": 0.3}, duration=1.0)
    assert len(list(optim.pyomo_model(compiled, goal).component_data_objects())) > 100
    turned = fb.change_coordinates(compiled, 2 * np.eye(3), ("a", "b", "c"))
    assert turned.library is None
    q = np.array([0.1, 0.2, 0.01])
    assert np.allclose(turned.mass_matrix(q, [0.1]).full(), 4 * dae.mass_matrix(2 * q, [0.1]).full(), rtol=1e-13)


@needs_compiler
def test_the_second_time_it_comes_from_the_cache(own_cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "flexblocks.compiler"):
        first = arm().compile(strict=True)
        assert caplog.text.count("compiling") == 1
        written = first.library.stat().st_mtime_ns
        second = arm().compile(strict=True)
    assert caplog.text.count("compiling") == 1
    assert first.library == second.library
    assert second.library.stat().st_mtime_ns == written
    assert [path.suffix for path in own_cache.iterdir()] == [compiler.SUFFIX]


@needs_compiler
def test_without_optimisation_it_is_another_library_of_the_same_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = []
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda command, **more: commands.append(command) or run(command, **more))
    dae = arm(2)
    fast, quick = dae.compile(strict=True), pickle.loads(pickle.dumps(dae.compile(strict=True, optimize=False)))
    assert fast.library != quick.library
    # What is compiled later, too: the functions that are requested, the derivative of the motion, and steps.
    x, u = np.linspace(0.1, 0.5, len(dae.x)), np.full(len(dae.u), 0.1)
    assert np.array_equal(*(each.forward_dynamics(x, u, [0.1]).full() for each in (fast, quick)))
    of_steps = [each.steps("rk43", 2) for each in (fast, quick)]
    given = [np.full(of_steps[0].size_in(i), 0.01) for i in range(of_steps[0].n_in())]
    assert np.array_equal(*(steps.call(given)[0].full() for steps in of_steps))
    builds = [command for command in commands if "-shared" in command]
    assert [("-O1" in command, "-O0" in command) for command in builds] == [(True, False), (False, True)] * 3


@needs_compiler
def test_another_arm_is_another_library() -> None:
    light, heavy = arm(1), arm(2)
    first, second = light.compile(strict=True), heavy.compile(strict=True)
    assert first.library != second.library
    assert first.mass_matrix.size1_out(0) != second.mass_matrix.size1_out(0)


@needs_compiler
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: b"not a library", id="replaced"),
        pytest.param(lambda content: content[: len(content) // 2], id="cut short"),  # loaded, it kills Python
        pytest.param(lambda content: content[:-1] + bytes([content[-1] ^ 1]), id="one bit"),
        pytest.param(lambda content: b"", id="empty"),
    ],
)
def test_a_damaged_library_is_built_anew(damage: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture) -> None:
    dae = arm()
    path = compiler.library([dae.mass_matrix])
    path.write_bytes(damage(path.read_bytes()))
    with caplog.at_level(logging.WARNING, "flexblocks.compiler"):
        found, functions = compiler.load([dae.mass_matrix])
    assert "is damaged; rebuilding it" in caplog.text
    q = np.array([0.1, 0.2, 0.01])
    assert found == path
    assert np.array_equal(functions["mass_matrix"](q, 0.1).full(), dae.mass_matrix(q, 0.1).full())


def opened(path: Path) -> None:
    path.chmod(0o666)


def linked(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def made_a_folder(path: Path) -> None:
    path.unlink()
    (path / "inside").mkdir(parents=True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights and links")
@pytest.mark.parametrize("change", [opened, linked, made_a_folder])
def test_what_others_could_exchange_is_no_library(change: Callable[[Path], None], own_cache: Path) -> None:
    """A file that all may write to, a link, a folder of that name; a user's own mask must not make one."""

    def build(path: Path) -> None:
        path.write_bytes(b"library")
        path.chmod(0o777)

    path = library_cache.cached("key", ".so", build)
    assert path.stat().st_mode & 0o022 == 0
    change(path)
    again = library_cache.cached("key", ".so", build)
    assert again == path
    assert again.is_file()
    assert not again.is_symlink()
    assert again.stat().st_mode & 0o022 == 0


def test_a_cache_of_nobody_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEXBLOCKS_CACHE", "~nobody-of-this-name/cache")
    with pytest.raises(library_cache.CacheError, match="Write the path in full"):
        library_cache.cached("key", ".so", Path.touch)


@pytest.mark.slow
@needs_compiler
def test_two_processes_may_make_the_same_library_at_once(own_cache: Path) -> None:
    script = (
        "import casadi as ca\nfrom flexblocks.dae import compiler\nx = ca.SX.sym('x')\n"
        "f = ca.Function('f', [x], [x + 1])\n"
        "print(float(compiler.load([f])[1]['f'](2)))"
    )
    runs = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [run.communicate(timeout=60)[0].strip() for run in runs] == ["3.0"] * 3
    assert len(list(own_cache.iterdir())) == 1


@needs_compiler
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
def test_a_cache_into_which_others_may_write_is_refused(own_cache: Path, mode: int) -> None:
    compiler.library([arm().mass_matrix])
    own_cache.chmod(mode)
    with pytest.raises(CompilerError, match=r"others may write to .*chmod go-w"):
        arm().compile(strict=True)
    own_cache.chmod(0o755)
    assert arm().compile(strict=True).library is not None


@needs_compiler
def test_steps_that_were_made_before_are_compiled_all_the_same() -> None:
    dae = arm()
    assert not dae.steps("rk43", 16).is_a("External")
    assert dae.compile(strict=True).steps("rk43", 16).is_a("External")


@needs_compiler
def test_what_killed_processes_left_behind_is_cleared_away(own_cache: Path) -> None:
    for name in ("building-old", "building-new"):
        (own_cache / name).mkdir(parents=True)
        (own_cache / name / "flexblocks.c").write_text("half")
    os.utime(own_cache / "building-old", (0.0, 0.0))
    own_cache.chmod(0o700)
    path = compiler.library([arm().mass_matrix])
    assert sorted(own_cache.iterdir()) == sorted([path, own_cache / "building-new"])


def test_without_a_compiler_the_dae_stays_as_it_is_and_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    dae = arm()
    with caplog.at_level(logging.WARNING, "flexblocks"):
        compiled = dae.compile()
    assert compiled.library is None
    assert "no C compiler was found" in caplog.text
    assert compiled.forward_dynamics.is_a("SXFunction")
    with pytest.raises(CompilerError, match="no C compiler was found"):
        dae.compile(strict=True)


def test_a_compiler_that_fails_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho 'out of order' >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    with pytest.raises(CompilerError, match="out of order"):
        arm().compile(strict=True)


@needs_compiler
def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("FLEXBLOCKS_CACHE", str(blocked))
    x = ca.SX.sym("x")
    with pytest.raises(CompilerError, match=r"cannot be written.*FLEXBLOCKS_CACHE"):
        compiler.library([ca.Function("f", [x], [x])])
