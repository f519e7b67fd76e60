"""Boxes of places say of long arrays what truth values say."""

import numpy as np
import pytest

from yota_ast.ir.array_regions import (
    are_apart,
    covers,
    each_without,
    index_of,
    one_box,
    whole,
    window,
)

LENGTHS = (None, 6, None)
SHAPE = (11, 6, 13)


def some_index(rng):
    def end():
        return [None, *range(-4, 5)][rng.integers(10)]

    items = [slice(end(), end()) for _ in range(rng.integers(1, 4))]
    if rng.random() < 0.3:
        items[rng.integers(len(items))] = int(rng.integers(-3, 3))
    if rng.random() < 0.3:
        items.insert(int(rng.integers(len(items) + 1)), None)
    if rng.random() < 0.3:
        items = [items[0], ...]
    return tuple(items) if window(tuple(items), LENGTHS) else some_index(rng)


@pytest.mark.parametrize("seed", range(60))
def test_boxes_put_and_taken_away(seed):
    rng = np.random.default_rng(seed)
    boxes, places = [], np.zeros(SHAPE, bool)
    for _ in range(5):
        index, puts = some_index(rng), rng.random() < 0.7
        box = window(index, LENGTHS).box
        boxes = [*boxes, box] if puts else each_without(boxes, box)
        places[index] = puts
        assert covers(boxes, LENGTHS) == places.all()
    whole_first = [whole(LENGTHS), *boxes]
    assert covers(whole_first, LENGTHS)
    index = some_index(rng)
    at, part = window(index, LENGTHS), places[index]
    if not part.size:
        return
    lengths = tuple(
        6 if axis == 1 and part.shape[k] == 6 else None if part.shape[k] > 4 else n
        for k, (axis, n) in enumerate(zip(at.axes, part.shape, strict=True))
    )
    inside = [b for b in (at.within(box, lengths) for box in boxes) if b is not None]
    assert covers(inside, lengths) == part.all()
    back = [at.outward(box, lengths) for box in inside]
    rest = each_without([whole(LENGTHS)], at.box)
    assert covers([*back, *rest], LENGTHS) == part.all()


@pytest.mark.parametrize(
    "index",
    [slice(None, None, 2), True, 1.0, (0, 0, 0, 0), [1, 2], np.int64(1), slice(-3, 4)],
)
def test_other_indices_are_not_known(index):
    assert window(index, LENGTHS) is None


@pytest.mark.parametrize("seed", range(60))
def test_one_box_holds_them_in_short_arrays(seed):
    rng = np.random.default_rng(seed)
    indices = [some_index(rng) for _ in range(rng.integers(1, 4))]
    boxes = [window(i, LENGTHS).box for i in indices]
    found = one_box(boxes, LENGTHS)
    for shape in ((n, 6, m) for n in range(1, 9) for m in (1, 2, 4, 7)):
        places = []
        for index in indices:
            each = np.zeros(shape, bool)
            try:
                each[index] = True
            except IndexError:
                break
            places.append(each)
        if len(places) < len(indices):
            continue
        if found is not None:
            inside = np.zeros(shape, bool)
            inside[index_of(found, LENGTHS)] = True
            assert not (np.any(places, axis=0) & ~inside).any()
        if are_apart(boxes[0], boxes[-1]):
            assert not (places[0] & places[-1]).any()
