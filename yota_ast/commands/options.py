"""The options that several commands have: the function, what its arguments are like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import YotaError

if TYPE_CHECKING:
    import argparse

    from ..facts import Fact
    from ..targets import Target

TARGET = "module:function, module:Class.method or path/to/file.py:function"
LIKE = 'what arguments are like: "W=float[3,4], x=float32[n,d], n=int, m=pkg.Linear"'
WRT = "arguments, by commas: W,b"


def add_target(parser: argparse.ArgumentParser, *, wrt: bool = True) -> None:
    """Let a command take a function and what is said of its arguments."""
    parser.add_argument("target", metavar="TARGET", help=TARGET)
    if wrt:
        parser.add_argument("--wrt", metavar="NAMES", help=WRT)
    parser.add_argument("--like", metavar="FACTS", help=LIKE)


def target_of(options: argparse.Namespace) -> Target:
    """The function that is asked for."""
    from ..targets import find_target

    return find_target(options.target)


def wrt_of(options: argparse.Namespace, target: Target) -> tuple[str, ...] | None:
    """The arguments named by `--wrt`; None where there is no such option."""
    if options.wrt is None:
        return None
    names = tuple(name.strip() for name in options.wrt.split(","))
    if not all(names):
        raise YotaError(
            f"--wrt: expected names by commas, got {options.wrt!r}",
            remedy=f"For instance --wrt {','.join(target.parameters[:2]) or 'x'}.",
        )
    target.check_parameters(names, "--wrt")
    return names


def facts_of(options: argparse.Namespace, target: Target) -> dict[str, Fact]:
    """What `--like` says of the parameters."""
    if options.like is None:
        return {}
    from ..like import parse_like
    from ..targets import find_class

    def find(name: str) -> Any:
        return find_class(name, target.module)

    facts = parse_like(options.like, find)
    target.check_parameters(tuple(facts), "--like")
    return facts
