"""Verification of plans: replay, audit, limit violations."""
