"""What a call may have written is put back, in place."""

from collections import deque

import numpy as np

from yota_ast.api.values.restoring import restorer


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a = [1.0]


class Free:
    def __init__(self):
        self.part, self.array = Slotted(), np.arange(3.0)


def test_all_that_is_reached_is_put_back():
    base = np.arange(6.0).reshape(2, 3)
    view, locked = base[:, 1:], np.ones(2)
    locked.flags.writeable = False
    one = Free()
    rows, by_name, seen, last = [base, [1]], {"a": view}, {1}, deque([1, 2])
    value = (rows, by_name, seen, last, one, locked)
    restore = restorer(value)
    assert restore is not None
    base *= 2.0
    rows[1].append(2)
    rows.clear()
    by_name["b"] = by_name.pop("a")
    seen |= {2}
    last.popleft()
    one.array += 1.0
    one.part.b, one.part.a = 2.0, []
    one.more, one.part = 1, None
    restore()
    np.testing.assert_array_equal(base, np.arange(6.0).reshape(2, 3))
    assert rows[0] is base
    assert rows[1] == [1]
    assert by_name == {"a": view}
    assert by_name["a"] is view
    assert (seen, last) == ({1}, deque([1, 2]))
    np.testing.assert_array_equal(one.array, np.arange(3.0))
    assert vars(one).keys() == {"part", "array"}
    assert one.part.a == [1.0]
    assert not hasattr(one.part, "b")


def test_nothing_is_put_back_of_what_has_no_copy():
    assert restorer([np.ones(2), (i for i in range(2))]) is None
