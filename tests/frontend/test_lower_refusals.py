"""What lowering refuses, each with its place, its reason and its remedy."""

import math

import numpy as np
import pytest

from tests.frontend.lowering import tape_of
from yota_ast.errors import YotaError


def recursive(x, n):
    return x if n == 0 else x * recursive(x, n - 1)


def generator(x):
    while x < 3.0:
        yield x
        x = x * 2


def uses_generator(x):
    return sum(generator(x))


COUNT = 0


def writes_global(x):
    global COUNT
    COUNT = x
    return x


TABLE = np.ones(2)


def writes_constant(x):
    y = np.asarray(TABLE)
    y[0] = x[0]
    return y.sum()


def reads_after_write(x):
    y = np.exp(x)
    z, _ = np.split(y, np.cumsum([2]))
    z[0] = 1.0
    return y.sum()


def reads_maybe_view(x):
    y = x * 2.0
    flat = np.broadcast_arrays(y, 1.0)[0]
    y[0] = 5.0
    return flat.sum() + y.sum()


def unknown_method(m, x):
    return m.forward(x)


def inner_helper(x):
    async def f():
        return x

    return x


def outer(x):
    y = inner_helper(x)
    return y + 1


def unassigned(x):
    z = y + x
    y = 1.0
    return z


def partial_try(x):
    y = x
    try:
        for k in range(3):
            y = y * math.log(x - k)
    except ValueError as error:
        print(error)
    return y + x


def with_at(x):
    y = x * 2.0
    np.power.at(y, [0], x[0])
    return y


def bad_call(x):
    return recursive(x, 1, 2)


def with_file(x):
    with open("f") as f:
        return x


def writes_attribute(m, x):
    m.count = 1
    return x


REFUSALS = [
    (
        uses_generator,
        (2.0,),
        """UnsupportedSyntax: a generator with a `while` may never end
    return sum(generator(x))
           ^^^^^^^^^^^^^^^^^
Write the loop where the items are used.""",
    ),
    (
        writes_global,
        (2.0,),
        """UnsupportedSyntax: the function assigns the global `COUNT`
    COUNT = x
    ^^^^^^^^^
Return the new value of `COUNT`, and assign it outside.""",
    ),
    (
        writes_constant,
        (np.ones(2),),
        """UnsupportedSyntax: the function writes into `y`, which may be an array from outside
    y[0] = x[0]
    ^^^^^^^^^^^
Write into a copy: np.array(...).""",
    ),
    (
        reads_after_write,
        (np.ones(4),),
        """UnsupportedSyntax: `y` may share memory with an array that has changed since then
    return y.sum()
           ^^^^^^^
Take a copy with .copy() before the write.""",
    ),
    (
        reads_maybe_view,
        (np.ones(3),),
        """UnsupportedSyntax: `flat` may share memory with an array that has changed \
since then
    return flat.sum() + y.sum()
           ^^^^^^^^^^
Take a copy with .copy() before the write.""",
    ),
    (
        outer,
        (2.0,),
        """UnsupportedSyntax: `async def` is not supported
    async def f():
    ^^^^^^^^^^^^^^
  in inner_helper, called from LINE
Write a plain function.""",
    ),
    (
        unassigned,
        (2.0,),
        """UnsupportedSyntax: `y` is read before a value is assigned to it
    z = y + x
        ^
Assign `y` before this line.""",
    ),
    (
        partial_try,
        (2.0,),
        """UnsupportedSyntax: `y` is read after a `try` that may have raised before or after \
assigning it
    return y + x
           ^
Assign `y` last in the `try`, or in the handler.""",
    ),
    (
        with_at,
        (np.ones(2),),
        """UnsupportedCall: `power.at` is not supported here
    np.power.at(y, [0], x[0])
    ^^^^^^^^^^^^^^^^^^^^^^^^^
Write a loop.""",
    ),
    (
        bad_call,
        (2.0,),
        """UnsupportedCall: the call of `recursive` takes 2 positional arguments but 3 are given
    return recursive(x, 1, 2)
           ^^^^^^^^^^^^^^^^^^
Correct the call.""",
    ),
    (
        with_file,
        (2.0,),
        """UnsupportedSyntax: this context is not supported
    with open("f") as f:
         ^^^^^^^^^
Enter it outside the function. Supported are np.errstate, warnings.catch_warnings and \
contexts written in Python.""",
    ),
]


@pytest.mark.parametrize(
    ("fn", "args", "expected"), REFUSALS, ids=lambda p: getattr(p, "__name__", "")
)
def test_refusal_says_where_and_what_to_do(fn, args, expected):
    with pytest.raises(YotaError) as caught:
        tape_of(fn, *args)
    assert shortened(caught.value) == expected
    assert caught.value.filename == __file__


def test_method_of_an_unknown_class_asks_for_its_class():
    with pytest.raises(YotaError) as caught:
        tape_of(unknown_method, known=False)
    assert shortened(caught.value) == (
        "UnsupportedCall: `m.forward` is a method of the parameter `m`, whose class is "
        "unknown\n    return m.forward(x)\n           ^^^^^^^^^^^^\n"
        "Annotate `m` with its class, or give an example argument."
    )


def test_an_attribute_of_an_argument_is_not_written():
    with pytest.raises(YotaError) as caught:
        tape_of(writes_attribute, known=False)
    assert shortened(caught.value) == (
        "UnsupportedSyntax: the function sets the attribute `count` of an object from "
        "outside\n    m.count = 1\n    ^^^^^^^^^^^\n"
        "Return the new value, and assign it outside."
    )


def shortened(error: YotaError) -> str:
    """The message without the paths."""
    text = error.diagnostic.replace(f"{__file__}:", "")
    lines = [line for line in text.split("\n") if line]
    head = lines[0].split(": ", 1)[1]
    sites = [
        line.partition(" called from ")[0] + " called from LINE"
        if line.startswith("  in ")
        else line
        for line in lines[1:]
    ]
    return "\n".join([head, *sites])
