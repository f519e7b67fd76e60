r"""The text of a file -> its definitions and its code objects, each text read once.

Of a long file only that part is read in which a function stands: to parse the tables
of a module takes longer than to differentiate a formula of it.

>>> file = read("demo.py", "square = lambda x: x * x\n", 0)
>>> [(d.name, d.owner) for d in file.definitions["<lambda>", 1]]
[('<lambda>', None)]
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import CodeType

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.syntax.node_fields import set_fields

Key = tuple[str, int]
"""A definition's name and the first line of its code, decorators included."""
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_LAMBDA = "<lambda>"
_DEFINES = ("def ", "class ", "async def ")
_STARTS = ("@", *_DEFINES)


@dataclass(frozen=True, slots=True)
class Definition:
    """A function in a file; `owner` is the class in whose text it stands."""

    node: FunctionNode
    owner: str | None

    @property
    def name(self) -> str:
        """What its code object is called."""
        return _LAMBDA if isinstance(self.node, ast.Lambda) else self.node.name

    @property
    def key(self) -> Key:
        """How it is found."""
        if isinstance(self.node, ast.Lambda):
            return self.name, self.node.lineno
        decorators = (decorator.lineno for decorator in self.node.decorator_list)
        return self.name, min((*decorators, self.node.lineno))


@dataclass(frozen=True, slots=True)
class File:
    """A parsed and compiled file."""

    definitions: Mapping[Key, tuple[Definition, ...]]
    codes: Mapping[Key, tuple[CodeType, ...]]


def part_of(lines: Sequence[str], lineno: int, *, imports: bool = False) -> str:
    r"""Return the definition at the left margin in which a line stands, and what comes
    behind it, with empty lines for what is before it.

    It may be no text that Python reads: a line of a string may look like a definition.

    imports: whether the imports of a line each stay, for Python compiles the call of a
    function of what is imported, `np.exp(x)`, to other instructions.

    >>> part_of(
    ...     ["import a\n", "@a.f\n", "def g():\n", " return 1\n", "class H: 0\n"], 4
    ... )
    '\n@a.f\ndef g():\n return 1\n'
    """
    first = _start_before(lines, lineno)
    while first and lines[above := _start_before(lines, first)].startswith("@"):
        first = above
    last, decorated = first, True
    while last < len(lines) and (last < lineno or decorated):
        decorated = decorated and not lines[last].startswith(_DEFINES)
        last += 1
    while last < len(lines) and not lines[last].startswith(_STARTS):
        last += 1
    before = "".join(map(_import_alone, lines[:first])) if imports else "\n" * first
    return before + "".join(lines[first:last])


def _start_before(lines: Sequence[str], end: int) -> int:
    """Return the place of the last line before `end` that begins a definition."""
    while end and not lines[end - 1].startswith(_STARTS):
        end -= 1
    return max(end - 1, 0)


def _import_alone(line: str) -> str:
    """Return a line that imports something, and an empty one for any other."""
    whole = line.startswith(("import ", "from ")) and not line.rstrip().endswith(
        ("(", "\\")
    )
    return line if whole else "\n"


@lru_cache(maxsize=512)
def read(filename: str, text: str, flags: int) -> File:
    """Parse and compile a file's text; `flags` are those of `compile`.

    Raises:
        SyntaxError: the text is not Python.

    """
    try:
        return _read(filename, text, flags)
    except SyntaxError:
        # A notebook's cell may await outside of functions.
        return _read(filename, text, flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def _read(filename: str, text: str, flags: int) -> File:
    parsing = flags | ast.PyCF_ONLY_AST
    tree = compile(text, filename, "exec", parsing, dont_inherit=True)
    code = compile(tree, filename, "exec", flags, dont_inherit=True)
    definitions: dict[Key, tuple[Definition, ...]] = {}
    # Without a lambda, expressions define nothing: they are most of a large module.
    aside: tuple[type[ast.AST], ...] = () if "lambda" in text else (ast.expr,)
    for definition in _definitions(tree, None, aside):
        before = definitions.get(definition.key, ())
        definitions[definition.key] = (*before, definition)
    return File(definitions, _by_key([code]))


@lru_cache(maxsize=128)
def apart(filename: str, text: str, flags: int) -> Mapping[Key, tuple[CodeType, ...]]:
    """The code objects of a text whose statements are compiled one by one, as prompts
    and notebooks do: a function that calls `np.exp` has other instructions where the
    compiler sees that `np` is imported above."""
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(text, filename, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    modules = (ast.Module([stmt], []) for stmt in tree.body)
    compiled = (compile(m, filename, "exec", flags, dont_inherit=True) for m in modules)
    return _by_key(compiled)


@lru_cache(maxsize=128)
def inside(filename: str, text: str, flags: int) -> Mapping[Key, tuple[CodeType, ...]]:
    """The code objects of a text whose statements stand in a function, where `%%timeit`
    puts them: the names that they bind are no globals. None where a function cannot
    hold them, as `from math import *`."""
    tree = compile(text, filename, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    function = ast.parse("def inner(): 0").body[0]
    assert isinstance(function, ast.FunctionDef)
    set_fields(function, body=tree.body or function.body)
    module = ast.Module([function], [])
    try:
        return _by_key([compile(module, filename, "exec", flags, dont_inherit=True)])
    except SyntaxError:
        return {}


def _by_key(modules: Iterable[CodeType]) -> Mapping[Key, tuple[CodeType, ...]]:
    codes: dict[Key, tuple[CodeType, ...]] = {}
    for inner in (code for module in modules for code in codes_in(module)):
        key = inner.co_name, inner.co_firstlineno
        codes[key] = (*codes.get(key, ()), inner)
    return codes


def _definitions(
    node: ast.AST, owner: str | None, aside: tuple[type[ast.AST], ...]
) -> Iterator[Definition]:
    """Yield the functions in `node`, which stands in the text of class `owner`.

    aside: nodes that hold none.
    """
    pending: list[tuple[ast.AST, str | None]] = [(node, owner)]
    while pending:
        node, owner = pending.pop()
        if isinstance(node, aside):
            continue
        if isinstance(node, FunctionNode):
            yield Definition(node, owner)
        if isinstance(node, ast.ClassDef):
            # Decorators and bases stand outside of the class.
            outside = (*node.decorator_list, *node.bases, *node.keywords)
            pending += [(child, owner) for child in outside]
            pending += [(child, node.name) for child in node.body]
        else:
            pending += [(child, owner) for child in ast.iter_child_nodes(node)]


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those of what is defined within it."""
    pending = [code]
    while pending:
        code = pending.pop()
        yield code
        pending += [c for c in code.co_consts if isinstance(c, CodeType)]
