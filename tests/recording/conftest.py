"""Each recording looks through all objects for what draws random numbers: those of all
other tests, millions, are looked through once."""

import gc
from collections.abc import Iterator

import pytest

from yota_ast._speed import garbage_collector
from yota_ast.recording import drawn_numbers


@pytest.fixture(scope="package", autouse=True)
def _objects_of_other_tests() -> Iterator[None]:
    """Set them aside, but for what draws. What is made from here on is looked for."""
    sources = drawn_numbers._sources
    known = sources()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn_numbers, "_sources", lambda: [*known, *sources()])
        # It would count what is set aside after each compile.
        patch.setattr(garbage_collector, "_grow_old", lambda: None)
        gc.freeze()
        yield
        gc.unfreeze()
