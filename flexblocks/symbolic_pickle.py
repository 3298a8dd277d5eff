"""Pickling of objects that hold CasADi's symbols, which do not pickle by themselves.

CasADi keeps the identity of symbols within one context of pickling. Whatever is reached from the outermost such object
is one context, packed into bytes of its own, so that to anyone else it is an ordinary picklable object.

Unpickling runs code that the pickle names, here as everywhere: open only pickles that come from where you trust.
"""

from __future__ import annotations

import pickle
import threading
from typing import Any

import casadi as ca

from flexblocks.errors import FlexblocksError

# CasADi has one context for the whole process.
_LOCK = threading.RLock()
_inside = False


class PickleError(FlexblocksError, pickle.PicklingError):
    """Something in an object cannot be pickled; mostly a function of the user that no other process could import."""


class HoldsSymbols:
    """Base of objects that hold symbols. Copies share them."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        if _inside:
            return super().__reduce_ex__(protocol)
        return _unpacked, (_packed(self),)

    def __copy__(self) -> Any:
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __deepcopy__(self, memo: Any) -> Any:
        return self  # frozen


def _packed(value: Any) -> bytes:
    global _inside
    with _LOCK:
        _inside = True
        try:
            with ca.global_pickle_context():
                return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        except FlexblocksError:
            raise
        except Exception as error:  # pickle raises PicklingError, AttributeError or TypeError; CasADi any
            raise PickleError(
                f"{value!r} cannot be pickled: {error}. Functions of yours, such as laws and properties along a beam, "
                "travel if they are defined by name in a module that the other process imports, and not as lambda or "
                "inside another function."
            ) from error
        finally:
            _inside = False


def _unpacked(content: bytes) -> Any:
    with _LOCK, ca.global_unpickle_context():
        return pickle.loads(content)
