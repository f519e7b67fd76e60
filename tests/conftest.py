"""What all tests share: options, Hypothesis profiles, the GPU marker, golden files."""

import importlib.util
import linecache
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from types import ModuleType

import hypothesis
import numpy as np
import pytest

from tests.golden_text import check_golden

# The same examples in every run: a test that fails once fails again. `make fuzz-tests`
# draws new ones.
hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.register_profile(
    "fuzz", max_examples=5_000, deadline=None, print_blob=True
)
hypothesis.settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write the golden files instead of comparing with them",
    )


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Skip the tests marked `gpu` where there is no CUDA device, those marked `browser`
    where there is no Chromium or nothing to drive it. Of those marked `part`, leave out
    what `make test` does not run."""
    _leave_out_parts(config, items)
    for mark, is_there, reason in (
        ("gpu", has_cuda, "no CUDA device"),
        ("browser", _has_browser, "no chromium, chromedriver or selenium"),
    ):
        marked = [item for item in items if mark in item.keywords]
        if marked and not is_there():
            for item in marked:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Have a test draw the same numbers whichever tests ran before it: each generator
    of its module begins where the module left it."""
    for bits in _generators_of(getattr(item, "module", None)):
        bits.state = _STATES.setdefault(id(bits), (bits, bits.state))[1]


_STATES: dict[int, tuple[np.random.BitGenerator, Mapping[str, object]]] = {}
"""The state of each generator when the first test that knows it began."""


@cache
def _generators_of(module: ModuleType | None) -> list[np.random.BitGenerator]:
    held = vars(module).values() if module else ()
    return [g.bit_generator for g in held if isinstance(g, np.random.Generator)]


def _leave_out_parts(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of tests marked `part(n)`, keep one in n, the same in every run; all of them for
    `make fuzz-tests`, and where a test is named."""
    long = hypothesis.settings.get_current_profile_name() == "fuzz"
    if long or any("::" in arg for arg in config.args):
        return
    left = {id(item) for item in items if not _is_in_part(item)}
    config.hook.pytest_deselected(items=[item for item in items if id(item) in left])
    items[:] = [item for item in items if id(item) not in left]


def _is_in_part(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("part")
    return mark is None or zlib.crc32(item.nodeid.encode()) % mark.args[0] == 0


def _has_browser() -> bool:
    programs = all(map(shutil.which, ("chromium", "chromedriver")))
    return programs and importlib.util.find_spec("selenium") is not None


def has_cuda() -> bool:
    """Whether CuPy is installed and finds a device."""
    try:
        import cupy
    except ImportError:
        return False
    return bool(cupy.cuda.is_available())


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Return ``golden(path, text)``, which compares or, if asked to, rewrites."""
    return partial(check_golden, rewrite=request.config.getoption("--rewrite-golden"))


@pytest.fixture
def texts_kept() -> Iterator[None]:
    """Give `linecache` back what a test takes from it: the texts of the functions that
    other modules of tests have made stand nowhere else."""
    texts = dict(linecache.cache)
    yield
    linecache.cache.update({**texts, **linecache.cache})
