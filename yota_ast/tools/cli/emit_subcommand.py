"""`yota-ast emit [TARGET ...]`: gradients as files, written or checked.

What it does is in `emit/emit_command.py`; here is how the command line says it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yota_ast.errors import YotaError
from yota_ast.support.escaping import terminal
from yota_ast.tools.cli.shared_options import LIKE, TARGET, WRT, completed

if TYPE_CHECKING:
    import argparse

_FLAGS = (
    ("fast", "faster code, less readable"),
    ("check", "write nothing; exit with 1 if a file is stale or edited"),
    ("diff", "print what would change, write nothing"),
    ("stdout", "print the files, write nothing"),
    ("force", "overwrite files that were edited by hand"),
    ("with-test", "also write a test beside the file"),
)


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("emit", help="write gradients to files, check them")
    targets = parser.add_argument(
        "targets", metavar="TARGET", nargs="*",
        help=f"{TARGET}; by default those of pyproject.toml",
    )  # fmt: skip
    completed(targets)
    parser.add_argument("-o", "--output", metavar="FILE", default="", help="the file")
    parser.add_argument("--wrt", metavar="NAMES", help=WRT)
    parser.add_argument("--like", metavar="FACTS", help=LIKE, action="append")
    parser.add_argument(
        "--backend", metavar="NAME", default="numpy",
        help="numba: explicit loops that Numba compiles; jax: code for JAX",
    )  # fmt: skip
    parser.add_argument(
        "--checkpoint", metavar="LINE=HOW", action="append", default=[],
        help="save few iterations of the loop in a line: 12=sqrt, 12=slots:30",
    )  # fmt: skip
    for name, what in _FLAGS:
        parser.add_argument(f"--{name}", action="store_true", help=what)
    parser.add_argument(
        "--args", metavar="EXPR", default="",
        help='arguments of the test: "np.ones(3), 0.5"',
    )  # fmt: skip
    parser.add_argument(
        "--line-length", type=int, metavar="N", help="the longest line, by default 88"
    )
    parser.add_argument(
        "--license-header", metavar="TEXT", help="in place of that of the source"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> tuple[str, int]:
    """Write or check; what there is to say is printed as it comes."""
    from yota_ast.codegen.text_form import text_form
    from yota_ast.tools.emit.emit_command import Options
    from yota_ast.tools.emit.emit_command import run as emit

    asked = Options(
        functions=tuple(options.targets),
        wrt=_names(options.wrt),
        like=", ".join(options.like or ()),
        form=text_form(fast=options.fast, backend=options.backend),
        checkpoint=tuple(options.checkpoint),
        output=options.output,
        check=options.check,
        diff=options.diff,
        stdout=options.stdout,
        force=options.force,
        with_test=options.with_test,
        args=options.args,
        line_length=options.line_length,
        license_header=options.license_header,
    )
    return "", emit(asked, _say)


def _say(text: str) -> None:
    print(terminal(text), end="", flush=True)  # noqa: T201


def _names(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise YotaError(f"--wrt: expected names with commas between, got {text!r}")
    return names
