"""The arm of a task: assembled once a worker, with what varies from case to case left open."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from flexblocks.assemble import assemble
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.modeling.model import Model
from flexblocks.modeling.symbolic_parameters import symbolic_parameters
from flexblocks.studies.cases import Case

MOST = 8  # arms that a worker keeps, for cases that differ in what no symbol can stand for
Arm = DAE | Model | Callable[..., Any]
Values = dict[str, dict[str, Any]]


class Arms:
    """Assembled arms of the cases of a study.

    Parameters
    ----------
    arm : DAE, Model or callable
        Of a model, the parameters that vary are symbolic. A callable takes from a case what its arguments name, and
        returns a DAE or a Model; of it there is one arm for each combination of these.
    names : tuple of str
        Names in the cases.
    law : control law, optional
        Closes the loop around the arm.
    """

    def __init__(self, arm: Any, names: Iterable[str], law: Any = None) -> None:
        self._names, self._law = tuple(names), law
        self._make: Callable[..., Any] = arm
        self._arguments: tuple[str, ...] = ()
        if isinstance(arm, (DAE, Model)):
            self._make = lambda: arm
        elif callable(arm):
            self._arguments = tuple(inspect.signature(arm).parameters)
        else:
            raise ParameterError(f"arm = {arm!r}; must be a DAE, a Model or a function that returns one.")
        self._kept: OrderedDict[tuple[Any, ...], DAE] = OrderedDict()
        if not self._arguments:
            self.at({})

    @property
    def only(self) -> DAE | None:
        """The arm, if it is the same in all cases: then the request can be checked before any of them."""
        return None if self._arguments else self.at({})[0]

    def at(self, case: Case) -> tuple[DAE, Case]:
        """Return the arm of a case, and what of the case is left to say of it."""
        chosen = {name: case[name] for name in self._arguments if name in case}
        key = tuple(chosen.values())
        if key not in self._kept:
            self._kept[key] = self._assembled(self._make(**chosen))
            if len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return self._kept[key], {name: value for name, value in case.items() if name not in chosen}

    def _assembled(self, arm: Any) -> DAE:
        left = [name for name in self._names if name not in self._arguments]
        open_ones: tuple[str, ...] = ()
        if isinstance(arm, DAE):
            dae = arm
        else:
            dae = assemble(arm, symbolic=[name for name in left if _can_be_symbolic(arm, name)])
            open_ones = symbolic_parameters(arm, "all")[0].names
        if self._law is not None:
            from flexblocks.control import close_loop

            dae = close_loop(dae, self._law)
        for name in left:
            group_of(dae, name, open_ones)
        return dae


def split(dae: DAE, case: Case) -> Values:
    """Return the values of a case as parameters ``p``, states ``x`` and inputs ``u``, by name."""
    values: Values = {"p": {}, "x": {}, "u": {}}
    for name, value in case.items():
        values[group_of(dae, name)][name] = value
    return values


def group_of(dae: DAE, name: str, parameters: Iterable[str] = ()) -> str:
    """Return whether a name is that of a parameter ``p``, a state ``x`` or an input ``u``.

    Parameters
    ----------
    dae : DAE
    name : str
    parameters : iterable of str
        Those that could have been left symbolic, for the message.

    Raises
    ------
    NameUnknownError
        It is none of these.
    """
    for group in ("p", "x", "u"):
        if name in getattr(dae, group):
            return group
    known = [*dict.fromkeys([*dae.p.names, *dae.x.names, *dae.u.names, *parameters])]
    raise NameUnknownError(
        f"study: '{dae.name}' has no symbolic parameter, state or input '{name}'"
        f"{suggestion(name, known)}"
        f" For anything else give a function with the argument '{name}' as arm, that returns the "
        "model."
    )


def _can_be_symbolic(model: Model, name: str) -> bool:
    try:
        symbolic_parameters(model, [name])
    except NameUnknownError:
        return False
    return True
