"""What a forward sweep saves -> its name in generated code.

A value is saved under the name that it has, if that name still holds it where the
reverse sweep reads it. The other names are these:

>>> at_entry("h"), before_write("h"), of_call("h")
('h_in', 'h_old', 'saved_h')

A temporary has no name (`None`): it is numbered, as all temporaries are.

>>> at_entry(None), before_write(None)
(None, None)
"""

from __future__ import annotations

from typing import Final

from yota_ast.syntax.names import is_weak

SAVED: Final = "saved"
"""The list of what a loop saves, and what a function hands to its reverse sweep."""
INNER: Final = "inner"
"""What calls within such a function saved."""
STATES: Final = "states"
"""The list of what a loop is run again from."""
TRIPS: Final = "trips"
"""How many iterations a loop made, if its reverse sweep needs no other value."""
BACKWARDS: Final = "backwards"
"""The steps of a loop, the last one first, of which a reverse sweep takes a few at a
time."""
CAUGHT: Final = "caught"
"""Whether the body of a `try` raised."""


def at_entry(hint: str | None) -> str | None:
    """Return the name of the value that a variable has when an iteration begins."""
    return None if is_weak(hint) else f"{hint}_in"


def before_write(hint: str | None) -> str | None:
    """Return the name of the copy of an array that is about to be overwritten."""
    return None if is_weak(hint) else f"{hint}_old"


def of_call(result: str) -> str:
    """Return the name of what a call saves, from the name of its result."""
    return f"{SAVED}_{result}"


def rows_of(hint: str | None) -> str:
    """Return the name of the list of what a variable is in each iteration.

    >>> rows_of("dz"), rows_of(None)
    ('dz_rows', 'rows')
    """
    return "rows" if is_weak(hint) else f"{hint}_rows"
