"""Boxes of places say of long arrays what truth values say."""

import numpy as np
import pytest

from yota_ast.ir.array_regions import covers, each_without, whole, window

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
    return tuple(items)


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
    "index", [slice(None, None, 2), True, 1.0, (0, 0, 0, 0), [1, 2], np.int64(1)]
)
def test_other_indices_are_not_known(index):
    assert window(index, LENGTHS) is None
