"""Functions run in a frame with much room are what they were."""

import inspect
import sys
import threading

import pytest

from yota_ast._speed.deep_calls import _deep_recursion, roomy
from yota_ast.pipeline import compiled, gradient_program, lowered, tangent_program


@pytest.fixture(autouse=True)
def usual_limit():
    """Python's own limit: what has run before may have set another."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(limit)


def halved(x: float, *more: float, by: float = 2.0) -> float:
    """Half of the sum."""
    if not x:
        raise ValueError("nothing to halve")
    return sum((x, *more)) / by


def test_it_gives_and_raises_the_same():
    fn = roomy(halved)
    assert fn(3.0) == 1.5
    assert fn(3.0, 5.0, by=4.0) == 2.0
    with pytest.raises(ValueError, match="nothing to halve"):
        fn(0.0)
    assert (fn.__name__, fn.__doc__) == ("halved", "Half of the sum.")
    assert inspect.signature(fn) == inspect.signature(halved)


def test_calls_of_any_depth_go_beneath_it():
    def depth(n: int) -> int:
        return n and 1 + depth(n - 1)

    def both(n: int) -> int:
        return depth(n) + roomy(depth)(n)

    assert roomy(both)(sys.getrecursionlimit() // 4) == sys.getrecursionlimit() // 4 * 2


@pytest.mark.parametrize("fn", [lowered, gradient_program, compiled, tangent_program])
def test_the_compiler_runs_so(fn):
    assert fn.__code__.co_stacksize > 2**16


def test_what_is_too_deep_for_python_runs_in_a_thread_of_its_own():
    def depth(n: int) -> int:
        if sys.version_info >= (3, 12):  # calls through C have a limit of their own
            return n and 1 + depth(n - 1)
        return n and 1 + max(map(depth, [n - 1]))

    limits = sys.getrecursionlimit(), threading.stack_size()
    assert roomy(depth)(3 * limits[0]) == 3 * limits[0]
    assert (sys.getrecursionlimit(), threading.stack_size()) == limits


def test_a_larger_limit_of_the_user_stays():
    sys.setrecursionlimit(60_000)
    with _deep_recursion():
        assert sys.getrecursionlimit() == 60_000
    assert sys.getrecursionlimit() == 60_000


def test_what_never_ends_is_told():
    def depth(n: int) -> int:
        return depth(n + 1)

    with pytest.raises(RecursionError):
        roomy(depth)(0)


def test_errors_of_the_deep_thread_are_those_of_the_function():
    def depth(n: int) -> int:
        if not n:
            raise ValueError("the end")
        return depth(n - 1)

    with pytest.raises(ValueError, match="the end") as caught:
        roomy(depth)(3 * sys.getrecursionlimit())
    assert caught.value.__context__ is None
