"""The refusals of forms in the table, by construct and number of the form.

GENERAL: without facts, where a value may be a number or an array, and the two differ.
"""

SHARED = "may share memory with an array|may be the caller's array"
GENERAL = {
    "call with *seq / **dict": {1: "number of items is unknown"},
    "chained assign a = b = e": {1: SHARED},
    "starred unpack a, *r = ..": {2: "an unknown number of items"},
    "augassign to scalar name": {1: SHARED},
    "augassign array: alias seen through (z = y; y *= 2)": {0: SHARED, 1: SHARED},
    "write through a view (v = y[1:3]; v[:] = e)": {1: SHARED},
    "attribute augassign o.a += e": {0: SHARED, 1: SHARED},
    "object built inside, active attributes": {0: SHARED},
    "list element assign l[i] = e": {
        0: SHARED,
        2: "is changed in place, and may be an array",
        3: "a list is multiplied",
    },
    "dict literal, get and item assign": {0: SHARED},
    "list pop, extend, insert, reverse, remove, index": {2: "this change of a list"},
    "list(array), x.tolist()": {1: f"tolist has no rule|{SHARED}"},
    "zip(*rows), transposition of lists": {1: "number of items is unknown"},
    "dict with computed keys": {0: "a computed key"},
    "np.vectorize": {0: "may return something other than floats|of unknown type"},
    "functools.reduce": {
        1: "number of items is unknown", 2: "number of items is unknown",
    },
    "function from a table": {0: "the function that `.*` calls is unknown"},
    "helper that writes into its argument": {0: SHARED},
    "argument mutated in place (x[0] = ..)": {1: SHARED},
    "f-string / string operations": {0: "whose class is unknown"},
}  # fmt: skip

REFUSED = {
    "class defined inside the function": (
        {0: "a class defined inside"},
        "each call makes another class: define it in the module",
    ),
    "with several items, contextlib": (
        {0: "this context is not supported"},
        "contexts that are written in C, or that swallow exceptions",
    ),
}  # fmt: skip
"""With facts too, in every context; and the reason that the docs give."""
