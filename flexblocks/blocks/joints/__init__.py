"""Joints and fixed transforms: how one body can move relative to another."""
