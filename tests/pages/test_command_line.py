"""The page of the command line speaks of every command and option, and of no other."""

import argparse
import re

from yota_ast.tools.cli.main import _parser

from .running import REPOSITORY

PAGE = (REPOSITORY / "docs" / "command-line.md").read_text(encoding="utf-8")
EVERYWHERE = {"--help", "--version"}


def commands():
    found = [a for a in _parser()._actions if isinstance(a, argparse._SubParsersAction)]
    return found[0].choices


def test_every_command_has_a_chapter():
    chapters = re.findall(r"^## ([a-z-]+)$", PAGE, re.MULTILINE)
    assert sorted(chapters) == sorted(commands())


def test_every_option_is_spoken_of():
    options = {
        option
        for parser in commands().values()
        for action in parser._actions
        for option in action.option_strings
        if option.startswith("--")
    }
    spoken_of = set(re.findall(r"(?<!\w)--[a-z][a-z-]*", PAGE))
    assert options | EVERYWHERE == spoken_of | EVERYWHERE
