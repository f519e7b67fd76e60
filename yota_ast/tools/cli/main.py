"""The command `yota-ast`: arguments -> text on stdout and an exit code.

0: good. 1: a check has failed. 2: refused or misused, with the reason on stderr. What
needs NumPy is imported within the commands, so that `--help` comes at once.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from yota_ast.errors import InternalError, YotaError, shown
from yota_ast.support.escaping import terminal
from yota_ast.tools import cli
from yota_ast.tools.cli.shared_options import (
    add_colour,
    add_target,
    facts_of,
    target_of,
    wants_colour,
    wrt_of,
)
from yota_ast.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yota_ast.ir.abstract_values import Fact
    from yota_ast.tools.cli.targets import Target

GOOD, REFUSED = 0, 2
_CHOICE = re.compile(
    r"argument (?P<what>\S+): invalid choice: '(?P<given>[^']*)'"
    r" \(choose from (?P<choices>.*)\)"
)

_EXAMPLES = """\
examples:
  yota-ast show-grad mypkg.model:loss
  yota-ast show-grad mypkg.model:loss --wrt W,b --like "W=float[3,4], b=float[3]"
  yota-ast show-grad mypkg.model:Linear.forward --like "self=mypkg.model.Linear"
  yota-ast show-grad examples/linear.py:loss > loss_grad.py
  yota-ast show-tape mypkg.model:loss
  yota-ast explain mypkg.model:loss
  yota-ast gradcheck mypkg.model:loss --args "np.ones((3, 4)), np.zeros(3)"
  yota-ast emit mypkg.model:loss --wrt W,b -o mypkg/loss_grad.py
  yota-ast emit --check
  yota-ast rules np.sum
"""


class Styled(str):
    """An output in which colours of ours are left, and nothing else that steers."""

    __slots__ = ()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        # Users' comments may hold what the terminal's encoding does not.
        sys.stdout.reconfigure(errors="backslashreplace")
    code = GOOD
    usual, warnings.formatwarning = warnings.formatwarning, _warned
    try:
        options = _parsed(arguments)
        from yota_ast.tools.cli.targets import put_first_on_path

        put_first_on_path(Path.cwd())
        done = options.run(options)
        text, code = done if isinstance(done, tuple) else (done, GOOD)
        if text:  # else the command has printed by itself
            text = text if isinstance(text, Styled) else terminal(text)
            print(text, end="" if text.endswith("\n") else "\n", flush=True)
    except InternalError:
        raise  # a defect of ours: it is to be seen whole
    except YotaError as error:
        print(shown(error), file=sys.stderr)
        return REFUSED
    except BrokenPipeError:
        # The reader has seen enough. Python flushes stdout again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        warnings.formatwarning = usual
    return code


def _warned(
    message: Warning | str, category: type[Warning], filename: str, lineno: int,
    line: str | None = None,
) -> str:  # fmt: skip
    """A warning as errors are said: the place, the kind, the reason."""
    where = os.path.relpath(filename) if os.path.isabs(filename) else filename  # noqa: PTH117
    return terminal(f"{where}:{lineno}: {category.__name__}: {message}") + "\n"


class _Parser(argparse.ArgumentParser):
    """Says in two lines what is wrong with the arguments, and what there is."""

    def error(self, message: str) -> NoReturn:
        advice = f"`{self.prog} --help` lists the commands and options."
        found = _CHOICE.match(message)
        if found is not None and found["what"] == "command":
            from yota_ast.tools.cli.targets import did_you_mean

            message = f"there is no command {found['given']!r}"
            close = did_you_mean(found["given"], self.names, f"`{self.prog} {{}}`")
            advice = close or f"The commands are {', '.join(self.names)}."
        elif found is not None:
            message = f"{found['what']} cannot be {found['given']!r}"
            advice = f"Choose from {found['choices'].replace(chr(39), '')}."
        elif message.endswith("required: command"):
            message = "a command is missing"
            advice = f"The commands are {', '.join(self.names)}."
        elif message.endswith("required: TARGET"):
            message = "the function is missing"
            advice = "Name it as module:function or path/to/file.py:function."
        self.exit(REFUSED, terminal(f"{self.prog}: {message}\n{advice}\n"))

    @property
    def names(self) -> list[str]:
        """The commands."""
        lists = (a.choices for a in self._actions if a.metavar == "command")
        return [name for choices in lists if choices for name in choices]


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    if "_ARGCOMPLETE" in os.environ:  # the shell asks what may come next
        _complete(parser)
    options, others = parser.parse_known_args(arguments)
    if others:
        options.parser.error(f"unrecognized arguments: {' '.join(others)}")
    return options


def _complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell and end the process; without argcomplete say nothing."""
    try:
        import argcomplete
    except ImportError:
        parser.exit(REFUSED)
    argcomplete.autocomplete(parser)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="yota-ast",
        description="Gradients of NumPy functions, as readable Python source.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="version", version=f"yota-ast {__version__}"
    )
    subparsers = parser.add_subparsers(metavar="command", required=True)
    grad = subparsers.add_parser("show-grad", help="print the gradient of a function")
    add_target(grad)
    grad.add_argument(
        "--mode", choices=["reverse", "forward"], default="reverse",
        help="forward: the tangent along directions, not the gradient",
    )  # fmt: skip
    shown = grad.add_mutually_exclusive_group()
    shown.add_argument(
        "--html",
        metavar="FILE",
        help="write a page with the function beside its gradient",
    )
    shown.add_argument(
        "--side-by-side", action="store_true",
        help="print each line beside the code that it became",
    )  # fmt: skip
    grad.set_defaults(run=_show_grad)
    tape = subparsers.add_parser("show-tape", help="print the tape of a function")
    add_target(tape, wrt=False)
    tape.set_defaults(run=_show_tape)
    for command in cli.ALL:
        command.add(subparsers)
    add_colour(parser, before=True)
    for one in subparsers.choices.values():
        add_colour(one)
        one.set_defaults(parser=one)
    return parser


# ---------------------------------------------------------------- commands


def _show_grad(options: argparse.Namespace) -> str:
    target = target_of(options)
    wrt, facts = wrt_of(options, target), facts_of(options, target)
    if options.html is not None or options.side_by_side:
        return _view(options, target, wrt, facts)
    if options.mode == "forward":
        from yota_ast.api.directional import tangent_source as source
    else:
        from yota_ast.api.traced_tapes import gradient_source as source

    text: str = source(target.fn, wrt=wrt, facts=facts)
    return Styled(_coloured(terminal(text))) if wants_colour(options) else text


def _view(
    options: argparse.Namespace,
    target: Target,
    wrt: tuple[str, ...] | None,
    facts: dict[str, Fact],
) -> str:
    if options.mode == "forward":
        from yota_ast.api.directional import tangent_view as view_of
    else:
        from yota_ast.api.traced_tapes import gradient_view as view_of

    view = view_of(target.fn, wrt=wrt, facts=facts)
    if options.side_by_side:
        from yota_ast.tools.report.terminal import WIDE, side_by_side

        width = shutil.get_terminal_size((WIDE, 24)).columns
        return Styled(side_by_side(view, width, colour=wants_colour(options)))
    from yota_ast.support.whole_files import write
    from yota_ast.tools.report.page import page

    write(Path(options.html), page(view))
    return f"wrote {options.html}"


def _show_tape(options: argparse.Namespace) -> str:
    target = target_of(options)
    facts = facts_of(options, target)
    from yota_ast.api.traced_tapes import tape_of

    return str(tape_of(target.fn, facts=facts))


# ---------------------------------------------------------------- output


def _coloured(text: str) -> str:
    """The text in a terminal's colours, or as it is where pygments is not there."""
    try:
        import pygments
        from pygments.formatters import TerminalFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return text
    coloured: str = pygments.highlight(
        text, PythonLexer(stripnl=False), TerminalFormatter()
    )
    return coloured
