"""JAX code generation for a routine: a loop over the steps of its schedule, not one instruction after the other.

XLA takes minutes to compile some thousand operations that are written out; it compiles the body of the loop once.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from flexblocks.errors import ParameterError
from flexblocks.export.comment_text import comment_text
from flexblocks.export.equations.program import Operation
from flexblocks.export.equations.python import arguments_and_results
from flexblocks.export.equations.routine import Routine
from flexblocks.export.equations.schedule import Schedule, schedule
from flexblocks.libraries import optional

CALLS = {"ADD": "{0} + {1}", "SUB": "{0} - {1}", "MUL": "{0} * {1}", "DIV": "{0} / {1}"}
CALLS |= {name: f"jnp.{function}({{0}})" for name, function in {
    "SIN": "sin", "COS": "cos", "TAN": "tan", "ASIN": "arcsin", "ACOS": "arccos", "ATAN": "arctan",
    "SINH": "sinh", "COSH": "cosh", "TANH": "tanh", "ASINH": "arcsinh", "ACOSH": "arccosh", "ATANH": "arctanh",
    "EXP": "exp", "LOG": "log", "EXPM1": "expm1", "LOG1P": "log1p", "SQRT": "sqrt", "FABS": "abs", "SIGN": "sign",
    "FLOOR": "floor", "CEIL": "ceil",
}.items()}  # fmt: skip
CALLS |= {name: f"jnp.{function}({{0}}, {{1}})" for name, function in {
    "ATAN2": "arctan2", "HYPOT": "hypot", "FMIN": "minimum", "FMAX": "maximum", "FMOD": "fmod",
    "COPYSIGN": "copysign", "POW": "power", "CONSTPOW": "power",
}.items()}  # fmt: skip
# Truth is a number, 0 or 1.
CALLS |= {name: f"jnp.where({{0}} {sign} {{1}}, 1.0, 0.0)" for name, sign in {
    "LT": "<", "LE": "<=", "EQ": "==", "NE": "!=",
}.items()}  # fmt: skip
CALLS |= {
    "ERF": "jax.scipy.special.erf({0})",
    "NOT": "jnp.where({0} == 0, 1.0, 0.0)",
    "AND": "jnp.where(({0} != 0) & ({1} != 0), 1.0, 0.0)",
    "OR": "jnp.where(({0} != 0) | ({1} != 0), 1.0, 0.0)",
    "IF_ELSE_ZERO": "jnp.where({0} != 0, {1}, 0.0)",
}
WIDTH = 118  # of the lines of numbers


class JaxEquations:
    """The equations of motion as a function of JAX, to be transformed by ``jax.jit``, ``vmap``, ``jacobian``.

    ``M, c, g, k, d, B = motion(q, v, u)``, arguments and results as in its docstring. Numbers have the precision of
    the arguments: ``jax.config.update("jax_enable_x64", True)`` for sixteen digits.

    Attributes
    ----------
    source : str
        The Python module that defines it, which needs JAX and NumPy alone.
    """

    def __init__(self, source: str, name: str) -> None:
        optional("jax", "equations: the form 'jax'")
        module: dict[str, Any] = {"__name__": name}
        exec(compile(source, f"<{name}>", "exec"), module)
        self.source, self.__name__, self._function = source, name, module[name]
        self.__doc__ = module["__doc__"]

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        """Return the parts of the equations, arrays; see the docstring of this object."""
        return self._function(*arguments)

    def __repr__(self) -> str:
        return f"JaxEquations({self.__doc__.partition(': ')[0]!r})" if self.__doc__ else "JaxEquations"

    def __reduce__(self) -> tuple[Any, ...]:
        return JaxEquations, (self.source, self.__name__)


def jax_equations(routine: Routine, name: str, statement: str) -> JaxEquations:
    """Return the equations as a function of JAX.

    Raises
    ------
    MissingExtraError
        JAX is not installed.
    ParameterError
        The model computes with an operation that JAX does not have.
    """
    return JaxEquations(jax(routine, name, statement), name)


def jax(routine: Routine, name: str, statement: str) -> str:
    """Return a Python module that defines one function of JAX, `name`."""
    for value in routine.program.values:
        if isinstance(value, Operation) and value.name not in {*CALLS, "NEG", "TWICE", "SQ", "INV"}:
            raise ParameterError(
                f"equations: the model computes with CasADi's operation {value.name}, which this form cannot write; "
                "use the form 'casadi'."
            )
    plan = schedule(routine.program, [len(argument.variables) for argument in routine.arguments])
    letters = [argument.letter for argument in routine.arguments]
    returned = ", ".join(f"{result.name} {result.size}" for result in routine.results)
    lines = ['"""' + f"{comment_text(routine.title)}: {statement}", *arguments_and_results(routine), '"""', ""]
    lines += ["import jax", "import jax.numpy as jnp", "import numpy as np", ""]
    lines += ["# Values are one array: constants, arguments, then what each step computes of earlier ones."]
    lines += _table("CONSTANTS", map(repr, plan.constants.tolist()), "float")
    for kind, places in plan.operands.items():
        lines += _table(kind, places.ravel(), "np.int32", places.shape)
    for number, result in enumerate(plan.results):
        lines += _table(f"PLACES_{number}", result.values(), "np.int32")
        lines += _table(f"ROWS_{number}", (row for row, _ in result), "np.int32")
        lines += _table(f"COLUMNS_{number}", (column for _, column in result), "np.int32")
    lines += ["", "", f"def {name}({', '.join(letters)}):", f'    """Return {returned}."""', *_loop(plan, letters)]
    for number, result in enumerate(routine.results):
        shape = result.shape[0] if result.is_vector else result.shape
        where = f"ROWS_{number}" if result.is_vector else f"ROWS_{number}, COLUMNS_{number}"
        lines.append(
            f"    {result.name} = jnp.zeros({shape}, values.dtype).at[{where}].set(at(values, PLACES_{number}))"
        )
    lines.append(f"    return {', '.join(result.name for result in routine.results)}")
    return "\n".join(lines) + "\n"


def _loop(plan: Schedule, letters: list[str]) -> list[str]:
    """Return the lines that compute all values."""
    given = "".join(f"{letter}, " for letter in letters)
    lines = [
        f"    kind = jnp.result_type(float, {given.rstrip(', ')})",
        f"    given = [jnp.asarray(one, kind).reshape(-1) for one in ({given})]",
        f"    room = jnp.zeros({plan.steps * plan.stride}, kind)",
        "    values = jnp.concatenate([jnp.asarray(CONSTANTS, kind), *given, room])",
        "",
        "    def at(values, places):",
        '        return values.at[places].get(mode="promise_in_bounds")',
        "",
    ]
    if not plan.steps:
        return lines
    kinds = list(plan.operands)
    lines += ["    def step(values, now):", f"        start, {', '.join(kind.lower() for kind in kinds)} = now"]
    lines += ["        done = ["]
    for kind in kinds:
        operands = [f"at(values, {kind.lower()}[{i}])" for i in range(plan.operands[kind].shape[1])]
        lines.append(f"            {CALLS[kind].format(*operands)},")
    lines += [
        "        ]",
        "        return jax.lax.dynamic_update_slice(values, jnp.concatenate(done), (start,)), None",
        "",
        f"    starts = np.arange({plan.steps}, dtype=np.int32) * {plan.stride} + {plan.start}",
        f"    values, _ = jax.lax.scan(step, values, (starts, {', '.join(kinds)}))",
    ]
    return lines


def _table(name: str, numbers: Iterable[Any], kind: str, shape: tuple[int, ...] | None = None) -> list[str]:
    """Return the lines that define an array of numbers."""
    text = ", ".join(map(str, numbers))
    reshaped = "" if shape is None else f".reshape({', '.join(map(str, shape))})"
    return [f"{name} = np.array([", *textwrap.wrap(text, WIDTH, break_long_words=False), f"], {kind}){reshaped}"]
