"""Random programs -> files of their gradients, run where there is no compiler.

The programs of a chunk are written as modules, and the gradient of each as a file; one
interpreter in which `yota_ast` cannot be imported then imports all files and calls them
with the example's arguments and with others of the same kinds. What it gives is compared
with what `grad` gives here.
"""

from __future__ import annotations

import copy
import importlib
import os
import pickle
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import yota_ast as ya
from tests.adjoint.checking import same_bits
from yota_ast.errors import InternalError, YotaError

from ..program import Drawn
from ..time_limits import LONGEST, TooLongError, at_most
from ..trial import Outcome, outside
from .elsewhere import redrawn
from .first import First, first

ROOT = Path(__file__).resolve().parents[3]
RUNNER = """
import importlib, pickle, sys
import numpy as np
sys.modules["yota_ast"] = None
np.seterr(all="ignore")
folder = sys.argv[1]
sys.path.insert(0, folder)
found = {}
for name, calls in pickle.load(open(folder + "/calls", "rb")).items():
    found[name] = []
    for args, options in calls:
        try:
            function = getattr(importlib.import_module(name + "_grad"), "program_grad")
            found[name].append(("gave", function(*args, **options), args))
        except Exception as error:
            found[name].append(("raised", type(error).__name__, str(error)[:200]))
pickle.dump(found, open(folder + "/found", "wb"))
"""


@dataclass
class _Made:
    """A program with a file: what `grad` gives for each of its calls."""

    drawn: Drawn
    known: First
    source: str
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]]
    expected: list[Any]


def try_files(programs: dict[int, Drawn]) -> dict[int, Outcome]:
    """The outcome of each program, by its number."""
    with tempfile.TemporaryDirectory() as name, np.errstate(all="ignore"):
        folder, made, outcomes = Path(name), dict[int, _Made](), dict[int, Outcome]()
        sys.path.insert(0, name)
        try:
            for number, drawn in programs.items():
                found = _in_time(folder, drawn, number)
                if isinstance(found, Outcome):
                    outcomes[number] = found
                else:
                    made[number] = found
            seen = _run(folder, made)
        finally:
            sys.path.remove(name)
            for module in [m for m in sys.modules if m.startswith("program_of_")]:
                del sys.modules[module]
        for number, one in made.items():
            outcomes[number] = _compared(one, seen[_name(number)])
        return outcomes


def _name(number: int) -> str:
    return f"program_of_{number}"


def _in_time(folder: Path, drawn: Drawn, number: int) -> _Made | Outcome:
    """The same as `_written`; of a program that does not come to an end nothing."""
    try:
        with at_most(LONGEST):
            return _written(folder, drawn, number)
    except TooLongError as error:
        return Outcome("too long", str(error), drawn.source)


def _written(folder: Path, drawn: Drawn, number: int) -> _Made | Outcome:
    """The module and the file of a program."""
    (folder / f"{_name(number)}.py").write_text(drawn.source, encoding="utf-8")
    importlib.invalidate_caches()
    try:
        fn = importlib.import_module(_name(number)).program
    except SyntaxError:
        return Outcome("useless", "", drawn.source)
    path = folder / f"{_name(number)}_grad.py"
    try:
        known = first(fn, drawn, number)
        if isinstance(known, Outcome):
            return known
        function = ya.simplegrad(fn, *copy.deepcopy(drawn.args), wrt=known.case.asked)
        function.save(path)
    except InternalError as error:
        return Outcome("crash", str(error), drawn.source)
    except YotaError as error:
        return Outcome("refused", type(error).__name__, drawn.source)
    except Exception as error:
        return Outcome("crash", repr(error), drawn.source)
    random, calls, expected = Random(number), [], list[Any]()
    before = outside(fn)
    options = {} if isinstance(known.case.value, float) else {"seed": known.dy}
    for args in (drawn.args, _others(drawn.args, random), _others(drawn.args, random)):
        calls.append((copy.deepcopy(args), options))
        try:
            expected.append(("gave", function(*copy.deepcopy(args), **options)))
        except Exception as error:
            expected.append(("raised", type(error).__name__))
    if outside(fn) != before:  # the file sees it as it was
        return Outcome("useless", "", drawn.source)
    return _Made(drawn, known, path.read_text(encoding="utf-8"), calls, expected)


def _others(args: tuple[Any, ...], random: Random) -> tuple[Any, ...]:
    rng = np.random.default_rng(random.getrandbits(32))
    return tuple(redrawn(x, rng, random) for x in args)


def _run(folder: Path, made: dict[int, _Made]) -> dict[str, Any]:
    """What the files give in an interpreter of their own."""
    calls = {_name(number): one.calls for number, one in made.items()}
    (folder / "calls").write_bytes(pickle.dumps(calls))
    (folder / "runner.py").write_text(RUNNER)
    subprocess.run(
        [sys.executable, "runner.py", str(folder)], cwd=folder, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=600,
    )  # fmt: skip
    found: dict[str, Any] = pickle.loads((folder / "found").read_bytes())
    return found


def _compared(made: _Made, seen: list[Any]) -> Outcome:
    """Whether a file gives what the function that was saved gives here."""
    for (kind, *given), wanted, (args, _) in zip(
        seen, made.expected, made.calls, strict=True
    ):
        right = (kind, given[0]) == wanted if kind == "raised" else (
            wanted[0] == "gave" and same_bits(given[0], wanted[1])
        )  # fmt: skip
        if not right:
            what = f"{kind} {given!r}, not {wanted!r}, of {args!r}\n{made.source}"
            return Outcome("file", what, made.drawn.source)
    return Outcome("right", "", made.drawn.source)
