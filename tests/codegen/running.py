"""Runs the text of a program, and the program itself op by op."""

import subprocess
import sys
from pathlib import Path

from yota_ast.codegen.printers.function_source import emit
from yota_ast.ir import interpreter as play
from yota_ast.ir.nodes import Block

RUFF = Path(sys.executable).with_name("ruff")


def compiled(text):
    """Return the function that a text defines."""
    scope = dict(text.namespace)
    exec(compile(text.module, f"<{text.name}>", "exec"), scope)
    return scope[text.name]


def emitted(program):
    return emit(program).source


def reformatted(source):
    """Return the text as ruff formats it."""
    done = subprocess.run(
        [RUFF, "format", "--line-length", "88", "-"],
        input=source,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def played(program, *args):
    """Return what the program's text returns, the ops done one after the other."""
    env = play._bind(program.params, args, {})
    start = 0
    for guard in sorted(program.guards, key=lambda g: g.before):
        play._block(Block(program.forward.ops[start : guard.before]), env)
        start = guard.before
        if play._value(guard.test, env):
            play._block(guard.block, env)
            return tuple(play._value(a, env) for a in (guard.value, *guard.results))
    play._block(Block(program.forward.ops[start:]), env)
    play._block(program.reverse, env)
    return tuple(play._value(a, env) for a in (program.value, *program.results))
