"""The same training in the processes of joblib.

python on_joblib.py --workers 2
"""

from joblib import Parallel, delayed
from spiral import SIZES, points
from training import options, part_of, train


def main():
    given = options()
    shards = [points(k) for k in range(len(SIZES))]
    with Parallel(n_jobs=given.workers) as parallel:

        def parts_of(params, _):
            return parallel(delayed(part_of)(params, shard) for shard in shards)

        train(parts_of, given.steps, given.saved)


if __name__ == "__main__":
    main()
