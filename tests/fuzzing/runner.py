"""A range of seeds -> how their programs fared, in a log that a later run resumes.

A line of the log is the JSON of one chunk: its seeds, counts by kind, refusals by
reason, failures with their seeds, and the seconds it took.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from .aliases import aliased
from .modes import MODES
from .modes.files import try_files
from .nested import nested
from .program import Drawn, draw, written
from .time_limits import LONGEST, TooLongError, at_most
from .trial import Outcome

CHUNK = 25
FILES = "files"
MOST_FILES = 200  # that one interpreter imports


@dataclass
class Chunk:
    """What became of the seeds first .. last - 1."""

    first: int
    last: int
    counts: dict[str, int] = field(default_factory=dict)
    refusals: dict[str, int] = field(default_factory=dict)
    failures: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0


def drawn_for(seed: int) -> Drawn:
    """The program that a seed stands for; of a dozen one reads nested containers, one
    gives containers several names, and two write into what is computed twice."""
    kinds = {2: written, 5: nested, 7: aliased, 10: written}
    return kinds.get(seed % 12, draw)(Random(seed))


def tried(drawn: Drawn, number: int, mode: str) -> Outcome:
    """The outcome of a program in a mode."""
    if mode == FILES:
        return try_files({number: drawn})[number]
    return MODES[mode](drawn, number)


def run_seed(seed: int, mode: str = "grad") -> Outcome:
    """The outcome of one seed's program in a mode."""
    drawn = drawn_for(seed)
    try:
        with at_most(LONGEST):
            return tried(drawn, seed, mode)
    except TooLongError as error:
        return Outcome("too long", str(error), drawn.source)


def run_chunk(bounds: tuple[int, int], mode: str = "grad") -> Chunk:
    """All seeds of a chunk, in a mode."""
    first, last = bounds
    started = time.perf_counter()
    counts: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    failures = []
    for seed, outcome in _outcomes(first, last, mode):
        counts[outcome.kind] += 1
        if not outcome.failed and outcome.detail:
            refusals[f"{outcome.kind}: {outcome.detail}"] += 1
        if outcome.failed:
            failures.append({"seed": seed, "kind": outcome.kind, "detail": outcome.detail[:600]})  # fmt: skip
    seconds = time.perf_counter() - started
    return Chunk(first, last, dict(counts), dict(refusals), failures, seconds)


def _outcomes(first: int, last: int, mode: str) -> Iterator[tuple[int, Outcome]]:
    """Each seed and its outcome."""
    if mode == FILES:
        programs = {seed: drawn_for(seed) for seed in range(first, last)}
        yield from sorted(try_files(programs).items())
        return
    for seed in range(first, last):
        yield seed, run_seed(seed, mode)


def chunks_of(
    first: int, last: int, done: set[tuple[int, int]], size: int = CHUNK
) -> Iterator[tuple[int, int]]:
    """The chunks of a range that the log does not have."""
    for start in range(first, last, size):
        bounds = (start, min(start + size, last))
        if bounds not in done:
            yield bounds


def read_log(path: Path | None) -> list[Chunk]:
    """The chunks that a log tells of."""
    if path is None or not path.exists():
        return []
    return [Chunk(**json.loads(line)) for line in path.read_text().splitlines()]


def run(
    first: int, last: int, *, jobs: int = 1, minutes: float | None = None,
    log: Path | None = None, say: Any = print, mode: str = "grad",
) -> list[Chunk]:  # fmt: skip
    """Run a range, or as much of it as there is time for, beyond what the log has."""
    chunks = [c for c in read_log(log) if first <= c.first and c.last <= last]
    size = MOST_FILES if mode == FILES else CHUNK
    todo = chunks_of(first, last, {(c.first, c.last) for c in chunks}, size)
    started = time.monotonic()
    ends = started + 60 * minutes if minutes is not None else float("inf")
    server = multiprocessing.get_context("forkserver")  # JAX may run in this process
    with server.Pool(jobs, maxtasksperchild=10) as pool:
        waiting: list[Any] = []
        count = 0
        while True:
            while len(waiting) < 2 * jobs and time.monotonic() < ends:  # none idles
                bounds = next(todo, None)
                if bounds is None:
                    break
                waiting.append(pool.apply_async(run_chunk, (bounds, mode)))
            if not waiting:
                break
            chunk = waiting.pop(0).get()
            chunks.append(chunk)
            count += chunk.last - chunk.first
            if log is not None:
                with log.open("a") as file:
                    file.write(json.dumps(asdict(chunk)) + "\n")
            rate = count / (time.monotonic() - started) * 3600
            say(f"{chunk.first}:{chunk.last} {chunk.counts} {rate:.0f} programs/hour")
            for failure in chunk.failures:
                what = failure["detail"].partition("[")[0][:200].replace("\n", " ")
                say(f"  seed {failure['seed']}: {failure['kind']}: {what}")
    return chunks


def summary(chunks: list[Chunk]) -> str:
    """The counts of all chunks, refusals by reason, and how fast it went."""
    counts: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    for chunk in chunks:
        counts.update(chunk.counts)
        refusals.update(chunk.refusals)
    total = sum(counts.values())
    seconds = sum(chunk.seconds for chunk in chunks)
    lines = [
        f"{total} programs, {3600 * total / max(seconds, 1e-9):.0f} an hour and job"
    ]
    lines += [
        f"{n:8} {100 * n / max(total, 1):5.1f} %  {k}" for k, n in counts.most_common()
    ]
    lines += ["refusals and exceptions by reason:"]
    lines += [f"{n:8}  {reason}" for reason, n in refusals.most_common(40)]
    failures = [f for chunk in chunks for f in chunk.failures]
    lines += [f"failure: seed {f['seed']}: {f['kind']}" for f in failures[:50]]
    return "\n".join(lines)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))
