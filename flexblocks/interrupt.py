"""Ctrl-C: none is lost, and no result is lost by one.

Python raises KeyboardInterrupt in whatever code it is at. Some code turns all that is raised in it into another error,
or into nothing: CasADi's wrappers, Pyomo's looks at types, an import, a `__del__`. So, from a public call on until it
returns, see `begin`, the exception waits for the first line outside of such code. The frame that a handler is passed
marks where it is, as in Trio's protection from KeyboardInterrupt; a tracer of that frame raises it. What is caught all
the same is raised again when the call ends, unless it has been answered with part of a result, see `answered`.

In an `Interrupt`, Ctrl-C is only recorded, and obeyed between two steps of the work.

A handler of the user's own, and one that ignores Ctrl-C, as workers do, is left alone.
"""

from __future__ import annotations

import inspect
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

# Packages whose code catches KeyboardInterrupt, or is left broken by one; and the methods in which Python ignores it.
LOSING = {"casadi", "control", "importlib", "netCDF4", "pyomo", "weakref", "_weakrefset"}
IGNORED = "__del__"
# The functions of `signal` make enumerations of handlers, which takes ten times as long.
_handler, _handle = inspect.unwrap(signal.getsignal), inspect.unwrap(signal.signal)

_delivery: Delivery | None = None


class Delivery:
    """Delivery of Ctrl-C during a public call, to code through which KeyboardInterrupt gets.

    Attributes
    ----------
    is_due : bool
        Whether Ctrl-C was pressed and is not handled yet.
    """

    def __init__(self, call: FrameType) -> None:
        self.is_due = False
        self._call: FrameType | None = call
        self._traced: list[tuple[FrameType, Any]] = []
        self._tracer: Any = None

    def press(self, number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt in a frame, or when what would lose it has returned; a second time, anywhere."""
        again, self.is_due = self.is_due, True
        if frame is self._call:
            return  # which begins, or ends
        place = self._place(frame)
        if place is frame or (again and not _is_ours(frame)):
            raise KeyboardInterrupt
        if not self._traced:
            self._wait(place)

    def _place(self, frame: FrameType | None) -> FrameType | None:
        """Return the innermost frame of those around a frame that KeyboardInterrupt gets through, itself included."""
        place = frame
        while frame is not None and frame is not self._call:
            if _loses(frame):
                place = frame.f_back
            frame = frame.f_back
        return place

    def _wait(self, frame: FrameType | None) -> None:
        """Trace a frame, those that called it, and those that it will call."""
        while frame is not None and frame is not self._call:
            self._traced.append((frame, frame.f_trace))
            frame.f_trace = self._deliver
            frame = frame.f_back
        if self._traced:
            self._tracer = sys.gettrace()
            sys.settrace(self._enter)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if self.is_due and self._place(frame) is not frame:
            return None
        return self._deliver(frame, event, argument)

    def _deliver(self, frame: FrameType, event: str, argument: Any) -> Any:
        self._stop()
        if self.is_due:
            raise KeyboardInterrupt  # after which Python traces nothing, until `end`

    def _stop(self) -> None:
        """Restore the previous trace function."""
        if self._traced:
            sys.settrace(self._tracer)
            for frame, tracer in self._traced:
                frame.f_trace = tracer
            self._traced = []

    def end(self) -> None:
        """End with the call; raise KeyboardInterrupt if it is still due."""
        global _delivery
        _delivery = None
        if _handler(signal.SIGINT) == self.press:
            _handle(signal.SIGINT, signal.default_int_handler)
        self._stop()
        if self._tracer is not None:
            sys.settrace(self._tracer)
        self._call = self._tracer = None
        if self.is_due and not isinstance(sys.exc_info()[1], KeyboardInterrupt):
            raise KeyboardInterrupt


def _loses(frame: FrameType) -> bool:
    """Whether KeyboardInterrupt may be lost in a frame, or leave the state of this module half changed."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package in LOSING or frame.f_code.co_name == IGNORED or _is_ours(frame)


def _is_ours(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_globals is globals()


def begin() -> Delivery | None:
    """Return the delivery of Ctrl-C during the function that calls this, which ends it; None if there is one already.

    Other threads than the main one have none, since Python delivers signals to that alone.
    """
    global _delivery
    if _delivery is not None or threading.current_thread() is not threading.main_thread():
        return None
    if _handler(signal.SIGINT) is not signal.default_int_handler:
        return None
    delivery = Delivery(sys._getframe(1))
    _handle(signal.SIGINT, delivery.press)
    _delivery = delivery
    return delivery


def answered() -> None:
    """Note that KeyboardInterrupt was caught, and that what there is until then is returned in its place."""
    if _delivery is not None and threading.current_thread() is threading.main_thread():
        _delivery.is_due = False


class Interrupt:
    """Context in which Ctrl-C is only recorded (in the main thread; Python does not deliver it elsewhere).

    CasADi's integrators would turn a KeyboardInterrupt into a failure of the equations. The second Ctrl-C is raised. A
    context within another one notifies the outer one, too. A Ctrl-C that was not handled is raised at the end.
    """

    def __init__(self) -> None:
        self._is_pressed = self._is_seen = False
        self._before: Callable[..., Any] | int | None = None
        self._installed = False

    @property
    def asked(self) -> bool:
        """Whether Ctrl-C was pressed; the caller then ends the work."""
        self._is_seen |= self._is_pressed
        return self._is_pressed

    def ask(self) -> None:
        """End the work as if Ctrl-C was pressed."""
        self._is_pressed = self._is_seen = True

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.getsignal(signal.SIGINT)
            ours = isinstance(getattr(self._before, "__self__", None), (Delivery, Interrupt))
            self._installed = ours or self._before is signal.default_int_handler
        if self._installed:
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self._installed:
            return
        assert callable(self._before)
        signal.signal(signal.SIGINT, self._before)
        if self._is_pressed and not self._is_seen and self._outer is None and not isinstance(error, KeyboardInterrupt):
            self._before(signal.SIGINT, sys._getframe())

    @property
    def _outer(self) -> Interrupt | None:
        outer = getattr(self._before, "__self__", None)
        return outer if isinstance(outer, Interrupt) else None

    def _note(self, number: int, frame: FrameType | None) -> None:
        again, self._is_pressed = self._is_pressed, True
        if self._outer is not None:
            self._outer._note(number, frame)
        elif again:
            assert callable(self._before)
            self._before(number, frame)

    def obey(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C was pressed."""
        if self.asked:
            raise KeyboardInterrupt
