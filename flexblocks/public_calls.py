"""The door of the public face: a call with arguments of the wrong type ends in one `FlexblocksError`.

`guard` is called once at the end of each public package. It wraps the functions that the package names in `__all__`,
and the constructors and public methods of its classes. A call that succeeds costs a microsecond or two more; one
that ends in an error of Python's own is looked at afterwards, against the annotations of its parameters. Functions
call each other inside the library without a door. No Ctrl-C is lost behind it, see `flexblocks.interrupt`.

A refused argument ends in one error and no other: what Python made of it would only hide it. Of an `UnexpectedError`
Python's own is the cause, and an error in code that a user passed in (a law, a signal, a block) is left as it is.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from types import FrameType, TracebackType
from typing import Any, TypeVar

import numpy as np

from flexblocks.argument_types import MOST_ENTRIES, annotated_types, mismatches, not_plain, short
from flexblocks.errors import ArgumentError, FlexblocksError, UnexpectedError, meant
from flexblocks.interrupt import begin

Called = TypeVar("Called", bound=Callable[..., Any])

OURS = "flexblocks"
# Packages that work on what they are passed: an error there has its cause in the arguments.
LIBRARIES = {
    *("casadi", "cftime", "click", "control", "cycler", "matplotlib", "mpl_toolkits", "netCDF4", "networkx", "numpy"),
    *("pandas", "pyomo", "rich", "scipy", "typer", "xarray", "yaml"),
}
# Methods with underscores that users call; those that they call in their loops are short.
SHORT = ("__call__", "__getitem__")
SPECIAL = ("__init__", *SHORT)
GUARDED = "__guarded__"
# Dimensions that NumPy's arrays have at the most.
MOST_NESTED = 64
# Counts from which on a lack of memory is theirs.
MANY = 10**6


def guard(package: str, names: Iterable[str]) -> None:
    """Guard the public functions and classes of a package, see the module.

    Parameters
    ----------
    package : str
        Its name; guarded functions say that they come from there, so that they can be pickled.
    names : iterable of str
        Usually its ``__all__``.
    """
    members = vars(sys.modules[package])
    for name in names:
        member = members[name]
        if inspect.isfunction(member) and not hasattr(member, GUARDED):
            members[name] = _guarded(member, name)
            members[name].__module__, members[name].__qualname__ = package, name
        elif inspect.isclass(member) and not issubclass(member, BaseException):
            _guard_class(member)


def _guard_class(kind: type) -> None:
    """Guard the methods of a class, and those it inherits from classes of the library."""
    for base in kind.__mro__:
        if base.__module__.partition(".")[0] != OURS:
            continue
        for name, member in list(vars(base).items()):
            if name.startswith("_") and name not in SPECIAL:
                continue
            if inspect.isfunction(member) and not hasattr(member, GUARDED):
                setattr(base, name, _guarded(member, name, base))
            elif isinstance(member, classmethod) and not hasattr(member.__func__, GUARDED):
                setattr(base, name, classmethod(_guarded(member.__func__, name, base)))
            elif isinstance(member, staticmethod) and not hasattr(member.__func__, GUARDED):
                setattr(base, name, staticmethod(_guarded(member.__func__, f"{base.__name__}.{name}")))


def _guarded(function: Callable[..., Any], name: str, owner: type | None = None) -> Any:
    """Return a function that refuses arguments of the wrong type; `owner` is the class of a method."""
    switches, is_short = _switches(function), name in SHORT

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        delivery = None if is_short else begin()
        try:
            for switch, allowed in switches:
                if switch in kwargs:
                    _check_switch(_label(name, owner, args), switch, kwargs[switch], allowed)
            return function(*args, **kwargs)
        except (FlexblocksError, Warning, ImportError) as error:
            if _is_interrupt(error):
                raise KeyboardInterrupt from error
            raise
        except Exception as error:
            if _is_interrupt(error):
                raise KeyboardInterrupt from error
            refusal = _refusal(function, name, owner, args, kwargs, error, sys._getframe(1))
            if refusal is None:
                raise
            raise refusal from (error if isinstance(refusal, UnexpectedError) else None)
        finally:
            if delivery is not None:
                delivery.end()

    setattr(guarded, GUARDED, True)
    return guarded


def delivering(function: Called) -> Called:
    """Return a function during which no Ctrl-C is lost: a decorator of what is called without a door."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        delivery = begin()
        try:
            return function(*args, **kwargs)
        finally:
            if delivery is not None:
                delivery.end()

    return called  # type: ignore[return-value]


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C was met in a library's C code, from which Python makes a SystemError that it caused."""
    while error is not None:
        if isinstance(error, SystemError) and isinstance(error.__cause__, KeyboardInterrupt):
            return True
        error = error.__cause__
    return False


def _switches(function: Callable[..., Any]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Return the parameters that are True or False with the values they may have, as (name, values).

    These alone are checked before the call: any other value would pass for one of the two, and "no" for True.
    """
    hints = getattr(function, "__annotations__", {})
    if hasattr(function, "__signature__"):  # its parameters are written elsewhere, see optim.plan
        hints = {name: one.annotation for name, one in inspect.signature(function).parameters.items()}
    allowed = {"bool": (True, False), "bool | None": (True, False, None)}
    return tuple((name, allowed[hint]) for name, hint in hints.items() if hint in allowed)


def _check_switch(function: str, name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if not (isinstance(value, np.bool_) or any(value is one for one in allowed)):
        raise ArgumentError(f"{function}: {name} = {short(value)}; must be True or False.")


def _refusal(
    function: Callable[..., Any],
    name: str,
    owner: type | None,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    error: Exception,
    caller: FrameType,
) -> FlexblocksError | None:
    """Return what to raise in place of an error; None to leave it as it is."""
    if _package(caller) == OURS:
        return None  # the outermost call reports
    signature, label = inspect.signature(function), _label(name, owner, args)
    try:
        arguments = signature.bind(*args, **kwargs).arguments
    except TypeError as mistake:
        return ArgumentError(_written_wrongly(label, signature, args, kwargs, mistake, owner is not None))
    if _in_code_of_user(error.__traceback__):
        return None
    if owner is not None:
        arguments = dict(list(arguments.items())[1:])
    for argument, value in arguments.items():
        if isinstance(error, (OverflowError, TypeError, ValueError)) and _is_too_large(value):
            return ArgumentError(f"{label}: {argument} has an integer beyond all numbers, more than 1.8e308.")
        if isinstance(error, (RecursionError, ValueError)) and _is_endless(value):
            return ArgumentError(f"{label}: {argument} is nested too deeply, or contains itself; pass plain values.")
        if _is_of_size(error) and _counts(value) > MANY:
            return ArgumentError(f"{label}: {argument} = {short(value)}; no memory holds so many. Use fewer.")
    hints = annotated_types(function, signature, owner if name == "__init__" else None)
    wrong = mismatches(signature, arguments, hints) or (not_plain(arguments, hints) if owner is None else [])
    if wrong:
        return ArgumentError(f"{label}: {'; '.join(wrong)}.")
    came = ", ".join(f"{argument} = {short(value)}" for argument, value in arguments.items())
    return UnexpectedError(
        f"{label}: ended in {type(error).__name__}: {error}. Called with {came or 'no arguments'}; either one is "
        "not as documented, or flexblocks has a defect: please report it then, with the traceback above."
    )


def _is_endless(value: Any) -> bool:
    """Whether a value is nested too deeply for an array, or even to be written, or contains itself."""
    depth = 0
    while isinstance(value, (list, tuple)) and value and depth <= MOST_NESTED:
        value, depth = value[0], depth + 1
    try:
        return depth > MOST_NESTED or "..." in repr(value)
    except RecursionError:
        return True
    except Exception:  # nor does what cannot be written
        return False


def _is_of_size(error: Exception) -> bool:
    """Whether an error says that something is larger than memory, or than an array can be."""
    return isinstance(error, (MemoryError, OverflowError)) or "Maximum allowed" in str(error)


def _counts(value: Any) -> int:
    """Return how many an argument requests: an integer, or the length of a range, the largest in a mapping."""
    if isinstance(value, Mapping):
        return max(map(_counts, value.values()), default=0)
    if isinstance(value, range):
        return abs(value.stop - value.start) // abs(value.step)
    return value if isinstance(value, int) else 0


def _is_too_large(value: Any, depth: int = 0) -> bool:
    """Whether a value is or holds an integer that no floating-point number comes near to."""
    if isinstance(value, (list, tuple, Mapping)) and len(value) <= MOST_ENTRIES and depth <= MOST_NESTED:
        entries = value.values() if isinstance(value, Mapping) else value
        return any(_is_too_large(entry, depth + 1) for entry in entries)
    return isinstance(value, int) and abs(value) > sys.float_info.max


def _label(name: str, owner: type | None, args: tuple[Any, ...]) -> str:
    """Return what was called, for messages: ``simulate``, ``Payload``, ``Model.connect``."""
    if owner is None:
        return name
    of = args[0] if args else owner
    kind = of if isinstance(of, type) else type(of)
    return kind.__name__ if name == "__init__" else f"{kind.__name__}.{name.strip('_')}"


def _written_wrongly(
    label: str,
    signature: inspect.Signature,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    mistake: TypeError,
    method: bool,
) -> str:
    """Return the message about an argument that is missing, unknown or too many, or that has to be named."""
    known = list(signature.parameters)[1 if method else 0 :]
    named = [name for name in known if signature.parameters[name].kind is inspect.Parameter.KEYWORD_ONLY]
    if named == known and len(args) > (1 if method else 0):
        came = ", ".join(map(short, args[1 if method else 0 :]))
        return f"{label}({came}): say which is which: {label}({', '.join(f'{name}=...' for name in known)})."
    unknown = [name for name in kwargs if name not in known]
    told = f"takes ({', '.join(known)})."
    if unknown:  # also where others are missing, for which it may stand
        return f"{label}: got an unexpected keyword argument '{unknown[0]}'{meant(unknown[0], known, told)}"
    return f"{label}: {mistake}; {told}"


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _in_code_of_user(trace: TracebackType | None) -> bool:
    """Whether an error passed through code that is neither ours nor a library's, inside the guarded call."""
    trace = trace and trace.tb_next  # the first is the door
    while trace is not None:
        package, file = _package(trace.tb_frame), trace.tb_frame.f_code.co_filename
        known = package == OURS or package in LIBRARIES or package in sys.stdlib_module_names
        # Constructors of dataclasses have no file.
        if not known and not file.startswith("<string>"):
            return True
        trace = trace.tb_next
    return False
