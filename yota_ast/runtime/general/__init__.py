"""Helpers of no chapter: kinks, tests of arguments, slopes."""
