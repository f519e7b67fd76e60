"""The garbage collector waits while a function is compiled, and no longer."""

import gc
import subprocess
import sys
import threading

import numpy as np
import pytest

import yota_ast as ya
from yota_ast._speed.garbage_collector import kept_off


def test_off_within_and_on_after_it() -> None:
    with kept_off():
        assert not gc.isenabled()
        with kept_off():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_left_off_where_it_was_off() -> None:
    gc.disable()
    try:
        with kept_off():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_on_again_after_an_error() -> None:
    with pytest.raises(KeyError), kept_off():
        raise KeyError
    assert gc.isenabled()


def test_off_until_the_last_of_several_threads() -> None:
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        with kept_off():
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=other)
    with kept_off():
        thread.start()
        assert inside.wait(10)
    assert not gc.isenabled()
    done.set()
    thread.join(10)
    assert gc.isenabled()


def test_a_compile_collects_nothing() -> None:
    runs: list[str] = []

    def loss(x):  # type: ignore[no-untyped-def]
        s = 0.0
        for k in range(3):
            s = s + np.sum(np.sin(x * k) * np.exp(x) / (1.0 + x**2))
        return s

    def note(phase: str, info: dict[str, int]) -> None:
        runs.append(phase)

    old = gc.get_threshold()
    gc.set_threshold(20, 5, 5)
    ya.simplegrad(loss, np.ones(3))  # rules and caches that are made once
    gc.callbacks.append(note)
    try:
        ya.simplegrad(loss, np.ones(3))
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*old)
    assert gc.isenabled()
    assert len(runs) < 100


def test_what_was_made_meanwhile_is_old():
    with kept_off():
        made = [[]]
    assert not any(each is made for each in gc.get_objects(generation=0))


CYCLES = """
import gc
from yota_ast._speed import garbage_collector
from yota_ast._speed.garbage_collector import kept_off

garbage_collector._LEAST = 1000
with kept_off():
    pass
before = len(gc.get_objects())
for _ in range(40):
    with kept_off():
        for _ in range(before // 8):
            cycle = []
            cycle.append(cycle)
assert len(gc.get_objects()) < 3 * before
"""


FROZEN = """
import gc
from yota_ast._speed.garbage_collector import kept_off

gc.freeze()
frozen = gc.get_freeze_count()
with kept_off():
    pass
assert gc.get_freeze_count() == frozen > 0
"""


@pytest.mark.parametrize("program", [CYCLES, FROZEN], ids=["cycles", "frozen"])
def test_in_a_process_of_its_own(program):
    """Cycles that compiles leave are collected; what is frozen stays so. What a process
    holds besides, and what its other threads let go of, would count."""
    subprocess.run([sys.executable, "-c", program], check=True)
