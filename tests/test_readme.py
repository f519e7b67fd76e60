"""The Python code of the documentation runs, and prints what it says.

Blocks of a page share one namespace. A block with ``>>>`` is a doctest; any other is
run as the lines of a Python file that is blank where the page speaks prose, so that
the source of its functions can be found and tracebacks show the line of the page.
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
FENCE = re.compile(r"^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """The code between two fences, and how many lines of the page stand above it."""

    code: str
    above: int

    @property
    def is_doctest(self) -> bool:
        return ">>>" in self.code


def blocks(page: str) -> list[Block]:
    return [
        Block(found["code"], page.count("\n", 0, found.start("code")))
        for found in FENCE.finditer(page)
    ]


def as_module(found: list[Block]) -> str:
    """Return the plain blocks as one file, each on the lines it has in the page."""
    lines: list[str] = []
    for block in found:
        if not block.is_doctest:
            lines += ["\n"] * (block.above - len(lines))
            lines += block.code.splitlines(keepends=True)
    return "".join(lines)


def run_page(page: str, module: ModuleType, path: Path) -> None:
    """Run the blocks of `page` in `module`, whose file is to be `path`."""
    found = blocks(page)
    path.write_text(as_module(found), encoding="utf-8")
    module.__file__ = str(path)
    for block in found:
        if block.is_doctest:
            run_doctest(block, module)
        else:
            text = "\n" * block.above + block.code
            exec(compile(text, str(path), "exec"), vars(module))


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
    text = (tmp_path / "page.py").read_text(encoding="utf-8")
    assert text.splitlines()[line - 1] == "def double(x):"


@pytest.mark.parametrize("wrong", [("8\n", "9\n"), ("seen == 2", "seen == 3")])
def test_a_wrong_page_is_noticed(wrong, module, tmp_path):
    with pytest.raises(AssertionError):
        run_page(PAGE.replace(*wrong), module, tmp_path / "page.py")
