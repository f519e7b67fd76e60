"""The options that several commands have: the function, what its arguments are like."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from yota_ast.errors import YotaError

if TYPE_CHECKING:
    from yota_ast.ir.abstract_values import Fact
    from yota_ast.tools.cli.targets import Target

TARGET = "module:function, module:Class.method or path/to/file.py:function"
LIKE = 'types and shapes: "W=float[3,4], n=int, m=pkg.Linear(W=float[n,d])"'
WRT = "arguments to differentiate, with commas between: W,b"
_COLOUR = "auto: if stdout is a terminal; NO_COLOR and FORCE_COLOR count"


def add_colour(parser: argparse.ArgumentParser, *, before: bool = False) -> None:
    """Let a command say when it colours. before: where no command is named yet."""
    default = "auto" if before else argparse.SUPPRESS
    parser.add_argument(
        "--color", choices=["auto", "always", "never"], default=default,
        help=argparse.SUPPRESS if before else _COLOUR,
    )  # fmt: skip
    parser.add_argument(
        "--no-color", dest="color", action="store_const", const="never",
        default=default,
        help=argparse.SUPPRESS if before else "the same as --color=never",
    )  # fmt: skip


def wants_colour(options: argparse.Namespace) -> bool:
    """Return whether the output is coloured: as the option says, then the environment
    (https://no-color.org, https://force-color.org), then the terminal."""
    if options.color != "auto":
        return bool(options.color == "always")
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and sys.stdout.isatty()


def completed(argument: argparse.Action) -> None:
    """Let the shell complete the functions that an argument names."""
    from yota_ast.tools.cli.completion import targets_like

    argument.completer = targets_like  # type: ignore[attr-defined]


def add_target(parser: argparse.ArgumentParser, *, wrt: bool = True) -> None:
    """Let a command take a function and what is said of its arguments."""
    completed(parser.add_argument("target", metavar="TARGET", help=TARGET))
    if wrt:
        parser.add_argument("--wrt", metavar="NAMES", help=WRT)
    parser.add_argument("--like", metavar="FACTS", help=LIKE)


def target_of(options: argparse.Namespace) -> Target:
    """The function that is asked for."""
    from pathlib import Path

    from yota_ast.files.project import project_of
    from yota_ast.tools.cli.targets import find_target, look_in

    look_in(project_of(Path.cwd()).folders)
    return find_target(options.target)


def wrt_of(options: argparse.Namespace, target: Target) -> tuple[str, ...] | None:
    """The arguments named by `--wrt`; None where there is no such option."""
    if options.wrt is None:
        return None
    names = tuple(name.strip() for name in options.wrt.split(","))
    if not all(names):
        raise YotaError(
            f"--wrt: expected names with commas between, got {options.wrt!r}",
            remedy=f"For instance --wrt {','.join(target.parameters[:2]) or 'x'}.",
        )
    target.check_parameters(names, "--wrt")
    return names


def facts_of(options: argparse.Namespace, target: Target) -> dict[str, Fact]:
    """What `--like` says of the parameters."""
    if options.like is None:
        return {}
    from yota_ast.tools.cli.like import parse_like
    from yota_ast.tools.cli.targets import find_class

    def find(name: str) -> Any:
        return find_class(name, target.module)

    facts = parse_like(options.like, find)
    target.check_parameters(tuple(facts), "--like")
    return facts
