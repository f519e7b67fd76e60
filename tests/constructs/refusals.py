"""What is refused of the forms in the table, by construct and number of the form.

GENERAL: without facts, where a value may be a number or an array, and the two differ.
"""

SHARED = "may share memory with an array|may be the caller's array"
GENERAL = {
    "call with *seq / **dict": {1: "number of items is not known"},
    "chained assign a = b = e": {1: SHARED},
    "starred unpack a, *r = ..": {2: "items of unknown number"},
    "augassign to scalar name": {1: SHARED},
    "augassign array: alias seen through (z = y; y *= 2)": {0: SHARED, 1: SHARED},
    "write through a view (v = y[1:3]; v[:] = e)": {1: SHARED},
    "attribute augassign o.a += e": {0: SHARED, 1: SHARED},
    "object built inside, active attributes": {0: SHARED},
    "list element assign l[i] = e": {
        0: SHARED,
        2: "may be an array, is written in place",
        3: "a list is multiplied",
    },
    "dict literal, get and item assign": {0: SHARED},
    "list pop, extend, insert, reverse, remove, index": {2: "this change of a list"},
    "list(array), x.tolist()": {1: f"tolist has no rule|{SHARED}"},
    "zip(*rows), transposition of lists": {1: "number of items is not known"},
    "dict with computed keys": {0: "a key that is computed"},
    "np.vectorize": {0: "results are not surely floats|is not known here"},
    "functools.reduce": {
        1: "number of items is not known", 2: "number of items is not known",
    },
    "function from a table": {0: "not known which function"},
    "helper that writes into its argument": {0: SHARED},
    "argument mutated in place (x[0] = ..)": {1: SHARED},
    "f-string / string operations": {0: "whose class is not known"},
}  # fmt: skip

REFUSED = {
    "class defined inside the function": (
        {0: "a class defined inside"},
        "each call makes another class: define it in the module",
    ),
    "collections: deque, defaultdict, namedtuple, OrderedDict": (
        {2: "no rule is known"},
        "`deque`: lists are followed",
    ),
    "with several items, contextlib": (
        {0: "`with` is supported for"},
        "contexts that are written in C, or that swallow exceptions",
    ),
}  # fmt: skip
"""With facts too, in every context; and the reason that the docs give."""
