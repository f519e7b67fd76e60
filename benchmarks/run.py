"""Time generated gradients against hand-written ones, autograd and JAX.

    python benchmarks/run.py            the table, in about two minutes
    python benchmarks/run.py --quick    small sizes; that all agree, nothing timed

Before anything is timed, values and gradients of all ways must agree, and those
written by hand must agree with finite differences. Then the ways take turns: a
round lets each run for some milliseconds, in rotating order, so that whatever else
the machine does falls on all alike. Times are medians over the rounds, ratios are
medians of the rounds' own ratios to the hand-written gradient.
"""

import argparse
import os
import sys

# One thread each; libraries read these when they are imported. glibc reads its own
# when the process starts: --malloc sets those and starts anew.
ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NPROC": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
}
KEEP_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
}


def parsed(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="compare, time nothing")
    parser.add_argument("--rounds", type=int, default=40, help="rounds of a case")
    parser.add_argument("--only", default="", help="cases whose title contains this")
    parser.add_argument(
        "--malloc",
        choices=("default", "keep"),
        default="default",
        help="keep: glibc holds on to freed memory, so that new arrays cost no "
        "page faults; default: as its users run NumPy",
    )
    return parser.parse_args(argv)


def main(argv):
    options = parsed(argv)
    os.environ.update(ONE_THREAD)
    if options.malloc == "keep" and not set(KEEP_MEMORY) <= set(os.environ):
        os.environ.update(KEEP_MEMORY)
        os.execv(sys.executable, [sys.executable, __file__, *argv])  # noqa: S606
    import cases
    import measure

    chosen = [case for case in cases.CASES if options.only in case.title]
    if not chosen:
        sys.exit(f"no case's title contains {options.only!r}")
    measure.report(chosen, quick=options.quick, rounds=options.rounds)


if __name__ == "__main__":
    main(sys.argv[1:])
