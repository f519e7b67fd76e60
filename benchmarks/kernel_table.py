"""The table of docs/benchmarks.md: what gradients of the kernels cost.

    python benchmarks/kernel_table.py            print the table
    python benchmarks/kernel_table.py --write    put it and its plot into the docs
    python benchmarks/kernel_table.py --quick    that all agree; nothing timed

A kernel's generated gradient must agree with finite differences, and with the gradient
written by hand where there is one. Then a way and what it is held against take turns,
PAIRS times, with one BLAS thread and an allocator that holds on to freed memory. A
ratio is the median over the pairs, in brackets its quartiles. Numba is given what is
written by hand, autograd the kernel itself if it can differentiate it.
"""

import gc
import math
import os
import sys
from pathlib import Path

from documented import put_into
from run import KEEP_MEMORY, ONE_THREAD

ROOT = Path(__file__).parents[1]
DOC = ROOT / "docs" / "benchmarks.md"
PLOT = ROOT / "docs" / "images" / "kernels.png"
PAIRS = 15
HEAD = (
    "| kernel | generated / function | generated / by hand | Numba / by hand "
    "| autograd / function |"
)


def peers(case, args):
    """Return what other libraries make of a case, where they can."""
    import contenders

    ways = {"autograd": contenders.by_autograd}
    if case.by_hand is not None:
        ways["numba"] = contenders.by_numba
    found = {}
    for name, way in ways.items():
        try:
            call = way(case, args)
            call()
        except Exception:  # noqa: BLE001, S112  whatever a library raises
            continue
        found[name] = call
    return found


def ratio(call, standard):
    """Return the quartiles of the time of a call over that of another."""
    import statistics

    from measure import repetitions, turn

    numbers = repetitions(call), repetitions(standard)
    gc.collect()
    gc.disable()
    pairs = [(turn(call, numbers[0]), turn(standard, numbers[1])) for _ in range(PAIRS)]
    gc.enable()
    low, middle, high = statistics.quantiles((a / b for a, b in pairs), n=4)
    return middle, low, high


def row(case, *, quick):
    """Compare, and unless `quick` time, one kernel; return its ratios by name."""
    import functools

    import agree
    import contenders
    import numpy as np

    agree.check(case, contenders.generated, "generated")
    args = case.arguments(np.random.default_rng(1), small=quick)
    calls = {"generated": contenders.generated(case, args)}
    if case.by_hand is not None:
        calls["by hand"] = contenders.by_hand(case, args)
    if not quick:
        calls |= peers(case, args)
    agree.compare(case, calls, "generated")
    if quick:
        return {}
    primal = functools.partial(case.primal, *args)
    found = {"generated": ratio(calls["generated"], primal)}
    if case.by_hand is not None:
        found["by hand"] = ratio(calls["generated"], calls["by hand"])
    if "numba" in calls:
        found["numba"] = ratio(calls["numba"], calls["by hand"])
    if "autograd" in calls:
        found["autograd"] = ratio(calls["autograd"], primal)
    return found


def line(title, found):
    """Return a row of the table."""
    cells = [
        "{:.2f} ({:.2f} to {:.2f})".format(*found[name]) if name in found else ""
        for name in ("generated", "by hand", "numba", "autograd")
    ]
    return f"| {title} | {' | '.join(cells)} |"


def mean(ratios):
    """Return the geometric mean.

    >>> round(mean([2.0, 8.0]), 9)
    4.0
    """
    ratios = list(ratios)
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def summary(rows):
    """Return what the two groups of kernels come to, as a sentence."""
    small = [found for found in rows.values() if "by hand" in found]
    large = [found for found in rows.values() if "by hand" not in found]
    return (
        "In the geometric mean, value and gradient cost "
        f"{mean(f['generated'][0] for f in large):.2f} times the function where each "
        "statement\nworks on at least 10,000 elements, and "
        f"{mean(f['by hand'][0] for f in small):.2f} times the gradient written by "
        "hand where the\ntime is in small steps.\n"
    )


def plot(rows):
    """Draw the ratios to the function, the dearest first."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    order = sorted(rows, key=lambda title: rows[title]["generated"][0])
    figure, axes = plt.subplots(figsize=(7, 9), layout="constrained")
    for at, title in enumerate(order):
        middle, low, high = rows[title]["generated"]
        small = "by hand" in rows[title]
        axes.plot([low, high], [at, at], color="0.6", lw=3)
        axes.plot(middle, at, "o", color="tab:orange" if small else "tab:blue")
    axes.set_yticks(range(len(order)), order)
    axes.set_xscale("log")
    ticks = (1, 1.5, 2, 3, 4, 6, 8)
    axes.set_xticks(ticks, map(str, ticks))
    axes.minorticks_off()
    axes.set_xlabel("value and gradient / function (blue: 10,000 elements a statement)")
    axes.grid(axis="x", alpha=0.4)
    figure.savefig(PLOT, dpi=110)
    plt.close(figure)


def main(argv):
    os.environ.update(ONE_THREAD)
    if not set(KEEP_MEMORY) <= set(os.environ):
        os.environ.update(KEEP_MEMORY)
        os.execv(sys.executable, [sys.executable, __file__, *argv])  # noqa: S606
    import kernel_cases

    quick, rows = "--quick" in argv, {}
    lines = [HEAD, "| --- | ---: | ---: | ---: | ---: |"]
    for chapter, cases in kernel_cases.cases().items():
        lines.append(f"| **{chapter}** | | | | |")
        for case in cases:
            rows[case.title] = row(case, quick=quick)
            lines.append(line(case.title, rows[case.title]))
            print(f"{case.title}: agrees" if quick else lines[-1], flush=True)
    if quick:
        return
    made = "\n".join(lines) + "\n\n" + summary(rows)
    print(summary(rows), end="")
    if "--write" in argv:
        put_into(DOC, made)
        plot(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
