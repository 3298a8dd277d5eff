"""Joints and fixed transforms: how one body moves on another."""
