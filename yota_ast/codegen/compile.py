r"""Text, namespace -> a function whose source tracebacks and debuggers can show.

>>> double = compile_text("def double(x):\n    return 2 * x\n", "double", {})
>>> double(4), double.__name__, str(inspect.signature(double))
(8, 'double', '(x)')
>>> print(inspect.getsource(double.fn), end="")
def double(x):
    return 2 * x
"""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import pickle
import sys
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from yota_ast import syntax
from yota_ast.codegen.generated_files import Text, registered
from yota_ast.codegen.printers.global_names import Global, is_loaded
from yota_ast.errors import SourceUnavailable
from yota_ast.support.kept_functions import Kept, note_copy, note_origins
from yota_ast.support.tracebacks import public
from yota_ast.support.whole_files import write
from yota_ast.syntax.names import GENERATED, is_dotted, is_plain, shown_name

if TYPE_CHECKING:
    from pathlib import Path

_POSITIONAL: Final = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)

Recipe = tuple[str, object, str]
"""How to find a value again: its kind, what it is or where it is, the path in there."""


class Looking(Protocol):
    """What looks at the arguments of a call, by their names, and at what it gives."""

    def __call__(self, title: str, given: Mapping[str, object], /) -> None:
        """Raise ValueError where the text is for others."""

    def given_back(
        self, title: str, given: Mapping[str, object], found: object, /
    ) -> object:
        """What the text has given, as it is given back."""


class GeneratedFunction(Kept):
    """A generated function together with its source.

    fn: the bare function, for tight loops. It does not check whether globals that it
    was made with have been rebound.
    source: the generated code. A comment at its head lists the names that it reads from
    your modules, and the values that no module names.
    viewer: returns a page ("page") or a part of one ("piece") that shows the function
    beside its gradient. It is None for a function that was made from its source alone.

    A pickle holds the source, and the import paths of the names that it uses.
    """

    viewer: Callable[[str], str] | None = None

    def __init__(
        self,
        fn: Callable[..., Any],
        source: str,
        namespace: Mapping[str, object],
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> None:
        self._args, self._kwargs = args, dict(kwargs or {})
        self._bare = fn
        bound = args or kwargs
        super().__init__(functools.partial(fn, *args, **self._kwargs) if bound else fn)
        self.source = source
        self.namespace = dict(namespace)
        self.copies: dict[str, Callable[..., object]] = {}
        """The helpers that functions of the text are copies of, by name."""
        self.reads: tuple[Global, ...] = ()
        """Where what the namespace holds is in the user's modules."""
        self.saver: Callable[[Path], None] | None = None
        """What writes it as a file of `emit`; without it, `save` writes the text."""
        self.text: Text | None = None
        """Where its text is found."""
        self.beside: list[GeneratedFunction] = []
        """What was made of it, and is dropped with it."""
        self.looks: Looking | None = None
        """What looks at the arguments, and raises ValueError where the text is for
        others."""
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__doc__ = fn.__doc__
        self.__module__ = fn.__module__
        self.__signature__ = inspect.signature(self.fn)
        slots = self.__signature__.parameters.values()
        self._named = [p.name for p in slots if p.kind in _POSITIONAL]
        self._rest = next((p.name for p in slots if p.kind is p.VAR_POSITIONAL), None)

    @public
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        if self.keeper is not None:
            self.keeper()
        if self.looks is None:
            return self.fn(*args, **kwargs)
        given = self._given(args, kwargs)
        self.looks(self.__name__, given)
        found = self.fn(*args, **kwargs)
        return self.looks.given_back(self.__name__, given, found)

    def _given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by the parameters."""
        given = dict(zip(self._named, args, strict=False))
        if len(args) > len(self._named) and self._rest is not None:
            given[self._rest] = args[len(self._named) :]
        return {**given, **kwargs}

    def __repr__(self) -> str:
        return f"<generated function {self.__name__}{self.__signature__}>"

    def __reduce__(self) -> tuple[Any, ...]:
        self.kept()
        recipes = {name: recipe_of(value) for name, value in self.namespace.items()}
        copies = {name: recipe_of(helper) for name, helper in self.copies.items()}
        for name, recipe in recipes.items():
            _check_pickles(self.__name__, name, recipe)
        parts = {
            "source": self.source, "name": self.__name__, "recipes": recipes,
            "args": self._args, "kwargs": self._kwargs, "copies": copies,
        }  # fmt: skip
        return eval, (_LOAD, {"text": _LOADER, "parts": parts})

    def bound(
        self, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> GeneratedFunction:
        """The function with arguments put in front: that of a method, of a partial."""
        if not args and not kwargs:
            return self
        made = GeneratedFunction(self._bare, self.source, self.namespace, args, kwargs)
        made.viewer, made.reads, made.keeper = self.viewer, self.reads, self.keeper
        made.looks, made.copies = self.looks, self.copies
        return made

    def rebind(self, name: str, value: object) -> None:
        """Let the text find another value under a name that it reads."""
        self.namespace[name] = self._bare.__globals__[name] = value

    def dropped(self) -> None:
        """Let go of the lines of the text: the cache that made it has dropped it."""
        if self.text is not None:
            self.text.drop()
            self.text = None
        for each in self.beside:
            each.dropped()

    def report(self, path: str | Path) -> Path:
        """Write a page that shows the function beside its gradient; return its path.

        Raises `SourceUnavailable` of a function that has been pickled.
        """
        if self.viewer is None:
            raise SourceUnavailable(
                f"{self.__name__} has been made from its source alone",
                remedy="Make the gradient again, with simplegrad, and report that.",
            )
        from pathlib import Path

        target = Path(path)
        write(target, self.viewer("page"))
        return target

    def _repr_html_(self) -> str | None:
        """What a notebook shows."""
        return None if self.viewer is None else self.viewer("piece")

    def saved_by(self, saver: Callable[[Path], None]) -> GeneratedFunction:
        """Let `save` write the file that `emit` writes."""
        self.saver = saver
        return self

    @public
    def save(self, path: str | Path) -> Path:
        """Write a module that defines the function; return its path.

        Raises `SourceUnavailable` if the generated code reads a value that neither an
        import nor a literal can give.
        """
        from pathlib import Path

        if self.saver is not None:
            self.saver(Path(path))
            return Path(path)
        lines = [_binding(name, value) for name, value in self.namespace.items()]
        tree = syntax.parse(self.source)
        imports = [s for s in tree.body if isinstance(s, _IMPORTS)]
        count = max((s.end_lineno for s in imports), default=0)
        own = self.source.splitlines(keepends=True)
        above = "".join(own[:count]) + "".join(f"{line}\n" for line in lines)
        body = "".join(own[count:]).lstrip("\n")
        target = Path(path)
        write(target, f"{above}\n\n{body}" if above else body)
        return target


_IMPORTS: Final = (syntax.nodes.Import, syntax.nodes.ImportFrom)


def compile_text(
    text: str,
    name: str,
    namespace: Mapping[str, object],
    copies: Mapping[str, Callable[..., object]] | None = None,
) -> GeneratedFunction:
    """Return the function `name` that `text` defines.

    The text's file is virtual, called after a hash of the text: equal texts are one
    file. `namespace` holds what the text reads and neither defines nor imports. copies:
    by its name in the text, the helper that a function of the text is a copy of.
    """
    found = registered(text, name)
    found.names.update(namespace)
    note_origins(found.names, ((key, "", key) for key in namespace))
    exec(compile(text, found.filename, "exec", dont_inherit=True), found.names)
    made = GeneratedFunction(found.names[name], text, namespace)
    made.text = found
    made.copies = dict(copies or {})
    for copy, helper in made.copies.items():
        note_copy(found.names[copy], helper)
    return made


def is_generated(filename: str) -> bool:
    """Return whether a file is one of generated code, which is no file."""
    return filename.startswith(GENERATED)


# ---------------------------------------------------------------- pickling


def recipe_of(value: object) -> Recipe:
    """How another process finds a value."""
    if isinstance(value, ModuleType) and is_loaded(value):
        return ("module", value.__name__, "")
    place = _importable(value)
    return ("import", *place) if place else ("value", value, "")


def _check_pickles(reader: str, name: str, recipe: Recipe) -> None:
    """Refuse a value of this process that cannot be carried to another."""
    kind, value, _ = recipe
    if kind != "value" or callable(value) or isinstance(value, np.ndarray):
        return
    try:
        pickle.dumps(value)
    except Exception as error:
        cls = shown_name(type(value).__name__)
        raise SourceUnavailable(
            f"{reader} reads `{name}`, of class {cls}, which cannot be pickled",
            remedy="Define it, and its class, at the top level of a module.",
        ) from error


def _importable(value: object) -> tuple[str, str] | None:
    """Return the module and path under which a function or class can be imported.

    A decorator's wrapper that keeps the function as `__wrapped__` is looked through.
    """
    if not isinstance(value, (FunctionType, type)):
        return None
    module, path = value.__module__, value.__qualname__
    if not is_dotted(module):
        return None
    found: object = sys.modules.get(module)
    for step in path.split("."):
        found = getattr(found, step, None)
    if found is value:
        return module, path
    if getattr(found, "__wrapped__", None) is value:
        return module, f"{path}.__wrapped__"
    return None


_LOAD: Final = "[scope := {}, exec(text, scope), scope['load'](**parts)][-1]"
_LOADER: Final = """\
def load(source, name, recipes, args, kwargs, copies):
    import functools
    import importlib
    import operator

    try:
        from yota_ast.codegen.compile import restored
    except ImportError:
        pass
    else:
        return restored(source, name, recipes, args, kwargs, copies)
    scope = {}
    for key, (kind, what, path) in recipes.items():
        if kind != "value":
            what = importlib.import_module(what)
        scope[key] = operator.attrgetter(path)(what) if path else what
    exec(compile(source, "<" + name + ">", "exec"), scope)
    return functools.partial(scope[name], *args, **kwargs)
"""
"""What a pickle holds of a function: Python alone. A worker without this package loads
it as a plain function."""


def restored(
    source: str,
    name: str,
    recipes: Mapping[str, Recipe],
    args: tuple[object, ...] = (),
    kwargs: Mapping[str, object] | None = None,
    copies: Mapping[str, Recipe] | None = None,
) -> GeneratedFunction:
    """Make a function of what its pickle holds."""
    namespace = {key: find_value(recipe) for key, recipe in recipes.items()}
    helpers: dict[str, Any] = {
        k: find_value(recipe) for k, recipe in (copies or {}).items()
    }
    return compile_text(source, name, namespace, helpers).bound(args, kwargs or {})


def find_value(recipe: Recipe) -> object:
    """Find a value by its recipe."""
    kind, what, path = recipe
    if kind == "value":
        return what
    module = importlib.import_module(str(what))
    return operator.attrgetter(path)(module) if path else module


# ---------------------------------------------------------------- files


def _binding(name: str, value: object) -> str:
    """Return the line that binds a name in a saved module."""
    if isinstance(value, ModuleType) and is_loaded(value):
        return f"import {value.__name__} as {name}"
    place = _importable(value)
    if place is not None and is_plain(place[1]):
        module, path = place
        alias = "" if path == name else f" as {name}"
        return f"from {module} import {path}{alias}"
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return f"{name} = {syntax.print_expr(syntax.literal(value))}"
    raise SourceUnavailable(
        f"{name} is neither a literal nor importable, so a file cannot refer to it",
        remedy="Define it at the top level of a module.",
    )
