"""The table of docs/memory.md: what gradients of loops keep, beside autograd.

    python benchmarks/memory.py            print the table
    python benchmarks/memory.py --write    put it into docs/memory.md

Run from the root of the repository, with the group `bench` installed. autograd does not
differentiate stores into arrays: it gets the same loops written with lists.
"""

import gc
import sys
import tracemalloc
from pathlib import Path

import autograd.numpy as anp
from autograd import make_vjp

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import yota_ast as ya  # noqa: E402
from benchmarks.documented import put_into  # noqa: E402
from benchmarks.keeping import kept, saved_names  # noqa: E402
from benchmarks.loops import arguments, newton  # noqa: E402

DOC = ROOT / "docs" / "memory.md"


def stencil(u, c, n):
    for _ in range(n):
        step = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = anp.concatenate([u[:1], step, u[-1:]])
    return anp.sum(u**2)


def burgers(u, c, n):
    for _ in range(n):
        step = u[1:-1] - c * u[1:-1] * (u[2:] - u[:-2])
        u = anp.concatenate([u[:1], step, u[-1:]])
    return anp.sum(u**2)


def recurrence(x, a, b):
    s = [x[0]]
    for t in range(1, len(x)):
        s.append(anp.tanh(a * s[-1] + b * x[t]))
    return anp.mean(anp.array(s) ** 2)


def logistic_map(x, r, n):
    for _ in range(n):
        x = r * x * (1 - x)
    return anp.sum(x)


def rnn(x, W, U):
    h = [anp.zeros(len(W))]
    for t in range(len(x)):
        h.append(anp.tanh(anp.dot(W, h[-1]) + anp.dot(U, x[t])))
    return anp.sum(anp.array(h) ** 2)


def lstm(x, W, U):
    h = c = anp.zeros((x.shape[1], len(U)))
    total = 0.0
    for t in range(len(x)):
        f, g = anp.split(anp.dot(x[t], W) + anp.dot(h, U), 2, axis=1)
        f = 1 / (1 + anp.exp(-f))
        c = f * c + (1 - f) * anp.tanh(g)
        h = anp.tanh(c)
        total = total + anp.sum(h**2)
    return total


def steps(x, y, a, b, h, n):
    for _ in range(n):
        x, y = x + h * (a * x - b * x * y), y + h * (b * x * y - y)
    return anp.sqrt(x * x + y * y)


def eliminate(A, b):
    n = len(b)
    rows, right = [A[i] for i in range(n)], [b[i] for i in range(n)]
    for k in range(n - 1):
        column = [abs(float(getattr(r[k], "_value", r[k]))) for r in rows[k:]]
        p = k + column.index(max(column))
        rows[k], rows[p] = rows[p], rows[k]
        right[k], right[p] = right[p], right[k]
        for i in range(k + 1, n):
            f = rows[i][k] / rows[k][k]
            rows[i] = rows[i] - f * rows[k]
            right[i] = right[i] - f * right[k]
    x = [None] * n
    for i in range(n - 1, -1, -1):
        known = sum(rows[i][j] * x[j] for j in range(i + 1, n))
        x[i] = (right[i] - known) / rows[i][i]
    return sum(v**2 for v in x)


def thomas(a, b, c, d):
    n = len(d)
    cp, dp = [c[0] / b[0]], [d[0] / b[0]]
    for i in range(1, n):
        m = b[i] - a[i] * cp[-1]
        cp.append(c[i] / m)
        dp.append((d[i] - a[i] * dp[-1]) / m)
    x = [dp[-1]]
    for i in range(n - 2, -1, -1):
        x.append(dp[i] - cp[i] * x[-1])
    return sum(v * v for v in x)


def cholesky(A):
    n = len(A)
    L = [[0.0] * n for _ in range(n)]
    for j in range(n):
        L[j][j] = anp.sqrt(A[j, j] - sum(v * v for v in L[j][:j]))
        for i in range(j + 1, n):
            inner = sum(L[i][k] * L[j][k] for k in range(j))
            L[i][j] = (A[i, j] - inner) / L[j][j]
    return sum(v**3 for row in L for v in row)


AUTOGRAD = {
    "linear stencil": stencil,
    "stencil": stencil,
    "Burgers": burgers,
    "recurrence": recurrence,
    "logistic map": logistic_map,
    "recurrent network": rnn,
    "LSTM": lstm,
    "Newton": newton,
    "orbit": steps,
    "elimination": eliminate,
    "Thomas": thomas,
    "Cholesky": cholesky,
}


def autograd_keeps(fn, args, places):
    """The bytes that autograd holds between its sweeps, as tracemalloc counts them."""

    def chosen(wanted):
        given = list(args)
        for k, value in zip(places, wanted, strict=True):
            given[k] = value
        return fn(*given)

    wanted = tuple(args[k] for k in places)
    make_vjp(chosen)(wanted)
    gc.collect()
    tracemalloc.start()
    held = make_vjp(chosen)(wanted)
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert float(held[1]) == float(held[1])
    return size


def table():
    """The rows of the table, as Markdown."""
    lines = [
        "| loop | saved in each iteration | bytes | autograd |",
        "| --- | --- | ---: | ---: |",
    ]
    for name, (fn, args, wrt) in arguments().items():
        gradient = ya.simplegrad(fn, *args, wrt=wrt)
        names = fn.__code__.co_varnames
        places = [names.index(w) for w in wrt] if wrt else range(len(args))
        theirs = autograd_keeps(AUTOGRAD[name], args, places)
        saved = ", ".join(f"`{n}`" for n in saved_names(gradient.source)) or "nothing"
        ours = kept(gradient, fn, args)
        lines.append(f"| {name} | {saved} | {ours:,} | {theirs:,} |")
    return "\n".join(lines) + "\n"


def main():
    made = table()
    print(made, end="")
    if "--write" in sys.argv[1:]:
        put_into(DOC, made)


if __name__ == "__main__":
    main()
