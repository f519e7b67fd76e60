"""Cases -> a table of medians and ratios, after everything has been compared."""

import gc
import importlib.util
import itertools
import os
import platform
import statistics
import time

import numpy as np
from agree import check_by_hand, compare
from contenders import LIBRARIES, WAYS

# A turn lasts about this long, so that the clock's own price does not count ...
TURN = 0.01
# ... and a case no longer than this, however slow one of its ways is.
LONGEST = 25.0
WARMUPS = 3
MILLISECOND = 1e-3
MICROSECOND = 1e-6


def report(cases, *, quick, rounds):
    """Compare and, unless `quick`, time the cases; print one line each."""
    ways = available()
    if not quick:
        print("\n".join(settings()))
        print(f"{'':22}" + "".join(f"{name:>20}" for name in ways), flush=True)
    every = []
    for case in cases:
        check_by_hand(case)
        args = case.arguments(np.random.default_rng(1), small=quick)
        calls = {name: way(case, args) for name, way in ways.items()}
        compare(case, calls)
        if quick:
            print(f"{case.title}: {', '.join(calls)} agree")
        else:
            times = timed(list(calls.values()), rounds)
            every.append(times)
            print(row(case.title, times), flush=True)
    if every:
        print(means(every))


def available():
    """Return the ways whose library is installed; say which are skipped."""
    ways = dict(WAYS)
    for name, library in LIBRARIES.items():
        if importlib.util.find_spec(library) is None:
            print(f"{name} skipped: {library} is not installed")
            del ways[name]
    return ways


def settings():
    """Return what the numbers depend on, as lines."""
    malloc = [f"{name}={os.environ[name]}" for name in os.environ if "MALLOC_" in name]
    yield f"Python {platform.python_version()}, NumPy {np.__version__}, one thread"
    yield f"allocator: {', '.join(malloc) or 'as the system sets it'}"
    yield "time of value and gradient; in brackets, relative to by hand"


def timed(calls, rounds):
    """Return, for each call, its seconds in each round."""
    numbers = [repetitions(call) for call in calls]
    seconds = [[] for _ in calls]
    order = list(range(len(calls)))
    began = time.perf_counter()
    gc.collect()
    gc.disable()
    for done in range(rounds):
        for i in order:
            seconds[i].append(turn(calls[i], numbers[i]))
        order = order[1:] + order[:1]
        if time.perf_counter() - began > LONGEST and done >= WARMUPS:
            break
    gc.enable()
    return seconds


def repetitions(call):
    """Warm up; return how many calls fill a turn."""
    once = min(turn(call, 1) for _ in range(WARMUPS))
    return max(1, round(TURN / once))


def turn(call, number):
    """Return the mean seconds of `number` calls."""
    began = time.perf_counter()
    for _ in itertools.repeat(None, number):
        call()
    return (time.perf_counter() - began) / number


def means(every):
    """Return a line of the geometric means of the ratios to the first column."""
    cells = [f"{'geometric mean':22}"]
    for way in range(len(every[0])):
        logs = [np.log(median_ratio(times[way], times[0])) for times in every]
        cells.append(f"{f'({np.exp(np.mean(logs)):.2f})':>20}")
    return "".join(cells)


def median_ratio(column, base):
    """Return the median of the rounds' own ratios."""
    return statistics.median(a / b for a, b in zip(column, base, strict=True))


def row(title, times):
    """Return a line of the table: medians, and ratios to the first column."""
    cells = [f"{title:22}"]
    for column in times:
        ratio = median_ratio(column, times[0])
        cell = f"{printed(statistics.median(column))} ({ratio:.2f})"
        cells.append(f"{cell:>20}")
    return "".join(cells)


def printed(seconds):
    """Return a duration with its unit.

    >>> printed(0.00123), printed(1.2e-5), printed(0.4)
    ('1.23 ms', '12.0 us', '400 ms')
    """
    unit = "ms" if seconds >= MILLISECOND else "us"
    number = seconds / MILLISECOND if unit == "ms" else seconds / MICROSECOND
    return f"{number:#.3g}".rstrip(".") + f" {unit}"
