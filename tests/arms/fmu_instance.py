"""One instance of an FMU, by variable names, whichever version it is of."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Sequence
from types import TracebackType

import fmpy
import numpy as np
from fmpy import fmi2, fmi3


class Fmu:
    """Opens an FMU with FMPy; what it logs is kept in `messages`."""

    def __init__(self, path: str, kind: str, token: str | None = None) -> None:
        self.description = fmpy.read_model_description(path)
        self.version = self.description.fmiVersion
        self.variables = {v.name: v for v in self.description.modelVariables}
        self.messages: list[str] = []
        self._folder = fmpy.extract(path)
        module, number = (fmi2, 2) if self.version == "2.0" else (fmi3, 3)
        types = {"ModelExchange": f"FMU{number}Model", "CoSimulation": f"FMU{number}Slave"}
        self.kind = kind
        interface = self.description.modelExchange or self.description.coSimulation
        self.fmu = getattr(module, types[kind])(
            guid=token or self.description.guid,
            modelIdentifier=interface.modelIdentifier,
            unzipDirectory=self._folder,
            instanceName="instance",
        )

    def __enter__(self) -> Fmu:
        if self.version == "2.0":
            self._callbacks = fmi2.fmi2CallbackFunctions()
            self._callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(lambda *given: self.messages.append(given[4].decode()))
            self._callbacks.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(fmi2.calloc)
            self._callbacks.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(fmi2.free)
            self.fmu.instantiate(callbacks=self._callbacks)
            self.fmu.setupExperiment(tolerance=1e-11, startTime=0.0)
        else:
            self._logger = fmi3.fmi3LogMessageCallback(lambda *given: self.messages.append(given[3].decode()))
            self.fmu.instantiate(logMessage=self._logger)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.fmu.freeInstance()
        shutil.rmtree(self._folder, ignore_errors=True)

    def initialize(self) -> None:
        if self.version == "2.0":
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(tolerance=1e-11, startTime=0.0)
        self.fmu.exitInitializationMode()

    def begin(self) -> None:
        """Go on to continuous time (Model Exchange)."""
        if self.version == "2.0":
            self.fmu.newDiscreteStates()
        else:
            self.fmu.updateDiscreteStates()
        self.fmu.enterContinuousTimeMode()

    def set_states(self, x: np.ndarray) -> None:
        self.fmu.setContinuousStates((ctypes.c_double * len(x))(*x), len(x))

    def references(self, names: Sequence[str]) -> list[int]:
        return [self.variables[name].valueReference for name in names]

    def names_of_rates(self) -> tuple[str, ...]:
        """Names of the derivatives of the states, in the order of the states."""
        return tuple(unknown.variable.name for unknown in self.description.derivatives)

    def get(self, name: str) -> float:
        read = self.fmu.getReal if self.version == "2.0" else self.fmu.getFloat64
        return read(self.references([name]))[0]

    def set(self, values: dict[str, float]) -> None:
        write = self.fmu.setReal if self.version == "2.0" else self.fmu.setFloat64
        write(self.references(list(values)), [float(value) for value in values.values()])

    def step(self, time: float, length: float) -> None:
        self.fmu.doStep(time, length)

    def set_slope(self, name: str, value: float) -> None:
        """Set the time derivative of an input (FMI 2.0)."""
        self.fmu.setRealInputDerivatives(self.references([name]), [1], [value])

    def reset(self) -> None:
        self.fmu.reset()

    def rates(self) -> np.ndarray:
        """Time derivatives of the states, as an importer that integrates reads them."""
        count = len(self.description.derivatives)
        values = (ctypes.c_double * count)()
        read = self.fmu.getDerivatives if self.version == "2.0" else self.fmu.getContinuousStateDerivatives
        read(values, count)
        return np.array(values)

    def jacobian(self, unknowns: Sequence[str], knowns: Sequence[str]) -> np.ndarray:
        """One directional derivative a column."""
        rows = self.references(unknowns)
        columns = [self.fmu.getDirectionalDerivative(rows, [known], [1.0]) for known in self.references(knowns)]
        return np.array(columns, dtype=float).reshape(len(knowns), len(unknowns)).T

    def adjoint(self, unknowns: Sequence[str], knowns: Sequence[str], weights: np.ndarray) -> np.ndarray:
        given = self.references(unknowns), self.references(knowns), weights.tolist()
        return np.array(self.fmu.getAdjointDerivative(*given, nSensitivity=len(knowns)))

    def save(self) -> object:
        return self.fmu.getFMUstate() if self.version == "2.0" else self.fmu.getFMUState()

    def restore(self, state: object) -> None:
        (self.fmu.setFMUstate if self.version == "2.0" else self.fmu.setFMUState)(state)

    def serialize(self, state: object) -> bytes:
        return (self.fmu.serializeFMUstate if self.version == "2.0" else self.fmu.serializeFMUState)(state)

    def deserialize(self, content: bytes) -> object:
        return (self.fmu.deSerializeFMUstate if self.version == "2.0" else self.fmu.deserializeFMUState)(content)
