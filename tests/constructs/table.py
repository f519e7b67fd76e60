"""A construct of Python -> the bodies that use it, and the functions that contain them.

An entry has a name, as the docs give it, and forms: a few statements that read `x` and
assign `y`, written once. `functions(form)` puts them where constructs go wrong: alone,
in a loop, in one arm of a branch, in an inlined helper and in a closure, and after an
overwrite of what they read.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .refusals import GENERAL, REFUSED

CONTEXTS = ("plain", "loop", "branch", "helper", "closure", "overwrite", "in place")


class Expression(str):
    """An argument that is made in the form's module: an object of a class there."""

    __slots__ = ()


@dataclass(frozen=True)
class Form:
    """One way to write a construct.

    body: statements that read the parameters and assign `y`; they may return as well.
    args: the parameters of the function; the first is `x`. setup: what stands above the
    function in its module. change: a statement that gives `x` another value of its
    kind; total: a number computed from `x`. skip: contexts in which the body makes no
    sense. refused: by context (or "all", "general") what the refusal says. general:
    whether a text without facts is made as well.
    """

    body: str
    args: dict[str, Any]
    setup: str = ""
    change: str = ""
    total: str = ""
    skip: tuple[str, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)
    general: bool = True


@dataclass(frozen=True)
class Construct:
    """A construct, its section, and what is said of it beside "right"."""

    name: str
    section: str
    forms: tuple[Form, ...]
    note: str = ""
    listed: bool = True


TABLE: list[Construct] = []
SCALAR = 1.3
VECTOR = np.array([0.6, 1.4, 0.9, 1.1])
MATRIX = np.array([[0.7, 1.2, 0.4], [1.5, 0.3, 0.8]])


def form(
    body: str,
    x: Any = SCALAR,
    *,
    setup: str = "",
    change: str = "",
    total: str = "",
    skip: str = "",
    refused: dict[str, str] | str | None = None,
    general: bool | None = None,
    **args: Any,
) -> Form:
    """A form; `change` and `total` follow from the kind of `x`."""
    if isinstance(refused, str):
        refused = {"all": refused}
    if general is None:
        plain = (float, int, str, bool, np.ndarray)
        general = all(isinstance(v, plain) for v in (x, *args.values()))
        general = general and not any(isinstance(v, Expression) for v in args.values())
        general = general and not isinstance(x, Expression)
    return Form(
        textwrap.dedent(body).strip("\n"),
        {"x": x, **args},
        textwrap.dedent(setup).strip("\n"),
        change or change_of(x),
        total or total_of(x),
        tuple(skip.split(",")) if skip else (),
        refused or {},
        general,
    )


def change_of(x: Any) -> str:
    """A statement that overwrites `x`."""
    if isinstance(x, list):
        return "x = [v * 0.8 + 0.1 for v in x]"
    if isinstance(x, tuple):
        return "x = tuple(v * 0.8 + 0.1 for v in x)"
    if isinstance(x, dict):
        return "x = {k: v * 0.8 + 0.1 for k, v in x.items()}"
    return "x = x * 0.8 + 0.1"


def total_of(x: Any) -> str:
    """A number that `x` makes, nonlinearly."""
    if isinstance(x, float):
        return "x * x"
    if isinstance(x, list | tuple):
        return "sum(v * v for v in x)"
    if isinstance(x, dict):
        return "sum(v * v for v in x.values())"
    return "np.sum(x * x)"


def construct(
    section: str, name: str, *forms: Form, note: str = "", listed: bool = True
) -> None:
    """Enter a construct in the table. listed: it is one of the 128."""
    hard, why = REFUSED.get(name, ({}, note))
    general = GENERAL.get(name, {})
    made = [
        replace(
            one,
            refused={
                **one.refused,
                **({"all": hard[k]} if k in hard else {}),
                **({"general": general[k]} if k in general else {}),
            },
        )
        for k, one in enumerate(forms)
    ]
    TABLE.append(Construct(name, section, tuple(made), why, listed))


@dataclass(frozen=True)
class Function:
    """The text of a module with a function `f`, and lists of arguments to try."""

    context: str
    text: str
    args: tuple[dict[str, Any], ...]


def functions(one: Form) -> Iterator[Function]:
    """The functions around a body, by context."""
    writers = {
        "plain": plain,
        "loop": loop,
        "branch": branch,
        "helper": helper,
        "closure": closure,
        "overwrite": overwrite,
        "in place": in_place,
    }
    for context in CONTEXTS:
        if context in one.skip:
            continue
        if context == "in place" and not isinstance(one.args["x"], np.ndarray):
            continue
        text, args = writers[context](one)
        head = "import math\nimport functools\nimport operator\n\nimport numpy as np\n"
        whole = f"{head}\n\n{one.setup}\n\n\n{text}"
        yield Function(context, whole, tuple({**one.args, **more} for more in args))


def block(text: str, depth: int = 1) -> str:
    return textwrap.indent(text, "    " * depth)


def names(one: Form, *more: str) -> str:
    return ", ".join((*one.args, *more))


Written = tuple[str, list[dict[str, Any]]]


def plain(one: Form) -> Written:
    return f"def f({names(one)}):\n{block(one.body)}\n    return y\n", [{}]


def loop(one: Form) -> Written:
    text = f"""\
def f({names(one, "trips")}):
    accrued = 0.0
    for trip in range(trips):
{block(one.body, 2)}
        accrued = accrued + y
{block(one.change, 2)}
    return accrued + {one.total}
"""
    return text, [{"trips": n} for n in (3, 1, 0)]


def branch(one: Form) -> Written:
    text = f"""\
def f({names(one, "switch")}):
    y = {one.total}
    if switch > 0.5:
{block(one.body, 2)}
    return y + {one.total}
"""
    return text, [{"switch": 1.0}, {"switch": 0.0}]


def helper(one: Form) -> Written:
    text = f"""\
def part({names(one)}):
{block(one.body)}
    return y


def f({names(one)}):
    before = part({names(one)})
{block(one.change)}
    return before * part({names(one)})
"""
    return text, [{}]


def closure(one: Form) -> Written:
    text = f"""\
def f({names(one)}):
    def part():
{block(one.body, 2)}
        return y

    return part() + {one.total}
"""
    return text, [{}]


def overwrite(one: Form) -> Written:
    text = f"""\
def f({names(one)}):
    before = {one.total}
{block(one.change)}
{block(one.body)}
    return y * before
"""
    return text, [{}]


def in_place(one: Form) -> Written:
    text = f"""\
def f({names(one)}):
    x = np.array(x)
    before = {one.total}
    x *= 0.8
    x[...] += 0.1
{block(one.body)}
    return y * before
"""
    return text, [{}]
