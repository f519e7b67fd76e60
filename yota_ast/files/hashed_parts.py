r"""A gradient -> what its text was made of, and the hash of each part and of all.

Functions by our own print of their trees, without docstrings and annotations, so that
no comment, no formatting, no moved line and no version of Python changes a hash; rules
by what they state; constants by their values, but those that the text reads live, from
their modules, by their types.

>>> text = "def f(x: int):\n    'Doc.'\n    return  x+1  # more\n"
>>> print(canonical(syntax.parse(text).body[0]), end="")
def f(x):
    return x + 1
"""

from __future__ import annotations

import copy
import inspect
import sys
import textwrap
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.codegen.compile import is_generated
from yota_ast.codegen.printers.global_names import is_number_of_numpy
from yota_ast.errors import YotaError
from yota_ast.files.file_source import Made
from yota_ast.frontend.source.definitions import locate
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.nodes import Apply, Block, walk
from yota_ast.rules.notation.display_names import display_name
from yota_ast.rules.notation.rule import BOOK
from yota_ast.rules.notation.rule_records import Rule
from yota_ast.support.digests import digest
from yota_ast.support.file_owners import is_ours, is_standard, is_users
from yota_ast.support.kept_functions import helper_of_text
from yota_ast.syntax.names import plain_lines
from yota_ast.syntax.value_literals import literal_text, shown_text

SHORT: Final = 6
"""How many digits of a part's hash a file keeps."""
_DEFINITIONS: Final = (syntax.nodes.FunctionDef, syntax.nodes.AsyncFunctionDef)
_NESTED: Final = "nested:"
"""Before the names of gradients that were made inside of what is differentiated."""
_CODE: Final = types.FunctionType
_QUOTES: Final = str.maketrans(dict.fromkeys("\"'\\", "_"))
_DATA: Final = (bool, int, float, complex, str, bytes, type(None))


@dataclass(frozen=True, slots=True)
class Part:
    """A function, a rule or a constant: its kind, its name, the text that is hashed.

    value: of a constant that is read live, of which the text is the type alone.
    owner: the library that it is from, "" where it is the user's.
    """

    kind: str  # "function", "rule", "constant", "live"
    given: str
    text: str
    value: str = ""
    owner: str = ""

    @property
    def name(self) -> str:
        """The name as a comment holds it."""
        text = plain_lines(shown_text(self.given)).replace("\n", "?")
        return text.translate(_QUOTES) if self.kind in ("function", "rule") else text

    @property
    def short(self) -> str:
        """The beginning of the hash of the text, of a live constant of its value."""
        return sha256(self.value or self.text)[:SHORT]


def sha256(text: str) -> str:
    """The hash of a text, line endings aside."""
    return digest(text.replace("\r\n", "\n"))


def source_hash(parts: Iterable[Part]) -> str:
    """The hash of all parts."""
    rows = [f"{p.kind} {p.name}\n{p.text}\n" for p in parts]
    return sha256("\n".join(rows))


def parts_of(made: Made, live: frozenset[str]) -> tuple[Part, ...]:
    """What the text of a gradient was made of: itself first, the others by name.

    live: the paths of what the text reads at each call.
    """
    first = _function(made.fn)
    used = (_function(fn) for fn in _inlined(made))
    others = _by_name(p for p in used if p is not None)
    own = [first] if first is not None else []
    functions = [p for _, p in sorted(others.items()) if p not in own]
    return (*own, *functions, *_rules(made), *_constants(made, live))


# ---------------------------------------------------------------- functions


def _inlined(made: Made) -> list[object]:
    """The functions whose statements the text has: of one with a rule, as `np.eye`,
    the rule alone counts."""
    used = (fn for fn in made.tape.used if helper_of_text(fn) is None)
    return [fn for fn in used if not (callable(fn) and BOOK.rules_of(fn))]


def _by_name(parts: Iterable[Part]) -> dict[str, Part]:
    """Parts by their names; gradients of one name, made inside, are one part."""
    texts: dict[str, dict[str, Part]] = {}
    for part in parts:
        texts.setdefault(part.name, {})[part.text] = part
    found = {name: [*same.values()] for name, same in texts.items()}
    return {
        name: replace(same[-1], text="".join(p.text for p in same))
        if name.startswith(_NESTED)
        else same[-1]
        for name, same in found.items()
    }


def _function(fn: object) -> Part | None:
    if not isinstance(fn, (types.FunctionType, type)):
        return None
    tree = _tree(fn)
    if tree is None:
        return None
    if isinstance(fn, types.FunctionType) and is_generated(fn.__code__.co_filename):
        return Part("function", f"{_NESTED}{fn.__qualname__}", canonical(tree))
    name = f"{fn.__module__}:{fn.__qualname__}"
    return Part("function", name, canonical(tree), owner=owner_of(fn.__module__))


def owner_of(module: str) -> str:
    """The library that a module belongs to; "" where it is the user's.

    >>> (
    ...     owner_of("yota_ast.api.grad"),
    ...     owner_of("numpy.linalg"),
    ...     owner_of("ast"),
    ...     owner_of(""),
    ... )
    ('yota-ast', 'numpy', 'Python', '')
    """
    file = str(getattr(sys.modules.get(module), "__file__", None) or "")
    if is_ours(file):
        return "yota-ast"
    if is_standard(file):
        return "Python"
    return "" if is_users(file) else module.partition(".")[0]


def _tree(thing: types.FunctionType | type) -> Any:
    try:
        if isinstance(thing, types.FunctionType):
            return locate(thing).tree
        text = textwrap.dedent(inspect.getsource(thing))
        return _fields(syntax.parse(text).body[0])
    except (OSError, TypeError, SyntaxError, YotaError):
        return None


def _fields(tree: Any) -> Any:
    """A class without its methods: those that are called are parts themselves."""
    tree.body = [s for s in tree.body if not isinstance(s, _DEFINITIONS)]
    return tree


def canonical(tree: Any) -> str:
    """Our print of a tree, without docstrings and annotations."""
    tree = copy.deepcopy(tree)
    for node in syntax.nodes.walk(tree):
        if isinstance(node, _DEFINITIONS):
            node.returns = None
        if isinstance(node, syntax.nodes.Name):
            node.annotation = None
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = _plain(body, isinstance(node, syntax.nodes.ClassDef))
    return syntax.print_stmts([tree])


def _plain(body: list[Any], fields: bool) -> list[Any]:
    first = body[0] if body else None
    if isinstance(first, syntax.nodes.Expr) and isinstance(
        first.value, syntax.nodes.Constant
    ):
        if isinstance(first.value.value, str):
            body = body[1:]
    if fields:  # of a class the annotations make the fields
        return body
    return [part for stmt in body for part in _unannotated(stmt)]


def _unannotated(stmt: Any) -> list[Any]:
    if not isinstance(stmt, syntax.nodes.AnnAssign):
        return [stmt]
    if stmt.value is None:
        return []
    return syntax.quote("d = e", d=stmt.target, e=stmt.value)


# ---------------------------------------------------------------- rules


def _rules(made: Made) -> Iterator[Part]:
    called: dict[str, dict[str, Rule]] = {}
    blocks = (made.tape.block, *(f.block for f in made.tape.functions))
    for op in walk(Block(tuple(op for block in blocks for op in block))):
        if isinstance(op, Apply):
            for rule in BOOK.rules_of(op.fn):
                called.setdefault(_name_of(op.fn), {})[rule_text(rule)] = rule
    for name, texts in sorted(called.items()):
        places = (rule.location for rule in texts.values())
        ours = all(place is not None and is_ours(place.filename) for place in places)
        owner = "yota-ast" if ours else ""
        yield Part("rule", name, "\n".join(texts), owner=owner)


def _name_of(fn: Callable[..., object]) -> str:
    """How users call a function; an operator by its name: `add`."""
    name = display_name(fn)
    module = str(getattr(fn, "__module__", "") or "")
    own = "." not in name and module not in ("", "builtins", "__main__")
    return f"{module}.{name}" if own else name


def rule_text(rule: Rule) -> str:
    """What a rule states, as text."""
    parameters = ", ".join(
        f"{p.kind.name.lower()} {p.name}" for p in rule.signature.parameters.values()
    )
    types_ = {n: [t.__qualname__ for t in ts] for n, ts in sorted(rule.types.items())}
    stated = [f"{s.target} = {s.text}" for s in (rule.primal, *rule.statements)]
    traits = (
        sorted(rule.zero), sorted(rule.linear), sorted(rule.sequences),
        rule.elementwise, _said(rule.alias), rule.complex, rule.effect,
    )  # fmt: skip
    return "\n".join([parameters, repr(types_), *stated, repr(traits)])


def _said(stated: object) -> object:
    """A property as a rule states it; of a function of the call, its name."""
    return getattr(stated, "__name__", stated)


# ---------------------------------------------------------------- constants


def _constants(made: Made, live: frozenset[str]) -> Iterator[Part]:
    for module, path, value in sorted(made.tape.read, key=lambda c: c[:2]):
        name, text = f"{module}.{path}".lstrip("."), _constant_text(value)
        if text is None:
            continue
        if name in live:
            yield Part("live", name, str(fact_of(value, "")), text)
        else:
            yield Part("constant", name, text)
    for fn in (made.fn, *_inlined(made)):
        given = getattr(fn, "__defaults__", None) if isinstance(fn, _CODE) else None
        if given and _are_computed(fn):
            name = f"{fn.__module__}.{getattr(fn, '__qualname__', '')}.<defaults>"
            yield Part("constant", name, repr([_constant_text(v) for v in given]))


def _are_computed(fn: object) -> bool:
    """Whether defaults are no literals, which the text of the function tells."""
    tree = _tree(fn) if isinstance(fn, _CODE) else None
    args = getattr(tree, "args", None)
    defaults = (*args.defaults, *args.kw_defaults) if args is not None else ()
    return any(not isinstance(d, syntax.nodes.Constant) for d in defaults)


def _constant_text(value: Any) -> str | None:
    """The text of a value that may be folded into a gradient; None of what is code."""
    if type(value) is int:
        return literal_text(value) or hex(value)
    if type(value) in _DATA or is_number_of_numpy(value):
        return repr(value)
    if isinstance(value, slice):
        ends = [_constant_text(v) for v in (value.start, value.stop, value.step)]
        return f"slice({', '.join(map(str, ends))})"
    if isinstance(value, np.ndarray) and value.dtype.kind not in "OV":
        return f"{value.dtype} {value.shape} {sha256(repr(value.tolist()))}"
    if isinstance(value, (tuple, list, frozenset, set)):
        items = [_constant_text(v) for v in value]
        if isinstance(value, (set, frozenset)):
            items.sort(key=str)
        return f"{type(value).__name__} {items}"
    if isinstance(value, dict):
        rows = [(_constant_text(k), _constant_text(v)) for k, v in value.items()]
        return f"{type(value).__name__} {rows}"
    return None
