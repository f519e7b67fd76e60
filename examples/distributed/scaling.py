"""How long a step takes on Dask workers: measured, and by a model for more of them.

    python scaling.py --plot FILE

A step on w workers takes about

    points * gradient / w + shards * (task + bytes * transfer) + w * bytes * transfer

seconds. The workers share the first part. The driver does the others alone: it starts
the tasks, fetches a gradient of each shard, and sends the parameters to each worker.
The constants are measured here, on one worker.
"""

import argparse
import logging
import time
from statistics import median

import numpy as np
from distributed import Client, LocalCluster
from spiral import ARMS
from training import part_of

SHARDS, SIZE, HIDDEN, REPEATS = 12, 20_000, 64, 9
MORE = (1, 2, 4, 8, 16, 32, 64)


def shard(k):
    """Return the points of a shard and their arms."""
    rng = np.random.default_rng(k)
    return rng.standard_normal((SIZE, 2)), rng.integers(ARMS, size=SIZE)


def seconds(run, repeats=REPEATS):
    """Return the median time of a call."""
    times = []
    for k in range(repeats):
        start = time.perf_counter()
        run(k)
        times.append(time.perf_counter() - start)
    return median(times)


def nothing(*_):
    """A task that costs what a task costs."""


def cluster_of(workers):
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )  # fmt: skip


def step_time(params, workers):
    """Return the seconds of a step on some workers of this machine."""
    with cluster_of(workers) as cluster, Client(cluster) as client:
        shards = client.map(shard, range(SHARDS))

        def step(k):
            sent = client.submit(list, [*params, k])  # k: another task in each step
            client.gather([client.submit(_part, sent, one) for one in shards])

        step(-1)
        return seconds(step)


def _part(params, data):
    return part_of(params[:4], data)


def constants(params):
    """Return the seconds of a point's gradient, of a task, and of a byte."""
    data = shard(0)
    gradient = seconds(lambda _: part_of(params, data)) / SIZE
    with cluster_of(1) as cluster, Client(cluster) as client:
        calls = SHARDS * 10

        def tasks(k):
            client.gather([client.submit(nothing, k, i) for i in range(calls)])

        tasks(-1)
        task = seconds(tasks) / calls
        large = 10_000_000

        def fetched(k):
            client.submit(np.full, large // 8, float(k)).result()

        fetched(-1)
        transfer = (seconds(fetched) - task) / large
    return gradient, task, transfer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plot")
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    params = [rng.standard_normal((2, HIDDEN)), np.zeros(HIDDEN),
              rng.standard_normal((HIDDEN, ARMS)), np.zeros(ARMS)]  # fmt: skip
    gradient, task, transfer = constants(params)
    size = sum(p.nbytes for p in params)
    print(f"gradient of a point {gradient * 1e6:.2f} us, task {task * 1e3:.2f} ms, "
          f"transfer {transfer * 1e9:.2f} s/GB")  # fmt: skip
    model = {
        w: SHARDS * SIZE * gradient / w + SHARDS * (task + size * transfer)
        + w * size * transfer
        for w in MORE
    }  # fmt: skip
    measured = {w: step_time(params, w) for w in (1, 2)}
    for w in MORE:
        seen = f", measured {measured[w] * 1e3:.0f} ms" if w in measured else ""
        print(f"{w:3} workers: model {model[w] * 1e3:.0f} ms{seen}")
    if given.plot:
        plot(model, measured, given.plot)


def plot(model, measured, path):
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.loglog([*model], [1e3 * t for t in model.values()], label="model", base=2)
    axes.loglog(
        [*measured], [1e3 * t for t in measured.values()], "o", label="measured"
    )
    axes.set(xlabel="workers", ylabel="milliseconds a step")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
