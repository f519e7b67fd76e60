"""Adjoints at and near points where a function is not smooth."""
