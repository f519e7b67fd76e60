"""`yota-ast explain TARGET`: what is made of each line, and why what is refused is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yota_ast.tools.cli.shared_options import add_target, facts_of, target_of, wrt_of

if TYPE_CHECKING:
    import argparse

REFUSED = 2


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "explain", help="tell which lines of a function are supported",
    )  # fmt: skip
    add_target(parser)
    parser.add_argument(
        "--backend", metavar="NAME", default="numpy",
        help="numpy, numba or jax: for what is refused there, too",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> tuple[str, int]:
    """Explain; 2 where the function is refused."""
    target = target_of(options)
    wrt, facts = wrt_of(options, target), facts_of(options, target)
    from yota_ast.api.requests import general_request
    from yota_ast.codegen.text_form import text_form
    from yota_ast.tools.explain.explained_function import explained

    form = text_form(backend=options.backend)
    found = explained(general_request(target.fn, facts), wrt, form)
    return str(found), 0 if found else REFUSED
