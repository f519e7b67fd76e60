"""The same training on Dask. Kill a worker in the middle: the result has the same bits.

    python on_dask.py --workers 2 --kill 20

Shards are made by tasks, so Dask makes those of a dead worker again. Data that was
scattered would be lost with it. The parameters go to the scheduler once a step.
"""

import logging
import os
import signal
from pathlib import Path

from distributed import Client, LocalCluster, wait
from spiral import SIZES, points
from training import options, part_of, train

HERE = Path(__file__).parent


def main():
    given = options()
    cluster = LocalCluster(
        n_workers=given.workers, threads_per_worker=1, dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )  # fmt: skip
    with cluster, Client(cluster) as client:
        for name in ("spiral.py", "loss_grad.py", "training.py"):
            client.upload_file(str(HERE / name))  # what the workers run
        shards = [client.submit(points, k) for k in range(len(SIZES))]

        def parts_of(params, step):
            sent = client.submit(list, params)
            parts = [client.submit(part_of, sent, shard) for shard in shards]
            if step == given.kill:
                wait(parts, return_when="FIRST_COMPLETED")
                _address, pid = max(client.run(os.getpid).items())
                os.kill(pid, signal.SIGKILL)
                print("killed a worker")
            return client.gather(parts)

        train(parts_of, given.steps, given.saved)


if __name__ == "__main__":
    main()
