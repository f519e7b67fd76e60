"""Tape -> gradient program: activity, the reverse sweep, tidying, what to keep."""
