"""The Python code of the documentation runs, and prints what it says.

Blocks of a page share one namespace. A block with ``>>>`` is a doctest; one below a
comment ``<!-- expression -->`` is the value of that; any other is
run as a Python file that is blank where the page speaks otherwise, so that the source
of its functions can be found and tracebacks show the line of the page.
"""

import doctest
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = [REPOSITORY / "README.md", *sorted(REPOSITORY.glob("docs/**/*.md"))]
FENCE = re.compile(
    r"^(?:<!-- (?P<shows>.*?) -->\n)?```python\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Block:
    """The code between two fences, and how many lines of the page stand above it.

    shows: the expression, in a comment above the fence, of which it is the value.
    """

    code: str
    above: int
    shows: str | None = None

    @property
    def is_doctest(self) -> bool:
        return ">>>" in self.code


def blocks(page: str) -> list[Block]:
    return [
        Block(found["code"], page.count("\n", 0, found.start("code")), found["shows"])
        for found in FENCE.finditer(page)
    ]


def run_page(page: str, module: ModuleType, path: Path) -> None:
    """Run the blocks of `page` in `module`, as files beside `path`."""
    module.__file__ = str(path)
    for block in blocks(page):
        if block.shows:
            assert eval(block.shows, vars(module)) == block.code
        elif block.is_doctest:
            run_doctest(block, module)
        else:
            # A file of its own: what a compiler makes of a function depends on the
            # imports in the same file.
            text = "\n" * block.above + block.code
            own = path.with_name(f"{path.stem}_{block.above}.py")
            own.write_text(text, encoding="utf-8")
            exec(compile(text, str(own), "exec"), vars(module))


def run_doctest(block: Block, module: ModuleType) -> None:
    name, path = module.__name__, module.__file__
    test = doctest.DocTestParser().get_doctest(
        block.code, vars(module), name, path, block.above
    )
    test.globs = vars(module)  # not a copy: later blocks see what this one defines
    report: list[str] = []
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(verbose=False, optionflags=options)
    runner.run(test, out=report.append, clear_globs=False)
    assert not report, "".join(report)


@pytest.fixture
def module(monkeypatch):
    module = ModuleType("readme_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_of_the_page_runs(page, module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    assert len(blocks(text)) == text.count("```python"), "a fence is not closed"
    run_page(text, module, tmp_path / "readme_page.py")


PAGE = """\
Prose.

```python
def double(x):
    return 2 * x
```

```text
not code
```

```python
>>> double(4)
8
>>> seen = double(1)
```

```python
assert seen == 2
where = double.__code__.co_firstlineno
```
"""


def test_blocks_share_a_namespace_and_keep_their_lines(module, tmp_path):
    run_page(PAGE, module, tmp_path / "page.py")
    line = PAGE.splitlines().index("def double(x):") + 1
    assert module.where == line
    text = Path(module.double.__code__.co_filename).read_text(encoding="utf-8")
    assert text.splitlines()[line - 1] == "def double(x):"


@pytest.mark.parametrize("wrong", [("8\n", "9\n"), ("seen == 2", "seen == 3")])
def test_a_wrong_page_is_noticed(wrong, module, tmp_path):
    with pytest.raises(AssertionError):
        run_page(PAGE.replace(*wrong), module, tmp_path / "page.py")
