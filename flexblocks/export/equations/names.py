"""Textbook symbols of variables: theta_1 for ``joint1.angle``, q_11 for ``link1.bending_y[1]``, m_1, L_1, EI_1."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion

C = """
auto break case char const continue default do double else enum extern float for goto if inline int long main register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile
acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh erf exp expm1 fabs floor fmax fmin fmod hypot log log1p
pow remainder sin sinh sqrt tan tanh
"""
MATLAB = "abs end function max min otherwise parfor persistent rem sign spmd zeros ifelse_zero"
PYTHON = " ".join([*keyword.kwlist, *keyword.softkwlist, "np", "jax", "jnp"])
# Names of arguments and results in the generated code.
ARGUMENTS_AND_RESULTS = "a p q u v w x z B C D F H K M Q c d g k r"

# Of the target languages and of generated code, which no name of it may be.
RESERVED = frozenset(" ".join([C, MATLAB, PYTHON, ARGUMENTS_AND_RESULTS]).split())

LETTERS: Mapping[str, str] = {
    "angle": "theta",
    "displacement": "d",
    "bending_y": "q",
    "bending_z": "r",
    "curvature_y": "q",
    "curvature_z": "r",
    "torsion": "psi",
    "torque": "tau",
    "force": "F",
    "mass": "m",
    "inertia": "J",
    "length": "L",
    "linear_density": "rho",
    "flexural_rigidity": "EI",
    "flexural_rigidity_z": "EIz",
    "axial_rigidity": "EA",
    "torsional_rigidity": "GJ",
    "shear_rigidity": "kGA",
    "shear_rigidity_z": "kGAz",
    "section_inertia": "rhoI",
    "section_inertia_z": "rhoIz",
    "polar_inertia": "rhoIp",
    "gear_ratio": "n",
    "stiffness": "k",
    "damping": "b",
    "damping_ratio": "zeta",
    "damping_time": "tau",
    "current": "i",
    "voltage": "V",
}
GREEK = frozenset(
    (
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "pi",
        "rho", "sigma", "tau", "phi", "chi", "psi", "omega",
        "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega",
    )
)  # fmt: skip
RATES = ("", "dot", "ddot")


@dataclass(frozen=True)
class Name:
    """Symbol of a variable: a letter or word with a subscript and the dots of time derivatives.

    Attributes
    ----------
    stem, subscript : str
    rate : int
        Order of the time derivative.
    verbatim : str or None
        A LaTeX formula chosen by the user, in place of stem and subscript.
    separator : str
        Text between stem and subscript in code.
    """

    stem: str
    subscript: str = ""
    rate: int = 0
    verbatim: str | None = None
    separator: str = "_"

    @property
    def identifier(self) -> str:
        """The name in code: ``thetadot_1``."""
        return self.stem + RATES[self.rate] + (f"{self.separator}{self.subscript}" if self.subscript else "")

    @property
    def latex(self) -> str:
        r"""The name in a formula: ``\dot{\theta}_{1}``."""
        stem = self.verbatim or _letter(self.stem)
        if self.rate:
            stem = rf"\{RATES[self.rate]}{{{stem}}}"
        if not self.subscript:
            return stem
        plain = re.fullmatch(r"[\d_]+", self.subscript)
        subscript = self.subscript.replace("_", ",") if plain else _word(self.subscript)
        return f"{stem}_{{{subscript}}}"


def _letter(stem: str) -> str:
    if stem in GREEK:
        return f"\\{stem}"
    return stem if len(stem) == 1 else _word(stem)


def _word(text: str) -> str:
    return rf"\mathrm{{{text.replace('_', chr(92) + '_')}}}"


def readable_names(variables: Iterable[str], chosen: Mapping[str, str] | None, formula: bool) -> dict[str, Name]:
    """Return a unique symbol for each variable of the DAE.

    Parameters
    ----------
    variables : iterable of str
        As the DAE names them; ``der(x)`` is the rate of x and takes its name from it.
    chosen : dict, optional
        Names chosen by the user: ``{"joint1.angle": "phi_1"}``.
    formula : bool
        Whether chosen names may be LaTeX; otherwise they must be identifiers.

    Raises
    ------
    NameUnknownError
        A name is chosen for a variable that does not exist.
    ParameterError
        A chosen name is invalid, or two variables would share it.
    """
    known = list(dict.fromkeys(variables))
    for variable, name in (chosen or {}).items():
        if variable not in known:
            raise NameUnknownError(f"equations: names: there is no variable '{variable}'{suggestion(variable, known)}")
        _check(variable, name, formula)
    by_variable: dict[str, Name] = {}
    for variable in known:
        base, rate = _undotted(variable)
        if variable in (chosen or {}):
            by_variable[variable] = _parsed((chosen or {})[variable])
        elif base in (chosen or {}):
            by_variable[variable] = replace(_parsed((chosen or {})[base]), rate=rate)
        else:
            by_variable[variable] = replace(_automatic(base, full=False), rate=rate)
    for variable in _clashing(by_variable):
        base, rate = _undotted(variable)
        if not {variable, base} & set(chosen or {}):
            by_variable[variable] = replace(_automatic(base, full=True), rate=rate)
    clashing = _clashing(by_variable)
    if clashing:
        raise ParameterError(
            f"equations: names: {listing(clashing)} would have the same name "
            f"'{by_variable[clashing[0]].verbatim or by_variable[clashing[0]].identifier}'; choose others with "
            "names={...}."
        )
    return by_variable


def _clashing(by_variable: Mapping[str, Name]) -> list[str]:
    """Return the variables whose names are not unique, in code or in formulas."""
    identifiers = [name.latex if name.verbatim else name.identifier for name in by_variable.values()]
    formulas = [name.latex for name in by_variable.values()]
    return [
        variable
        for variable, identifier, formula in zip(by_variable, identifiers, formulas, strict=True)
        if identifiers.count(identifier) > 1 or formulas.count(formula) > 1
    ]


def _undotted(variable: str) -> tuple[str, int]:
    """Return the variable without ``der(...)``, and the order of its time derivative."""
    rate = 0
    while variable.startswith("der(") and variable.endswith(")"):
        variable, rate = variable[4:-1], rate + 1
    return variable, rate


def _automatic(variable: str, full: bool) -> Name:
    """Return the default symbol: the letter of the quantity with the block's number, or its whole name if `full`."""
    block, _, quantity = variable.rpartition(".")
    quantity, _, index = quantity.partition("[")
    indices = re.findall(r"\d+", index)
    stem = LETTERS.get(quantity, _legal(quantity))
    if stem == "theta" and "rotor" in block:
        stem = "alpha"  # as Subudhi & Morris (2002) call the rotor's angle
    if not block:
        # A name chosen by the user in a change of coordinates.
        chosen = _parsed(_legal(quantity))
        return replace(chosen, subscript="_".join(filter(None, [chosen.subscript, *indices])))
    numbers = [] if full else re.findall(r"\d+(?=$|\.)", block)
    place = numbers[-1] if numbers else _legal(block)
    joined = [place, *indices]
    short = all(len(part) == 1 and part.isdigit() for part in joined)
    return Name(stem, ("" if short else "_").join(joined))


def _legal(text: str) -> str:
    """Return an identifier made from a text, not reserved in any language."""
    legal = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "x"
    legal = f"x{legal}" if legal[0].isdigit() else legal
    return f"{legal}_" if legal in RESERVED or re.fullmatch(r"s\d+", legal) else legal


def _parsed(name: str) -> Name:
    """Parse a name chosen by the user: ``phi_1`` or ``phi1`` into letter and subscript; a formula stays verbatim."""
    match = re.fullmatch(r"([A-Za-z]+)(_?)(\w*)", name, flags=re.ASCII)
    if match is None:
        return Name("", verbatim=name)
    stem, separator, subscript = match.groups()
    return Name(stem, subscript, separator=separator)


def _check(variable: str, name: object, formula: bool) -> None:
    identifier = isinstance(name, str) and re.fullmatch(r"[A-Za-z]\w*", name, flags=re.ASCII)
    if formula and isinstance(name, str) and name.strip() and not identifier:
        return
    if not identifier or name in RESERVED or re.fullmatch(r"s\d+", str(name)):
        raise ParameterError(
            f"equations: names: '{variable}' = {name!r}; must be letters, digits and underscores, starting with a "
            "letter, and no word that a language or the generated code uses for itself (such as 'for', 'q' or 's1')"
            + (", or a formula." if formula else ".")
        )
