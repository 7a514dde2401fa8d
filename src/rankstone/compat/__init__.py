"""Thin faces of other libraries over Rankstone."""
