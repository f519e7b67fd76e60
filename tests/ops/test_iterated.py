"""What is stated of items that functions take, of texts and of folding."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from yota_ast.ops import info
from yota_ast.ops.iterated_items import places_of_items
from yota_ast.rules.notation.display_names import display_name

from .test_algebra import stating

REST: dict[Any, tuple[Any, ...]] = {
    isinstance: (int,), hasattr: ("name",), getattr: ("__next__",), zip: ([1, 2, 3],),
    np.fromiter: (float,), itertools.compress: ([1, 1, 1],), itertools.islice: (2,),
}  # fmt: skip
FUNCTIONS = {
    functools.reduce: max, itertools.starmap: max, itertools.dropwhile: operator.not_,
    itertools.filterfalse: operator.not_,
}  # fmt: skip
TAKING = [fn for fn in stating("taking") if info(fn).taking != "nothing"]
LATER = [fn for fn in TAKING if info(fn).taking == "later"]


def called(fn: Any, given: Any) -> Any:
    """A function of what stands at the first place that it takes the items of."""
    place = info(fn).iterated[0]
    return fn(*[FUNCTIONS.get(fn, abs)] * place, given, *REST.get(fn, ()))


def iterator_for(fn: Any) -> Iterator[Any]:
    pairs = fn in (dict, itertools.starmap, itertools.chain.from_iterable)
    return iter([(1, 2), (3, 4), (5, 6)] if pairs else [1, 2, 3])


@pytest.mark.parametrize("fn", stating("taking"), ids=display_name)
def test_when_items_are_taken(fn):
    it = iterator_for(fn)
    result = None if fn is len else called(fn, it)  # which refuses iterators
    left = len(list(it))
    taking = info(fn).taking
    if taking in ("nothing", "later"):
        assert left == 3
    elif taking == "some":
        wanted = iter([1, 0, 1, 0])
        fn(wanted)
        assert len(list(wanted)) in (2, 3)
    else:
        assert left == 0
    assert (taking == "later") == (isinstance(result, Iterator))


@pytest.mark.parametrize("fn", LATER, ids=display_name)
def test_items_are_taken_when_others_are_asked_for(fn):
    it = iterator_for(fn)
    next(called(fn, it))
    assert len(list(it)) < 3


@pytest.mark.parametrize("fn", [max, min, sorted, functools.reduce], ids=display_name)
def test_whether_a_function_is_called_in_between(fn):
    seen: list[str] = []

    def items() -> Iterator[int]:
        for k in (1, 3, 2):
            seen.append("item")
            yield k

    def asked(*args: int) -> int:
        seen.append("call")
        return args[0]

    fn(asked, items()) if fn is functools.reduce else fn(items(), key=asked)
    first = seen.index("call")
    of = info(fn)
    assert ("item" in seen[first:]) == (of.chooses or of.taking == "in turn")


@pytest.mark.parametrize("fn", TAKING, ids=display_name)
def test_numbers_are_refused_at_once(fn):
    try:
        called(fn, 1.0)
    except TypeError as error:
        at_once = str(error) == "'float' object is not iterable"
    else:
        at_once = False
    assert fn is dict or at_once == info(fn).fails_at_once


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (zip, ([1], [2])),
        (itertools.chain, ([1], [2])),
        (itertools.zip_longest, ([1], [2], [3])),
        (itertools.compress, ([1], [1])),
        (map, (max, [1], [2])),
        (filter, (abs, [1])),
        (functools.reduce, (max, [1], 2)),
        (itertools.islice, ([1], 1)),
        (enumerate, ([1], 1)),
        (max, ([1],)),
        (max, (1, 2)),
        (sum, ([1], 1)),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_whose_items_are_taken(fn, args):
    """Only where a number in its place is refused."""
    for k, arg in enumerate(args):
        given = list(args)
        given[k] = 1.0 if isinstance(arg, list) else 1
        refused = k in places_of_items(fn, len(args))
        if callable(arg):
            assert not refused
        elif refused:
            with pytest.raises(TypeError, match="itera"):
                list(fn(*given))
        else:
            fn(*given)


@pytest.mark.parametrize("fn", stating("pure"), ids=display_name)
def test_what_is_pure_gives_what_can_be_written(fn):
    args: tuple[Any, ...] = {pow: (2, 3), divmod: (7, 2)}.get(fn, (1,))
    args = ("1",) if fn in (ord, len) else args
    assert eval(repr(fn(*args))) == fn(*args)


@pytest.mark.parametrize("fn", stating("text"), ids=display_name)
def test_texts(fn, capsys):
    given = fn("word")
    assert "word" in (capsys.readouterr().out if fn is print else given)


@pytest.mark.parametrize("fn", stating("container"), ids=display_name)
def test_containers_are_new(fn):
    if getattr(fn, "__module__", "builtins") in ("builtins", "_operator"):
        xs = [2.0, 1.0]
        rest = {operator.add: ([],), operator.mul: (1,)}.get(fn, ())
        assert fn(xs, *rest) is not xs


@pytest.mark.parametrize("fn", stating("exact"), ids=display_name)
def test_what_rounds_alike_in_any_memory(fn):
    rng = np.random.default_rng(1)
    for dtype in ("f4", "f8"):
        args = rng.uniform(0.1, 9.0, (fn.nin, 999)).astype(dtype)
        wanted = fn(*args)
        made = np.empty_like(wanted)[::-1]
        fn(*args, out=made)
        assert np.array_equal(made, wanted)
        turned = fn(*args[:, ::-1])[::-1]
        assert np.array_equal(turned, wanted)
        one_by_one = [fn(*(a[k : k + 1] for a in args))[0] for k in range(0, 999, 9)]
        assert np.array_equal(one_by_one, wanted[::9])


def test_the_tables_are_read():
    assert len(LATER) > 12
    assert math.fsum in TAKING
