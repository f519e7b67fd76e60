import ast
import collections
import dataclasses
import functools
import importlib
import importlib.util
import linecache
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from tests.frontend import located
from yota_ast import syntax
from yota_ast.errors import SourceUnavailable
from yota_ast.frontend.source import definitions, source_files
from yota_ast.frontend.source.definitions import locate


def text_of(fn):
    tree = locate(fn).tree
    body = tree.body if isinstance(tree.body, list) else None
    return syntax.print_expr(tree) if body is None else syntax.print_stmts(body[-1:])


@pytest.mark.parametrize(
    ("fn", "text", "qualname", "owner"),
    [
        (located.plain, "return x * 2\n", "plain", None),
        (located.wrapped, "return fn(*args)\n", "wrapper.<locals>.inside", None),
        (located.wrapped.__wrapped__, "return x + 1\n", "wrapped", None),
        (located.decorated, "return x - 1\n", "decorated", None),
        (located.outer(2), "return a * x\n", "outer.<locals>.inner", None),
        (located.Layer.forward, "return self.__w * x\n", "Layer.forward", "Layer"),
        (located.Layer(2).forward, "return self.__w * x\n", "Layer.forward", "Layer"),
        (located.Layer.twice, "return 2 * x\n", "Layer.twice", "Layer"),
        (vars(located.Layer)["twice"], "return 2 * x\n", "Layer.twice", "Layer"),
        (located.Layer.make, "return cls(w)\n", "Layer.make", "Layer"),
        (
            located.Layer.w.fget,
            "return (lambda: self.__w)()\n",
            "Layer.w",
            "Layer",
        ),
        (
            located.Layer.square,
            "lambda self, x: x * x",
            "Layer.<lambda>",
            "Layer",
        ),
        (located.one, "lambda x: x + 1", "<lambda>", None),
        (located.two, "lambda x: x + 2", "<lambda>", None),
        (located.same, "lambda x: x", "<lambda>", None),
        (located.again, "lambda x: x", "<lambda>", None),
        (located.nest, "lambda x: lambda y: x + y", "<lambda>", None),
        (located.nest(1), "lambda y: x + y", "<lambda>.<locals>.<lambda>", None),
        (located.long, "lambda x: x + 1", "<lambda>", None),
        (located.constant, "lambda: 1", "<lambda>", None),
        (
            located.default,
            "lambda x, f=lambda: 2: x if x else f()",
            "<lambda>",
            None,
        ),
        (located.default.__defaults__[0], "lambda: 2", "<lambda>", None),
        (located.plain_twice, "return 3\n", "plain_twice", None),
    ],
)
def test_located(fn, text, qualname, owner):
    source = locate(fn)
    assert text_of(fn) == text
    assert source.qualname == qualname
    assert source.owner == owner
    assert source.filename == located.__file__


def test_two_equal_lambdas_on_a_line_are_told_apart():
    assert locate(located.same).tree.col_offset < locate(located.again).tree.col_offset


def test_lambdas_of_nested_bodies():
    for fn in (located.loops, located.unicode_):
        assert locate(fn).qualname == fn.__qualname__


def test_location_counts_characters():
    source = locate(located.unicode_)
    call = source.tree.body[0].value.right
    at = source.location(call, ("a.py:3 in g",))
    assert at.text == '    return "é" + missing(ß)'
    assert (at.column, at.span) == (18, len("missing(ß)"))
    assert at.chain == ("a.py:3 in g",)
    whole = source.location(source.tree)
    assert whole.text == "def unicode_(ß):"
    assert whole.span == len(whole.text)


def test_private_names_are_mangled():
    source = locate(located.Layer.forward)
    names = [source.mangled(n) for n in ("__w", "__w__", "_w", "w")]
    assert names == ["_Layer__w", "__w__", "_w", "w"]
    assert locate(located.plain).mangled("__w") == "__w"


def test_asserts_that_pytest_rewrote():
    def checked(x, y=2):
        assert x > y, "greater"
        return [v * 3 for v in x]

    def unchecked(x):
        return x * 4

    assert text_of(checked) == "return [v * 3 for v in x]\n"
    assert text_of(unchecked) == "return x * 4\n"


def module_from(path, name="edited"):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_edited_file(tmp_path):
    path = tmp_path / "edited.py"
    path.write_text("def f(x):\n    return x * 2\n")
    fn = module_from(path).f
    for text in (
        "def f(x):\n    return x * 3\n",
        "def f(x):\n    return x * 2.0\n",
        "def g(x):\n    return x * 2\n",
        "\ndef f(x):\n    return x * 2\n",
        "def f(x:\n",
    ):
        first = text.split("\n")[0]
        excerpt = f"    {first}\n    {'^' * len(first)}\n" if first else ""
        path.write_text(text)
        linecache.checkcache(str(path))
        with pytest.raises(SourceUnavailable) as caught:
            locate(fn)
        assert caught.value.diagnostic == (
            f"{path}:1:1: SourceUnavailable: `f` differs from the source in its file: "
            f"the file changed since it was imported\n{excerpt}"
            "Import it again: restart Python, or use `importlib.reload`."
        )
        assert (caught.value.lineno, caught.value.col_offset) == (1, 0)


def test_reloaded_file_is_read_anew(tmp_path):
    path = tmp_path / "edited.py"
    path.write_text("def f(x):\n    return x * 2\n")
    assert text_of(module_from(path).f) == "return x * 2\n"
    path.write_text("# moved\ndef f(x):\n    return x * 33\n")
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        assert text_of(module_from(path).f) == "return x * 33\n"
    finally:
        sys.dont_write_bytecode = before


def test_removed_file(tmp_path):
    path = tmp_path / "gone.py"
    path.write_text("def f(x):\n    return x * 2\n")
    fn = module_from(path, "gone").f
    path.unlink()
    assert refusal(fn) == (
        f"SourceUnavailable: `f` was defined in {path}, which cannot be read\n"
        "Run where its source file is installed and readable."
    )


def refusal(fn):
    with pytest.raises(SourceUnavailable) as caught:
        locate(fn)
    return caught.value.diagnostic


@dataclasses.dataclass
class Point:
    x: float


Pair = collections.namedtuple("Pair", "x y")  # noqa: PYI024


RULE = "State its derivative with `diffrule`."


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (
            len,
            f"`len` is implemented in C\n{RULE}",
        ),
        (np.exp, f"`exp` is a NumPy ufunc, implemented in C\n{RULE}"),
        (
            Point.__init__,
            (
                "`Point.__init__` was generated by `dataclasses`, which keeps no "
                "source\nWrite the method out in the class."
            ),
        ),
        (
            Pair.__new__,
            (
                "`__new__` was generated by `namedtuple`, which keeps no source\n"
                "Write a function that builds the tuple."
            ),
        ),
        (Point, "`Point` is a class, not a function\nName one of its methods."),
        (
            3,
            (
                "an object of class `int` cannot be called\n"
                "Give a function, or an object that can be called."
            ),
        ),
        (
            functools.lru_cache(located.plain),
            (
                "`plain` is a _lru_cache_wrapper that wraps a Python function\n"
                "Use the function itself: `plain.__wrapped__`."
            ),
        ),
        (
            eval("lambda x: x"),
            (
                "`<lambda>` was made by `exec` or `eval`, and its source was not kept\n"
                "Make it by `ya.from_source(text, namespace)`, which keeps the "
                "source,\n"
                'or record a call by `ya.trace(f, *args, tracer="values")`.'
            ),
        ),
    ],
)
def test_refused(fn, message):
    if fn is Pair.__new__:
        message = message.replace("`__new__`", f"`{fn.__qualname__}`")
    assert refusal(fn) == f"SourceUnavailable: {message}"


PROMPT = """
from yota_ast.frontend.source.definitions import locate
def f(x):
    return x * 2

try:
    print(locate(f).qualname)
except Exception as error:
    print(error)

"""


def test_prompt():
    command = [sys.executable, "-i", "-q"]
    run = subprocess.run(
        command, input=PROMPT, capture_output=True, text=True, check=True
    )
    if sys.version_info < (3, 13):
        assert run.stdout.strip() == (
            "`f` was typed at the prompt, which kept no source\n"
            "Put the function into a file and import it, or use "
            "IPython."
        )
    else:
        assert "f" in run.stdout


def test_command_line_text():
    text = (
        "from yota_ast.frontend.source.definitions import locate\n"
        "def f(x): return x\n"
        "def g(x): return eval('lambda x: x + 7')\n"
        "for fn in (f, g(1)):\n"
        "    try: print(locate(fn).qualname)\n"
        "    except Exception as e: print(e.reason)\n"
    )
    command = [sys.executable, "-c", text]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    first, second = run.stdout.splitlines()
    assert first == "f" or "its source was not kept" in first
    assert "its source was not kept" in second


def test_cell_of_a_notebook():
    text = "import asyncio\nawait asyncio.sleep(0)\ndef cell(x):\n    return x * 5\n"
    name = "<ipython-input-1-0123456789ab>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {"__name__": "__main__"}
    part = text.split("\n", 2)[2]
    exec(compile("\n\n" + part, name, "exec"), namespace)
    assert text_of(namespace["cell"]) == "return x * 5\n"
    del linecache.cache[name]


TOP = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def test_cell_that_imports_what_its_function_calls(monkeypatch):
    # A notebook compiles the statements of a cell one by one.
    text = "import math\nawait g()\n\ndef f(x):\n    return math.exp(x) * math.sin(x)\n"
    name = "<cell 7>"
    monkeypatch.setitem(
        linecache.cache, name, (len(text), None, text.splitlines(keepends=True), name)
    )
    space = {}
    tree = compile(text, name, "exec", ast.PyCF_ONLY_AST | TOP, dont_inherit=True)
    for stmt in tree.body[::2]:
        exec(compile(ast.Module([stmt], []), name, "exec", dont_inherit=True), space)
    assert locate(space["f"]).lineno == 4
    whole = {}
    text = text.replace("await g()", "")
    exec(compile(text, name, "exec", dont_inherit=True), whole)
    assert locate(whole["f"]).lineno == 4


def test_zip_file(tmp_path, monkeypatch):
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("zipped_model.py", "def f(x):\n    return x * 6\n")
    monkeypatch.syspath_prepend(archive)
    module = importlib.import_module("zipped_model")
    assert text_of(module.f) == "return x * 6\n"


def test_no_columns():
    program = (
        "from tests.frontend import located\n"
        "from yota_ast.frontend.source.definitions import locate\n"
        "print(locate(located.plain).qualname, locate(located.long).lineno)\n"
        "print(locate(located.one).tree.col_offset, end=' ')\n"
        "print(locate(located.two).tree.col_offset, end=' ')\n"
        "print(locate(located.nest).tree.col_offset)\n"
        "try: locate(located.nest(1))\n"
        "except Exception as error: print(error.diagnostic)\n"
    )
    command = [sys.executable, "-X", "no_debug_ranges", "-B", "-c", program]
    cache = {"PYTHONPYCACHEPREFIX": "/nonexistent", "PYTHONPATH": "."}
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=cache)
    columns = [
        locate(fn).tree.col_offset for fn in (located.one, located.two, located.nest)
    ]
    line = locate(located.nest).lineno
    assert run.stdout == (
        f"plain {locate(located.long).lineno}\n"
        f"{' '.join(map(str, columns))}\n"
        f"{located.__file__}:{line}:1: SourceUnavailable: this line has several "
        "lambdas, and Python keeps no columns (`-X no_debug_ranges` or "
        "PYTHONNODEBUGRANGES)\n    nest = lambda x: lambda y: x + y\n"
        f"    {'^' * 32}\nPut each lambda on a line of its own.\n"
    )


def test_of_a_large_file_parts_are_parsed(tmp_path):
    path = tmp_path / "large.py"
    lines = [f"def f{i}(x):\n    return x * {i}\n\n\nA{i} = {i}\n" for i in range(2500)]
    path.write_text("".join(lines))
    module = module_from(path, "large")
    before = source_files.read.cache_info().misses
    for i in range(0, 250, 25):
        assert locate(getattr(module, f"f{i}")).lineno == 5 * i + 1
        part = source_files.part_of(read_lines(path), 5 * i + 1)
        assert list(source_files.read(str(path), part, 0).definitions) == [
            (f"f{i}", 5 * i + 1)
        ]
    assert source_files.read.cache_info().misses == before + 10


def read_lines(path):
    return path.read_text().splitlines(keepends=True)


PARTS = '''
import numpy as np
TABLE = [
[1.0, 2.0],
]


def plain(x):
    """A title

that begins at the margin,
def of_no_function(x): it only looks so
    """
    return np.sin(x) * 2


@np.errstate(
    all="ignore"
)
@(lambda f: f)
def decorated(x):
    return np.exp(x)


square = lambda x: x * x
if TABLE:
    def within(x):
        return x * 3
else:
    def within(x):
        return x * 4


class Model:
    """A title

class of nothing
    """

    w = 2.0

    def value(self, x):
        def inner(y):
            return np.cos(y) * self.__slope
        return inner(x)

    @property
    def __slope(self):
        return self.w


async def later(x):
    return x

last = [lambda x: x + 1, lambda x: x + 2]
'''


def test_functions_that_parts_do_not_hold_alone(tmp_path):
    path = tmp_path / "parts.py"
    path.write_text(PARTS)
    module = module_from(path, "parts")
    found = {
        module.plain: "return np.sin(x) * 2\n",
        module.square: "lambda x: x * x",
        module.within: "return x * 3\n",
        module.Model.value: "return inner(x)\n",
        module.Model.__dict__["_Model__slope"].fget: "return self.w\n",
        module.last[0]: "lambda x: x + 1",
        module.last[1]: "lambda x: x + 2",
    }
    for fn, text in found.items():
        assert text_of(fn) == text
        assert locate(fn).lineno >= fn.__code__.co_firstlineno
    assert locate(module.Model.value).owner == "Model"
    inside = next(c for c in module.decorated.__closure__ if callable(c.cell_contents))
    assert text_of(inside.cell_contents) == "return np.exp(x)\n"


def test_imports_stay_where_functions_of_what_is_imported_are_called(tmp_path):
    path = tmp_path / "calling.py"
    path.write_text(
        "import numpy as np\nTABLE = [1.0]\n\n\ndef f(x):\n    return np.sin(x)\n"
    )
    module = module_from(path, "calling")
    part = source_files.part_of(read_lines(path), 5, imports=True)
    assert part.startswith("import numpy as np\n\n\n\ndef f(x):")
    assert definitions._find_in(module.f, part).name == "f"
    assert locate(module.f).lineno == 5


def test_a_part_that_is_another_text_is_not_taken(tmp_path):
    path = tmp_path / "changed.py"
    path.write_text(PARTS)
    module = module_from(path, "changed")
    path.write_text(PARTS.replace("return x * 3", "return x * 5"))
    linecache.checkcache(str(path))
    assert text_of(module.plain) == "return np.sin(x) * 2\n"
    with pytest.raises(SourceUnavailable):
        locate(module.within)


def test_every_function_of_a_package():
    for module in (collections, dataclasses, functools, linecache):
        names = [n for n, f in vars(module).items() if type(f) is type(module_from)]
        found = [n for n in names if getattr(module, n).__module__ == module.__name__]
        assert found
        for name in found:
            fn = getattr(module, name)
            assert locate(fn).tree.name == fn.__code__.co_name
