"""`yota-ast gradcheck TARGET`: whether a gradient holds, as a table.

The arguments are those of `--args`, an expression in the names of the target's module
and `np`; what `--args` leaves out is drawn at random from `--like` and annotations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yota_ast.errors import YotaError
from yota_ast.support.user_failures import failure
from yota_ast.tools.cli.shared_options import add_target, facts_of, target_of, wrt_of

if TYPE_CHECKING:
    import argparse

FAILED = 1


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "gradcheck", help="compare a gradient with differences",
    )  # fmt: skip
    add_target(parser)
    parser.add_argument(
        "--args", metavar="EXPR",
        help='arguments of a call: "np.ones((3, 4)), b=0.5"',
    )  # fmt: skip
    parser.add_argument(
        "--rng", type=int, default=0, metavar="N",
        help="draw arguments and directions from another seed",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> tuple[str, int]:
    """Check; 1 where the gradient disagrees with differences."""
    target = target_of(options)
    wrt, facts = wrt_of(options, target), facts_of(options, target)
    from yota_ast.tools.cli.command_arguments import arguments_for
    from yota_ast.tools.gradcheck import check_call

    args, kwargs = arguments_for(target, options.args, facts, options.rng)
    try:
        found = check_call(target.fn, args, kwargs, wrt=wrt, rng=options.rng)
    except YotaError:
        raise
    except Exception as error:
        what = f"{target.name} fails with these arguments"
        remedy = "Give it arguments with which it runs, by --args or --like."
        raise failure(error, what, remedy) from error
    return str(found), 0 if found else FAILED
