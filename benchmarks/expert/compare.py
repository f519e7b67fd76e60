"""Compare generated gradients with those written by hand: statements and time.

    python benchmarks/expert/compare.py            a table
    python benchmarks/expert/compare.py --show gp  both texts of the cases named

Values and gradients are compared first. A statement is a statement of Python, without
docstrings and imports; helpers that a text holds are counted, and so are the checks
at its entry. Times are medians of turns that alternate.
"""

import argparse
import ast
import inspect
import itertools
import math
import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import cases as table
import hand

import yota_ast as ya

TURN = 0.004
TOLERANCE = 1e-7
SINGLE = 2e-4
HEADER = f"{'':18}{'hand':>6}{'ours':>6}{'checks':>8}{'ratio':>7}{'time':>7}"


def statements(text):
    """Return how many statements a text has, and how many of them check arguments."""
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt)]
    count = sum(not trivial(n) for n in nodes)
    return count, 2 * sum(check(n) for n in nodes)


def trivial(node):
    documents = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return documents or isinstance(node, ast.Import | ast.ImportFrom)


def check(node):
    return isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise)


def by_hand_text(case):
    """Return the gradient by hand with the functions of `hand.py` that it calls."""
    text = inspect.getsource(case.by_hand)
    called = [n for n in vars(hand) if n + "(" in text and n.endswith("_reverse")]
    called += [n for n in ("predation",) if n + "(" in text]
    return "\n\n".join([text, *(inspect.getsource(getattr(hand, n)) for n in called)])


def leaves(result):
    for part in result:
        if isinstance(part, dict):
            yield from (part[key] for key in sorted(part, key=str))
        else:
            yield part


def agree(case, ours):
    """Raise where the two gradients differ, or the value is not the function's."""
    found, wanted = list(leaves(ours(*case.args))), list(leaves(hand_result(case)))
    assert found[0] == wanted[0] == case.function(*case.args), case.name
    assert len(found) == len(wanted), case.name
    for a, b in zip(found, wanted, strict=True):
        single = np.asarray(b).dtype == np.float32
        assert type(a) is type(b), (case.name, a, b)
        assert np.shape(a) == np.shape(b), (case.name, a, b)
        assert np.asarray(a).dtype == np.asarray(b).dtype, case.name
        tolerance = SINGLE if single else TOLERANCE
        assert np.allclose(a, b, rtol=tolerance, atol=tolerance), (case.name, a, b)


def hand_result(case):
    return case.by_hand(*case.args)


def time_ratio(case, ours, rounds):
    """Return the median ratio of the two times over rounds that alternate."""
    calls = [lambda: ours(*case.args), lambda: hand_result(case)]
    number = max(1, int(TURN / min(seconds(call, 3) for call in calls)))
    ratios = []
    for turn in range(rounds):
        order = calls if turn % 2 else calls[::-1]
        took = {id(call): seconds(call, number) for call in order}
        ratios.append(took[id(calls[0])] / took[id(calls[1])])
    return statistics.median(ratios)


def seconds(call, number):
    began = time.perf_counter()
    for _ in itertools.repeat(None, number):
        call()
    return (time.perf_counter() - began) / number


def row(case, rounds):
    ours = ya.simplegrad(case.function, *case.args, wrt=case.wrt)
    agree(case, ours.fn)
    count, checks = statements(ours.source)
    wanted, _ = statements(by_hand_text(case))
    took = time_ratio(case, ours.fn, rounds) if rounds else math.nan
    line = (
        f"{case.name:18}{wanted:6}{count:6}{checks:8}{count / wanted:7.2f}{took:7.2f}"
    )
    print(line, flush=True)
    return wanted, count, took


def show(case):
    ours = ya.simplegrad(case.function, *case.args, wrt=case.wrt)
    print(by_hand_text(case), ours.source, sep="\n\n")


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true", help="print the texts instead")
    parser.add_argument("--rounds", type=int, default=15, help="0: times nothing")
    parser.add_argument("names", nargs="*", help="the cases whose names contain these")
    options = parser.parse_args(argv)
    chosen = [
        case
        for case in table.cases()
        if not options.names or any(name in case.name for name in options.names)
    ]
    if options.show:
        for case in chosen:
            show(case)
        return
    print(HEADER)
    rows = [row(case, options.rounds) for case in chosen]
    wanted, count = (sum(r[i] for r in rows) for i in (0, 1))
    took = math.exp(statistics.fmean(math.log(r[2]) for r in rows))
    print(f"{'':18}{wanted:6}{count:6}{'':8}{count / wanted:7.2f}{took:7.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
