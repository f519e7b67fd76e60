"""The same training on Ray.

    python on_ray.py --workers 2

Ray makes objects of a dead worker again if they were made by tasks. `ray.put` sends the
parameters once a step to each machine.
"""

from pathlib import Path

import ray
from spiral import SIZES, points
from training import options, part_of, train


def main():
    given = options()
    here = str(Path(__file__).parent)
    ray.init(
        num_cpus=given.workers, include_dashboard=False,
        runtime_env={"env_vars": {"PYTHONPATH": here}},
    )  # fmt: skip
    make, gradient = ray.remote(points), ray.remote(part_of)
    shards = [make.remote(k) for k in range(len(SIZES))]

    def parts_of(params, _):
        sent = ray.put(params)
        return ray.get([gradient.remote(sent, shard) for shard in shards])

    train(parts_of, given.steps, given.saved)
    ray.shutdown()


if __name__ == "__main__":
    main()
