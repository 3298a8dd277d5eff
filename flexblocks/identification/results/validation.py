"""Validation: how well a fit predicts records that it was not made of."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.identification.results.estimates import FittedRecord
from flexblocks.identification.results.residual_tests import SignalResidual
from flexblocks.identification.results.summary import residual_lines, residual_remarks


@dataclass(frozen=True, eq=False)
class Validation:
    """How well a fit predicts records that it was not made of.

    Attributes
    ----------
    residuals : tuple of SignalResidual
        Of each measured variable in each record.
    records : tuple of FittedRecord
    """

    residuals: tuple[SignalResidual, ...]
    records: tuple[FittedRecord, ...]

    @property
    def is_consistent(self) -> bool:
        """Whether residuals are as large as the noise, and white."""
        return not residual_remarks(self.residuals)

    def __str__(self) -> str:
        told = residual_remarks(self.residuals) or ["residuals are as large as the noise, and white"]
        records = "1 record" if len(self.records) == 1 else f"{len(self.records)} records"
        return "\n".join([f"Validation with {records}: {told[0]}", *residual_lines(self.residuals)])
