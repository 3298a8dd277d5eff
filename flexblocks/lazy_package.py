"""Public names of a package, and methods of its classes, that are imported when they are first used.

Names of one group come together: with a verb come the classes of what it returns, and their methods are guarded as the
verb is (`flexblocks.public_calls`).

A method such as ``run.plot()`` needs a room above that of its class. The class has its signature, decorated with
`upper`; the room above writes it and registers it, so that imports go one way.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version as installed_version
from types import ModuleType
from typing import Any, TypeVar

from flexblocks.libraries import optional
from flexblocks.public_calls import guard

Method = TypeVar("Method", bound=Callable[..., Any])

# Rooms that write methods of classes below them, by the method; what they register is in their ``methods.py``.
ROOMS = {
    "_repr_html_": "notebook",
    "_repr_latex_": "notebook",
    "animate": "plot.animation",
    "plot": "plot",
    "save": "export",
    "validate": "identification",
}
_METHODS: dict[str, Callable[..., Any]] = {}

Group = Mapping[str, Sequence[str]]  # names by the module they are in


class LazyPackage(ModuleType):
    """A package whose names are imported when one of their group is first looked up.

    What is in none of the groups is looked up among its subpackages, and in the registers, packages whose ``__all__``
    belongs to this one's.
    """

    __groups: tuple[Group, ...]
    __registers: tuple[str, ...]

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self.__all_names()
        if name == "__version__":
            return installed_version(self.__name__)
        if name.startswith("__"):
            raise AttributeError(name)
        for group in self.__groups:
            if any(name in names for names in group.values()):
                self.__load(group, name)
                return vars(self)[name]
        if importlib.util.find_spec(f"{self.__name__}.{name}") is not None:
            return optional(f"{self.__name__}.{name}", f"{self.__name__}.{name}")
        for register in self.__registers:
            names = importlib.import_module(register).__all__
            if name in names:
                self.__load({register: names}, name)
                return vars(self)[name]
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        # Python puts a submodule there when it is imported; of the same name is a verb.
        if isinstance(value, ModuleType) and any(name in names for g in self.__groups for names in g.values()):
            return
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *self.__all_names()})

    def __load(self, group: Group, name: str) -> None:
        for module, names in group.items():
            there = optional(module, f"{self.__name__}.{name}".removeprefix("flexblocks."))
            vars(self).update({name: getattr(there, name) for name in names})
        guard(self.__name__, [name for names in group.values() for name in names])

    def __all_names(self) -> list[str]:
        names = [name for group in self.__groups for names in group.values() for name in names]
        return sorted(names) + [name for one in self.__registers for name in importlib.import_module(one).__all__]

    @classmethod
    def make(cls, package: str, groups: Sequence[Group], registers: Sequence[str]) -> None:
        """Make a package lazy.

        Parameters
        ----------
        package : str
        groups : sequence of dict
            Names that come together, by module.
        registers : sequence of str
            Packages all of whose public names are this one's, too.
        """
        module = sys.modules[package]
        vars(module)["_LazyPackage__groups"], vars(module)["_LazyPackage__registers"] = tuple(groups), tuple(registers)
        module.__class__ = cls


def upper(method: Method) -> Method:
    """Return a method that a room above that of its class writes: a decorator of its signature and docstring.

    Raises
    ------
    MissingExtraError
        When it is called: the room needs a library that is not installed.
    """
    name = method.__qualname__

    @functools.wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        if name not in _METHODS:
            optional(f"flexblocks.{ROOMS[method.__name__]}.methods", name)
        return _METHODS[name](*args, **kwargs)

    return called  # type: ignore[return-value]


def register(methods: Mapping[str, Callable[..., Any]]) -> None:
    """Register what a room writes for classes below it, by ``"Class.method"``; called with the object first."""
    _METHODS.update(methods)
