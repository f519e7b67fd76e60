"""`python -m tests.fuzzing --seeds A:B [--mode M] [--jobs N] [--minutes M] [--log FILE]`.

`--show SEED` prints a program and what is wrong with it, `--reduce SEED` a smaller one.
The exit code is 1 where a program failed.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

from .modes import MODES
from .reducing import reduced
from .runner import FILES, cores, drawn_for, run, summary, tried


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzzing", description=__doc__
    )
    fresh = int(time.time()) % 1_000_000 * 1_000  # another start every time
    parser.add_argument("--seeds", default=f"{fresh}:{10**12}", metavar="A:B")
    parser.add_argument("--jobs", type=int, default=cores())
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--mode", default="grad", choices=[*MODES, FILES])
    parser.add_argument("--show", type=int, metavar="SEED")
    parser.add_argument("--reduce", type=int, metavar="SEED")
    options = parser.parse_args()
    if options.show is not None or options.reduce is not None:
        return show(options.show, options.reduce, options.mode)
    first, last = map(int, options.seeds.split(":"))
    chunks = run(
        first, last, jobs=options.jobs, minutes=options.minutes, log=options.log,
        mode=options.mode,
    )  # fmt: skip
    print(summary(chunks))
    return 1 if any(chunk.failures for chunk in chunks) else 0


def show(seed: int | None, to_reduce: int | None, mode: str) -> int:
    number = to_reduce if seed is None else seed
    assert number is not None
    drawn = drawn_for(number)
    if seed is None:
        first = tried(drawn, number, mode)

        def fails(source: str) -> bool:
            if source.count("np.empty(") > drawn.source.count("[:] = "):
                return False
            try:
                found = tried(replace(drawn, source=source), number, mode)
            except Exception:
                return False
            alike = {
                "crash": found.detail[:25] == first.detail[:25],
                "refused": found.detail == first.detail,
            }.get(first.kind, True)
            return found.kind == first.kind and alike

        filled = drawn.source.replace("np.empty(", "np.zeros(")
        if fails(filled):
            drawn = replace(drawn, source=filled)
        drawn = replace(drawn, source=reduced(drawn.source, fails))
    outcome = tried(drawn, number, mode)
    print(
        drawn.source, f"# args: {drawn.args!r}", outcome.kind, outcome.detail, sep="\n"
    )
    return int(outcome.failed)


if __name__ == "__main__":
    sys.exit(main())
