"""What calls cost above the generated code that they run.

    python benchmarks/calls.py            the table, in some seconds
    python benchmarks/calls.py --quick    each call once; nothing timed

The ratio is to the function itself, a mean of squares over 50 rows, whose time is in
the last line. The calls take turns, and the least time of each counts.
"""

import functools
import os
import sys
import timeit

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import yota_ast as ya

ROUNDS, NUMBER = 15, 1000


def mse(w, X, y):
    return np.mean((X @ w - y) ** 2)


def of_dict(p, X, y):
    return mse(p["w"], X, y)


def row(w, x, t):
    return (x @ w - t) ** 2


def traced(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    return wrapper


def of_rest(w, *rest):
    return mse(w, *rest)


class Model:
    """A model with weights."""

    def __init__(self, w):
        self.w = w

    def loss(self, X, y):
        return mse(self.w, X, y)


def calls():
    """By name, a call and the same as a call of the generated code, or of the
    function."""
    rng = np.random.default_rng(0)
    w, X, y = np.ones(4), rng.normal(size=(50, 4)), rng.normal(size=50)
    kept, decorated = ya.value_and_grad(mse), ya.differentiable(mse)
    wrapped = traced(traced(mse))
    part, model = functools.partial(mse, X=X), Model(w)
    generated = ya.simplegrad(mse, w, X, y, wrt="w").fn
    of_all = ya.simplegrad(mse, w, X, y).fn
    of_row = ya.simplegrad(row, w, X[0], y[0], wrt="w").fn
    _, tape = ya.trace(mse, w, X, y)
    ya.compile(tape)
    steps = iter(range(10**9))

    def step():
        i = next(steps) % 50
        return ya.grad(lambda w: row(w, X[i], y[i]), w)

    bare = functools.partial(generated, w, X, y)
    whole = functools.partial(of_all, w, X, y)
    return {
        "value_and_grad(f)(w, X, y)": (lambda: kept(w, X, y), bare),
        "grad(f, w, X, y, wrt='w')": (lambda: ya.grad(mse, w, X, y, wrt="w"), bare),
        "grad(f, w, X, y)": (lambda: ya.grad(mse, w, X, y), whole),
        "f.grad(w, X, y)": (lambda: decorated.grad(w, X, y), whole),
        "grad(traced(f), w, X, y)": (lambda: ya.grad(wrapped, w, X, y), whole),
        "grad(f of *rest, w, X, y)": (lambda: ya.grad(of_rest, w, X, y), whole),
        "grad(lambda w: row(w, X[i], y[i]), w)": (step, lambda: of_row(w, X[3], y[3])),
        "grad(partial(f, X=X), w, y=y)": (lambda: ya.grad(part, w, y=y), whole),
        "grad(f, {'w': w}, X, y)": (lambda: ya.grad(of_dict, {"w": w}, X, y), whole),
        "grad(model.loss, X, y)": (lambda: ya.grad(model.loss, X, y), whole),
        "play(tape, w, X, y)": (lambda: ya.play(tape, w, X, y), lambda: mse(w, X, y)),
        "f(w, X, y)": (lambda: mse(w, X, y), lambda: None),
    }


def least(pairs):
    """The least time of each call, in microseconds."""
    found = [float("inf")] * len(pairs)
    for _ in range(ROUNDS):
        for k, call in enumerate(pairs):
            found[k] = min(found[k], timeit.timeit(call, number=NUMBER) / NUMBER * 1e6)
    return found


def main():
    table = calls()
    for call, bare in table.values():
        for _ in range(3):
            call(), bare()
    if "--quick" in sys.argv[1:]:
        print(f"{len(table)} calls run")
        return
    times = least([call for pair in table.values() for call in pair])
    above = [a - b for a, b in zip(times[::2], times[1::2], strict=True)]
    unit = above[-1]
    print(f"{'above the generated code':40} {'us':>8} {'of f':>6}")
    for name, cost in zip(table, above, strict=True):
        print(f"{name:40} {cost:8.1f} {cost / unit:6.2f}")


if __name__ == "__main__":
    main()
