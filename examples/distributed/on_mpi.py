"""The same training under MPI: each rank has every n-th shard.

    mpiexec -n 2 python on_mpi.py --saved run.npz

Rank 0 sends the parameters once a step and adds up in the order of the shards. MPI ends
all ranks if one dies. Start again with the same file: the training goes on.
"""

from mpi4py import MPI
from spiral import SIZES, points
from training import options, part_of, train


def main():
    given, world = options(), MPI.COMM_WORLD
    own = {k: points(k) for k in range(world.rank, len(SIZES), world.size)}

    def own_parts(params):
        return {k: part_of(params, shard) for k, shard in own.items()}

    def parts_of(params, _):
        found = world.gather(own_parts(world.bcast(params)))
        by_shard = {k: part for each in found for k, part in each.items()}
        return [by_shard[k] for k in range(len(SIZES))]

    if world.rank == 0:
        train(parts_of, given.steps, given.saved)
        world.bcast(None)
        return
    while (params := world.bcast(None)) is not None:
        world.gather(own_parts(params))


if __name__ == "__main__":
    main()
