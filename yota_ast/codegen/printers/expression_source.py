"""Ops -> the text of an expression, nested, on one line.

Text in parentheses only where precedence asks for them: the layout is the printer's.
What reads better in parentheses nobody needs, `(2 * seed) * x`, is `KEPT(...)` here,
for which the layout prints the parentheses.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final, assert_never

from yota_ast.codegen.plan.naming import Names
from yota_ast.codegen.plan.statement_plan import form_of
from yota_ast.codegen.printers.global_names import Globals
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import (
    build_dict,
    build_list,
    build_slice,
    build_string,
    build_tuple,
    handed,
)
from yota_ast.ir.helper_defaults import without_defaults
from yota_ast.ir.nodes import Apply, Closed, If, Store, path_length
from yota_ast.ops.spellings import BINARY as OPERATORS
from yota_ast.ops.spellings import COMPARING, IDENTITY
from yota_ast.ops.spellings import UNARY as UNARY_OPERATORS
from yota_ast.syntax.grammar import (
    AND,
    ATOM,
    COMPARE,
    CONDITIONAL,
    LAMBDA,
    NOT,
    OR,
    POWER,
    PRODUCT,
    UNARY,
)
from yota_ast.syntax.grammar import OPERATORS as GRAMMAR
from yota_ast.syntax.names import is_plain
from yota_ast.syntax.value_literals import key_text, literal_text

KEPT: Final = "_KEPT_"
_EXACT: Final = (0.5, 0.25, 0.75)
"""Shares of a number of which the rest is exact too."""
BINARY: Final[dict[Callable[..., object], tuple[str, int]]] = {
    fn: (op.sign, GRAMMAR[op.node][1])
    for op in (*OPERATORS, *COMPARING, *IDENTITY)
    for fn in (op.fn, op.in_place)
    if fn is not None
}
_UNARY: Final = {op.fn: op.sign for op in UNARY_OPERATORS}

Piece = tuple[str, int]
"""A text and how tightly it binds."""


class Expressions:
    """Prints atoms with what is nested in them."""

    def __init__(
        self, nested: dict[str, Apply | If], names: Names | None, world: Globals
    ) -> None:
        self.nested = nested
        self.names = names
        self.world = world
        self.ours = False

    def text(self, atom: object, least: int = CONDITIONAL) -> str:
        """Return the text of an atom, in parentheses if it binds less than `least`."""
        text, level = self.piece(atom)
        return text if level >= least else f"({text})"

    def _nested(self, atom: object) -> Apply | If | None:
        """Return the op that an atom is printed as."""
        return self.nested.get(atom.name) if isinstance(atom, Var) else None

    def piece(self, atom: object) -> Piece:
        """Return the text of an atom."""
        if isinstance(atom, Const):
            return self.const(atom)
        if not isinstance(atom, Var):
            raise TypeError(f"not an atom: {atom!r}")
        op = self.nested.get(atom.name)
        if op is not None:
            return self.op(op)
        return (self.names.of(atom) if self.names else "_"), ATOM

    def op(self, op: Apply | If) -> Piece:
        """Return the text of an op's value."""
        match op:
            case Apply():
                return self._operation(op)
            case If():
                return self._choice(op)
            case _:
                assert_never(op)

    def _operation(self, op: Apply) -> Piece:
        if op.fn in BINARY and len(op.args) == 2 and not op.kwargs:
            return self._binary(op)
        if op.fn in _UNARY and len(op.args) == 1:
            return f"{_UNARY[op.fn]}{self.text(op.args[0], UNARY)}", UNARY
        if op.fn is operator.not_:
            inner = self._nested(op.args[0])
            if isinstance(inner, Apply) and inner.fn is operator.not_:
                return f"not {self.text(op.args[0], NOT)}", NOT
            return self.negation(op.args[0])
        if op.fn is operator.contains:
            item, container = op.args[1], op.args[0]
            left, right = (self.text(a, COMPARE + 1) for a in (item, container))
            return f"{left} in {right}", COMPARE
        if isinstance(op.fn, Closed):
            return self._function(op.fn, op)
        if op.form == "operator" and op.spelling:  # a product with a sparse matrix
            sides = op.args[::-1] if op.fn.__name__.startswith("__r") else op.args
            left, right = self.text(sides[0], PRODUCT), self.text(sides[1], PRODUCT + 1)
            return f"{left} {op.spelling} {right}", PRODUCT
        builder = _BUILDERS.get(op.fn)
        if builder is not None:
            return builder(self, op)
        return self._call(op), ATOM

    def negation(self, atom: object) -> Piece:
        """Return the test of `not atom`: `is not`, `not in`, and no double `not`."""
        op = self._nested(atom)
        if isinstance(op, Apply):
            if op.fn is operator.not_:
                return self.piece(op.args[0])
            if op.fn is operator.is_:
                left, right = (self.text(a, COMPARE + 1) for a in op.args)
                return f"{left} is not {right}", COMPARE
            if op.fn is operator.contains:
                item, container = op.args[1], op.args[0]
                left, right = (self.text(a, COMPARE + 1) for a in (item, container))
                return f"{left} not in {right}", COMPARE
        return f"not {self.text(atom, NOT)}", NOT

    def augmented(self, op: Apply) -> str:
        """Return `+= e` of an augmented assignment."""
        fn, value = self.without_sign(op, op.fn, op.args[1])
        return f"{BINARY[fn][0]}= {self.text(value)}"

    def without_sign(
        self, op: Apply | Store, fn: Callable[..., Any], value: Atom
    ) -> tuple[Callable[..., Any], Atom]:
        """Return how an op of the reverse sweep adds what, `x -= y` for `x += -y`."""
        turned = {operator.add: operator.sub, operator.sub: operator.add}.get(fn)
        inner = self._nested(value)
        if turned is None or not op.origin.reverse or not isinstance(inner, Apply):
            return fn, value
        return (turned, inner.args[0]) if inner.fn is operator.neg else (fn, value)

    def share(
        self, op: Store, fn: Callable[..., Any], value: Atom, place: str
    ) -> float | None:
        """Return what a place is multiplied by that takes some of itself in the reverse
        sweep: `x[i] *= 0.5` for `x[i] -= 0.5 * x[i]`."""
        inner = self._nested(value)
        if not op.origin.reverse or not isinstance(inner, Apply):
            return None
        if inner.fn is not operator.mul or fn not in (operator.add, operator.sub):
            return None
        times, part = inner.args
        number = times.value if isinstance(times, Const) else None
        if not isinstance(number, float) or number not in _EXACT:
            return None
        if self._nested(part) is None or self.text(part) != place:
            return None
        return 1 + number if fn is operator.add else 1 - number

    # ------------------------------------------------------------ operators

    def _binary(self, op: Apply) -> Piece:
        symbol, level = BINARY[op.fn]
        left, right = op.args
        if level == POWER:
            base, exponent = self.text(left, ATOM), self.text(right, UNARY)
            return f"{base} ** {exponent}", POWER
        if level == COMPARE:
            sides = (self.text(a, COMPARE + 1) for a in (left, right))
            return f" {symbol} ".join(sides), COMPARE
        first = self.text(left, level)
        if self._is_scalar_factor(op, left, right):
            first = f"{KEPT}({first})"
        return f"{first} {symbol} {self.text(right, level + 1)}", level

    def _is_scalar_factor(self, op: Apply, left: object, right: object) -> bool:
        """Say whether `left` is a product of scalars before an array: `(2 * s) * x`."""
        if not op.origin.reverse or op.fn is not operator.mul:
            return False
        if not isinstance(left, Var) or not isinstance(right, Var):
            return False
        inner = self.nested.get(left.name)
        return (
            isinstance(inner, Apply)
            and inner.fn in (operator.mul, operator.truediv)
            and left.fact.is_scalar
            and right.fact.may_be_array
            and not right.fact.is_scalar
        )

    def _choice(self, op: If) -> Piece:
        merge, form = op.merges[0], form_of(op)
        if form == "chain" and self._is_chain(op):
            more = self.text(merge.then).partition(" ")[2]
            return f"{self.text(op.test)} {more}", COMPARE
        if form in ("and", "chain"):
            return f"{self.text(op.test, AND)} and {self.text(merge.then, AND)}", AND
        if form == "or":
            return f"{self.text(op.test, OR)} or {self.text(merge.orelse, OR)}", OR
        then = self.text(merge.then, CONDITIONAL + 1)
        test = self.text(op.test, CONDITIONAL + 1)
        return f"{then} if {test} else {self.text(merge.orelse)}", CONDITIONAL

    def _is_chain(self, op: If) -> bool:
        """Say whether two comparisons are printed as one, `a < b < c`."""
        first = self._compared(op.test)
        second = self._compared(self._first_test(op.merges[0].then))
        if len(first) != 2 or not second or first[1] != second[0]:
            return False
        return " " not in self.text(first[1], COMPARE + 1)

    def _first_test(self, atom: object) -> object:
        """Return the test of a chain of comparisons, printed in the place of an atom;
        else the atom."""
        op = self._nested(atom)
        if not isinstance(op, If) or op.form != "chain":
            return atom
        return op.test if self._is_chain(op) else None

    def _compared(self, atom: object) -> tuple[Atom, ...]:
        """Return the operands of the comparison that an atom is printed as, if any."""
        op = self._nested(atom)
        if not isinstance(op, Apply) or BINARY.get(op.fn, ("", ATOM))[1] != COMPARE:
            return ()
        return op.args

    # ------------------------------------------------------------ calls

    def _call(self, op: Apply) -> str:
        if op.form == "attribute":
            return self.world.field(self.text(op.args[0], ATOM), op.spelling)
        if op.fn is operator.getitem or op.form == "subscript":
            return self.place(*op.args, ours=op.origin.reverse)
        if op.fn is operator.call:
            return f"{self._object(op.args[0])}({self._arguments(op, 1)})"
        if op.form == "method":
            name = op.spelling or op.fn.__name__
            if name == "__call__":
                return f"{self._object(op.args[0])}({self._arguments(op, 1)})"
            method = self.world.field(self._object(op.args[0]), name)
            return f"{method}({self._arguments(op, 1)})"
        return f"{self.world.function(op.fn, op.spelling)}({self._arguments(op, 0)})"

    def _function(self, made: Closed, op: Apply) -> Piece:
        """Return `lambda x: _f(x, p)`, or `_f` where it holds nothing."""
        whole = made.item is None and made.takes == tuple(range(len(made.params)))
        if whole and made.name not in self.world.short:
            return made.name, ATOM
        own = [self._own_name(p, op) for p in made.params]
        given = made.given(own, [self.text(a) for a in op.args])
        head = f"lambda {', '.join(own)}:" if own else "lambda:"
        if self.names and made.name in self.world.short:
            return f"{head} {self.world.short[made.name](given)}", LAMBDA
        item = "" if made.item is None else f"[{made.item}]"
        return f"{head} {made.name}({', '.join(given)}){item}", LAMBDA

    def _own_name(self, name: str, op: Apply) -> str:
        """Return the name of a parameter of a function that is made, which no variable
        that it holds has."""
        text = " ".join(self.text(a) for a in op.args)
        return f"{name}_" if re.search(rf"\b{name}\b", text) else name

    def _object(self, atom: object) -> str:
        """Return what a dot or bracket may follow: `(1).real`, not `1.real`."""
        text = self.text(atom, ATOM)
        return f"({text})" if text[0].isdigit() else text

    def _arguments(self, op: Apply, first: int) -> str:
        op = without_defaults(op)
        args = [self.text(a, LAMBDA) for a in op.args[first:]]
        args += [self._keyword(name, self.text(a, LAMBDA)) for name, a in op.kwargs]
        return ", ".join(args)

    def _keyword(self, name: str, text: str) -> str:
        """Return `axis=0`; of what came by `**options`, and is no name, a dict."""
        return f"{name}={text}" if is_plain(name) else f"**{{{key_text(name)}: {text}}}"

    # ------------------------------------------------------------ indices

    def place(self, owner: Atom, index: Atom, *, ours: bool = False) -> str:
        """Return `x[i]`; of what is within lists `rows[i][j]`."""
        text, length = self._object(owner), path_length(owner, index)
        if not length:
            return self.bracketed(text, index, ours=ours)
        op = self._nested(index)
        if isinstance(index, Const) and isinstance(index.value, tuple):
            keys = [self.world.key(key) for key in index.value]
        elif isinstance(op, Apply) and op.fn is build_tuple:
            keys = [self.text(a) for a in op.args]
        else:
            keys = [f"{self.text(index, ATOM)}[{k}]" for k in range(length)]
        return "".join([text, *(f"[{key}]" for key in keys)])

    def bracketed(self, text: str, index: Atom, *, ours: bool = False) -> str:
        """Return `text[index]`."""
        return f"{text}[{self.index(index, ours=ours)}]"

    def index(self, atom: object, *, ours: bool = False) -> str:
        """Return what stands between the brackets; `ours`: no words of the user's."""
        self.ours = ours
        if isinstance(atom, Const) and atom.text is None:
            if type(atom.value) is tuple and atom.value:
                return self._items([self._position(Const(v)) for v in atom.value])
            return self._position(atom)
        op = self._nested(atom)
        if isinstance(op, Apply) and op.fn is build_tuple and op.args:
            return self._items([self._position(a) for a in op.args])
        return self._position(atom)

    def _items(self, texts: list[str]) -> str:
        return ", ".join(texts) + ("," if len(texts) == 1 else "")

    def _position(self, atom: object) -> str:
        """Return one index, a slice as `a:b:c`."""
        if atom == Const(None) and self.ours:
            return f"{self.world.module('np')}.newaxis"
        if isinstance(atom, Const) and isinstance(atom.value, slice):
            s = atom.value
            return self._slice([Const(v) for v in (s.start, s.stop, s.step)])
        op = self._nested(atom)
        if isinstance(op, Apply) and op.fn is build_slice:
            return self._slice(list(op.args))
        return self._key(atom)

    def _slice(self, bounds: list[object]) -> str:
        texts = [
            "" if isinstance(b, Const) and b.value is None else self.text(b)
            for b in bounds
        ]
        return ":".join(texts if texts[2] else texts[:2])

    # ------------------------------------------------------------ values built

    def build_tuple(self, op: Apply) -> Piece:
        """Print `(a, b)`."""
        return f"({self._items([self.text(a) for a in op.args])})", ATOM

    def build_list(self, op: Apply) -> Piece:
        """Print `[a, b]`."""
        return f"[{', '.join(self.text(a) for a in op.args)}]", ATOM

    def build_dict(self, op: Apply) -> Piece:
        """Print `{k: v}`."""
        keys = [self._key(a) for a in op.args[::2]]
        pairs = zip(keys, map(self.text, op.args[1::2]), strict=True)
        return "{" + ", ".join(f"{k}: {v}" for k, v in pairs) + "}", ATOM

    def _key(self, atom: object) -> str:
        if isinstance(atom, Const) and atom.text is None:
            return self.world.key(atom.value)
        return self.text(atom)

    def build_slice(self, op: Apply) -> Piece:
        """Print a slice outside brackets, which is a call."""
        args = ", ".join(self.text(a) for a in op.args)
        return f"{self.world.builtin('slice')}({args})", ATOM

    def build_string(self, op: Apply) -> Piece:
        """Print an f-string; a `join` where its parts hold quotes."""
        parts = [self._part(a) for a in op.args]
        if any(part is None for part in parts):
            return f'"".join({self.build_tuple(op)[0]})', ATOM
        return 'f"' + "".join(p for p in parts if p is not None) + '"', ATOM

    def _part(self, atom: object) -> str | None:
        if isinstance(atom, Const) and isinstance(atom.value, str):
            text = "".join(map(_escaped, atom.value))
            return text.replace("{", "{{").replace("}", "}}")
        op = self._nested(atom)
        suffix = ""
        if isinstance(op, Apply) and op.fn in (format, str):
            if len(op.args) == 2:
                spec = op.args[1]
                if not (isinstance(spec, Const) and isinstance(spec.value, str)):
                    return None
                suffix = f":{spec.value}" if spec.value else ""
            atom = op.args[0]
        text = self.text(atom)
        if set(text + suffix) & set("'\"\\{}"):
            return None
        return f"{{{text}{suffix}}}"

    # ------------------------------------------------------------ constants

    def const(self, const: Const) -> Piece:
        """Return a literal, or the name of what is none."""
        value = const.value
        if type(value) is float and const.text is None and const.made is None:
            text = self.world.literal(value)  # what most are
            return text, UNARY if text.startswith("-") else ATOM
        if const.made is not None and const.reads:
            fn, parts = const.made
            return self._binary(Apply(Var(""), fn, parts))
        if const.text is not None:
            if const.made is not None:  # folded: `2 / 3`, of literals alone
                level = _level(const.text)
                if level != ATOM:
                    return const.text, level
            return self.world.constant(const), ATOM
        if type(value) is tuple:
            items = [self.text(Const(v)) for v in value]
            return f"({self._items(items)})", ATOM
        if type(value) is slice:
            bounds = (
                self.text(Const(v)) for v in (value.start, value.stop, value.step)
            )
            return f"{self.world.builtin('slice')}({', '.join(bounds)})", ATOM
        text = self.world.literal(value)
        return text, UNARY if text.startswith("-") else ATOM


@cache
def _level(text: str) -> int:
    """Return how tightly the spelling of a constant binds."""
    node = ast.parse(text.strip(), mode="eval").body
    if isinstance(node, ast.UnaryOp):
        return UNARY
    if isinstance(node, ast.BinOp):
        return GRAMMAR[type(node.op).__name__][1]
    return ATOM


def _escaped(character: str) -> str:
    if character == '"':
        return '\\"'
    plain = character.isprintable() and character != "\\"
    return character if plain else str(literal_text(character))[1:-1]


_BUILDERS: Final[dict[Callable[..., object], Callable[[Expressions, Apply], Piece]]] = {
    build_tuple: Expressions.build_tuple,
    handed: lambda self, op: self.piece(op.args[0]),
    build_list: Expressions.build_list,
    build_dict: Expressions.build_dict,
    build_slice: Expressions.build_slice,
    build_string: Expressions.build_string,
}
