"""One frozen record an operation: all that is known of a function of a library.

>>> OpInfo().memory
'maybe'

To add a property: a field here with the value that stands for "unknown", and a file
beside this one that states it. A field that rules state is in `RULED`, too.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final, Literal

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.nodes import Apply

Sharing = Literal["fresh", "view", "same", "maybe"]
"""Memory of a result. fresh: its own. view: that of the first argument, certainly.
same: the first argument itself, certainly. maybe: that of any argument, or its own.
What is a view may be the first argument itself."""

Memory = Sharing | Callable[[Apply], Sharing]
"""This, or a function of the call where its arguments decide; see `result_memory`."""

Container = Literal["unknown", "holding", "new", "deep"]
"""holding: a new one, that may hold the arguments. new: a new one, that may hold what a
list among the arguments holds. deep: all that it holds is new, too."""

Order = Literal["unknown", "kept", "turned"]
"""kept: in the order of the indices, in another shape or type. turned: in another."""

Items = Literal[
    "unknown", "moved", "kept", "picked", "placed", "summed", "picked of all"
]
"""moved: the elements of the first operand as they are, in another order or shape.
kept: those, perhaps rounded to another type; of complex ones the real parts, or the
conjugates.
picked: some of them, as often as it likes. placed: some, or parts of them, and 0 in all
other places. summed: sums or means of some. picked of all: some of all operands."""
MOVING: Final[tuple[Items, ...]] = ("moved", "kept", "picked")
"""What is done with elements where none is computed with."""

Layout = Literal["unknown", "dense", "like", "fresh"]
"""dense: in the order of its indices, without gaps. like: as the first argument does.
fresh: dense if it has one axis."""

Fill = Literal["unknown", "nothing", "zeros", "ones", "given"]

Taking = Literal["unknown", "nothing", "all", "in turn", "some", "later"]
"""When a function takes the items of an iterator that it is given. nothing: it takes
none. all: all of them at once; it does nothing in between but add or compare them. in
turn: all of them, and it calls a function in between. some: at once, but it may leave
some. later: when it is asked for its own items."""

Makes = Literal["", "matrix", "sparse", "factors"]
"""matrix: a np.matrix. sparse: a sparse matrix of SciPy's. factors: those of one."""

InLoops = Literal[
    "no", "elements", "numbers", "arrays", "sum", "extreme", "number", "product",
    "inner product", "contraction", "new", "joined",
]  # fmt: skip
"""How explicit loops are made of a function. elements: it is called with elements of
arrays, or numbers; numbers: with numbers alone; arrays: with arrays that have names.
number: it gives a number for such an array. contraction: products summed over axes
that it names. new: it makes an array of a shape. joined:
it puts arrays one behind the other."""

Batching = Literal[
    "unknown", "elements", "numbers", "float", "truth", "extreme", "reduction", "along",
    "product", "einsum", "outer", "last axes", "solve", "transpose", "axes",
    "reshape", "flat", "join", "stack", "spread", "new", "shaped", "kept", "facts",
    "shape", "length", "rank", "size", "builds", "subscript", "add up",
    "summed back", "spread back", "handed on", "adjoint mark",
]  # fmt: skip
"""How a function of one example becomes one of a batch of them, whose axis 0 it is.

elements: it is called with arrays whose axes are aligned. numbers: a function of
numbers, of which NumPy has one of arrays. float, truth: numbers as floats, as truth
values. extreme: the largest of several numbers, as Python finds it. add up: Python's
sum. reduction: over the axes that `axis` names; None: all. along: along `axis`; None:
all axes as one. last axes: it is called as it is, for it works on the last axes alone.
solve: systems of equations. axes: it is told axes one by one. flat: all axes become
one. spread: to a shape. new: a new array of a shape. shaped: a new one in the shape of
the first argument. kept: the argument as it is.
summed back, spread back: adjoints of broadcasting, and of reductions. handed on: it
gives its first argument or 0, of a mark of kinks its tangent, in the same shape.
adjoint mark: it gives its first argument, and has a derivative of its own. facts: it
tells what is the same of all examples.
builds: it holds its arguments."""

InJax = Literal["no", "numpy", "scipy", "python", "facts", "number", "float"]
"""How the printer for JAX calls it. numpy, scipy: by its path below `jax.numpy` or
`jax.scipy`. python: as it stands, on arrays of JAX. facts: as it stands, for it asks
for shapes and types alone. number: as NumPy's function of that name, of arrays. float:
as an array without axes."""

Always = Literal["unknown", "array", "no array"]

Cost = Literal["unknown", "little", "little for numbers"]
WHOLE, FLOAT, COMPLEX = range(3)
"""The kinds of numbers: whole ones (truth values with them), floats, complex ones."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Which numbers a result holds.

    of: the positions of the arguments that decide, None: all. The result is promoted
    from them, and it is `least` at least and `most` at most.
    rises: it may be more than they are: a root of a whole number, `2 ** -1`.
    mixed: of complex numbers it may give real ones, or some: singular values.
    picks: it is one of them as it is, `max(1, 2.0)`; not promoted.
    dtype: the position of a dtype that is asked for, if it is given.
    plain: with more positional arguments nothing is said; nor with a keyword of
    `unless`.
    """

    of: tuple[int, ...] | None = None
    least: int = WHOLE
    most: int = COMPLEX
    rises: bool = False
    mixed: bool = False
    picks: bool = False
    dtype: int | None = None
    plain: int | None = None
    unless: frozenset[str] = frozenset({"out"})


Arithmetic = Literal[
    "none", "sum", "difference", "product", "quotient", "floor", "remainder", "power",
    "negative", "same", "matrix product", "inner product", "left shift", "right shift",
    "and", "or", "exclusive or",
]  # fmt: skip
"""What a function computes of two operands, or one. An inner product is a product,
where it is given numbers; a matrix product refuses them."""

Raises = Literal[
    "never", "numbers", "shapes", "zero", "power", "filled", "ends", "product",
    "square", "maybe",
]  # fmt: skip
"""never; of what is no number or has no such axis; where shapes do not fit; where a
number of Python is divided by 0, or has too large a power; of what fills an array and
is no number; of ends that are no integers; of matrices that have no product; of a
matrix that is not square; unknown."""


@dataclass(frozen=True, slots=True)
class OpInfo:
    """What is known of a function; each default stands for "unknown".

    memory: whether the result shares memory with the arguments.
    container: the same of a list, tuple or dict that is the result.
    apart: the list that it makes has no memory twice: each item is new.
    listed: it gives a list, whatever it is given.
    joins: it puts its arguments, or the items of the first, one behind the other in an
    array.
    copies: the result is the first argument with memory of its own.
    order: whether the result has the elements of the first argument, and where.
    items: what the elements of the result are made of.
    spreads: the first operand, the cotangent of a reduction, is spread over what has
    been reduced.
    several: it gives a tuple of adjoints, first that of what has been reduced.
    factor: where the first operand is a number, the result is a product with that one.
    once: no two of the places that it gives, by themselves or as items of a tuple, are
    of one element, whatever the array: none counts from the other end.
    solves: it solves a system of equations, of a matrix, or its factors, that is first.
    spoiled: it is infinite, or nan, where an element of its first operand is.
    overlaps: an element of the result may be another one too: it is never written.
    selects: it selects elements, or replaces those that are not finite.
    marks: it hands its first operand on, and marks a kink of what is behind.
    of_entries: it hands its first operand on, a value that depends on entries of a
    sparse matrix, which the others give.
    vectors: the positions of the adjoints of eigenvectors, or of singular vectors: they
    are 0 where they are None.
    zero_for_zeros: its adjoint takes 0.0 for an array of zeros as cotangent.
    vanishes: it is 0 at all points that it does not refuse.
    keeps_zero: each element is 0 where that of the first operand is.
    degree: of twice as large operands, or of their negatives, it is 2**degree as large.
    positive: of real numbers it is above 0.
    underflows: of real numbers it is above 0, but so small that it may be rounded to 0.
    largest: no element, of its operand or of several, is larger than the result.
    extreme: it is the largest or the smallest element, of its operand or of several.
    reverses: it gives a view that runs over axes from their ends.
    puts_back: what puts such a result, a part of complex numbers, back into them.
    layout: how the result lies in memory.
    involution: called on its result, with the same settings, it gives the argument.
    signs: it changes nothing but signs, of its operand or of the imaginary part.
    adds_axes: it gives its first argument with more axes of length 1.
    asks_where: it asks where its arguments lie in memory, not what they hold.
    writes: the positions of the arguments whose memory a call changes.
    result_at: the position of an array that it writes its result into; -1: none stated.
    elementwise: it broadcasts its arguments, and works on each element alone.
    linear: the parameters in each of which it is linear, the others fixed.
    effect: a call must happen once and in its place.
    numbers: which numbers the result holds; None: unknown.
    arithmetic: what it computes of its operands, number by number.
    exponent: the result is its argument to this power.
    steps: the result is constant but where it jumps: a comparison, a rounding.
    jumps: the result jumps somewhere, though it may change between: a remainder.
    exact: it rounds alike however its operands and its result lie in memory.
    pure: of numbers and texts that are written down it gives one that may be written
    instead.
    size: it is the size of its argument, which is never negative.
    cost: of computing it again. little: less than keeping the result.
    gives_number: it gives a number, and no array, for arrays without axes.
    refuses_none: it raises where an argument is None.
    takes_none: it is a ufunc that does not.
    bounded: its whole numbers are no larger than those it is given.
    safe: a number well inside its domain; None: it has no edge.
    missing: it tells what is nan or infinite, or leaves it out.
    pole: it is infinite on the edge of its domain; powers may be.
    steep: its slope may be infinite where its value is not.
    warns: the positions of operands of which some values make it warn.
    index_at: the position of the argument that is an index; -1: none.
    shape_only: the positions of arguments that are read for shape and dtype alone.
    tells: it says of which kind or shape its arguments are, and nothing of numbers.
    asks: it compares a value of any kind, or asks for its class.
    text: it gives, or prints, the text of its arguments.
    taking: when it takes the items of an iterator that it is given.
    iterated: the arguments whose items it takes: from one place to before another;
    None: to the last.
    chooses: it chooses one of its arguments, or of the items of one that is alone; with
    a key it calls that for each item that it takes.
    fails_at_once: it raises at once where it is to take the items of a number.
    splits: it cuts an array into a list of parts.
    plain: of arrays of other classes it gives one of NumPy's own class.
    makes: what it gives that computes otherwise than arrays do.
    always: whether it gives an array, whatever it is given: also of a number; or none.
    fill: what an array that it makes is filled with; given: with an argument.
    counts: it gives a whole number that is not negative.
    never_negative: what it gives of real numbers is not negative.
    takes: how many arguments without a name it takes, at least and at most.
    coefficients: the position of the coefficients of a polynomial; -1: none.
    of_each: of several arguments it gives a tuple of what it gives of each.
    arrays: it makes an array of each argument without a name that is a list.
    converts: it asks an object for the array that it stands for, and for nothing else.
    shaped_like: the position of the argument whose shape the result has; -1: none.
    in_loops: how explicit loops are made of it. loop_definition: a function that gives
    the same by others of which loops are made. typed_in_loops: they name its dtype.
    excess_in_loops: how many sums of long arrays cost as much as loops lose to NumPy,
    which computes it for several elements at once: of double and of single precision.
    batching: how it is called for a batch of arguments.
    in_jax: how the printer for JAX calls it. jax_keywords: what it says beside its
    arguments, where JAX's default means something else. jax_definition: a function of
    NumPy that gives the same, where its own source has no twin for JAX.
    refuses_zero: the position of a number of Python that it raises of, if it is 0.
    raises: whether a call may raise, of numbers that it takes.
    """

    memory: Memory = "maybe"
    container: Container = "unknown"
    apart: bool = False
    listed: bool = False
    joins: bool = False
    copies: bool = False
    asks_where: bool = False
    order: Order = "unknown"
    items: Items = "unknown"
    spreads: bool = False
    once: bool = False
    solves: bool = False
    spoiled: bool = False
    overlaps: bool = False
    several: bool = False
    factor: int = -1
    selects: bool = False
    marks: bool = False
    of_entries: bool = False
    vectors: tuple[int, ...] = ()
    zero_for_zeros: bool = False
    vanishes: bool = False
    keeps_zero: bool = False
    degree: float | None = None
    positive: bool = False
    underflows: bool = False
    largest: bool = False
    extreme: bool = False
    reverses: bool = False
    puts_back: Callable[..., object] | None = None
    layout: Layout = "unknown"
    involution: bool = False
    signs: bool = False
    adds_axes: bool = False
    writes: tuple[int, ...] = ()
    result_at: int = -1
    elementwise: bool = False
    linear: frozenset[str] = frozenset()
    effect: bool = False
    numbers: Numbers | None = None
    arithmetic: Arithmetic = "none"
    exponent: float | None = None
    steps: bool = False
    jumps: bool = False
    exact: bool = False
    pure: bool = False
    size: bool = False
    cost: Cost = "unknown"
    gives_number: bool = False
    refuses_none: bool = False
    takes_none: bool = False
    bounded: bool = False
    safe: float | None = None
    missing: bool = False
    pole: bool = False
    steep: bool = False
    warns: tuple[int, ...] = ()
    shape_only: tuple[int, ...] = ()
    tells: bool = False
    asks: bool = False
    text: bool = False
    taking: Taking = "unknown"
    iterated: tuple[int, int | None] = (0, 0)
    chooses: bool = False
    fails_at_once: bool = False
    splits: bool = False
    plain: bool = False
    makes: Makes = ""
    always: Always = "unknown"
    fill: Fill = "unknown"
    counts: bool = False
    never_negative: bool = False
    takes: tuple[int, float] = (0, inf)
    coefficients: int = -1
    of_each: bool = False
    arrays: bool = False
    converts: bool = False
    shaped_like: int = -1
    in_loops: InLoops = "no"
    typed_in_loops: bool = False
    excess_in_loops: tuple[int, int] = (35, 75)
    batching: Batching = "unknown"
    in_jax: InJax = "no"
    jax_keywords: tuple[tuple[str, object], ...] = ()
    jax_definition: Callable[..., object] | None = None
    loop_definition: Callable[..., object] | None = None
    index_at: int = -1
    refuses_zero: int = -1
    raises: Raises = "maybe"


UNKNOWN: Final = OpInfo()
