"""The code of the documentation runs, and prints what it says."""

import importlib
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from .blocks import blocks
from .running import NOT_RUN, REPOSITORY, run_page

# Pages made from tables, where other tests hold every line.
GENERATED = {
    "constructs.md", "coverage.md", "memory.md", "passes.md", "reference.md",
    "refusals.md",
}  # fmt: skip
PAGES = [
    path
    for path in (*REPOSITORY.glob("*.md"), *sorted(REPOSITORY.glob("docs/**/*.md")))
    if path.name not in GENERATED
]
# The parts of a generated page that say what works.
PAGES.append(REPOSITORY / "tests/refusals/works.md")
# What a page may ask the reader to type that the tests do not.
LEFT_TO_THE_READER = ("git ", "make ", "pip ", "pre-commit ", "python -m venv ", ". ")
GALLERY = REPOSITORY / "examples" / "gallery"
NEEDS = re.compile(r"^<!-- needs ([\w, ]+) -->$", re.MULTILINE)


@pytest.fixture
def module(monkeypatch, tmp_path):
    """A module for the blocks of a page, in an empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    loaded = set(sys.modules)
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    importlib.invalidate_caches()
    yield module
    for name in set(sys.modules) - loaded:
        home = getattr(sys.modules[name], "__file__", None) or ""
        if home.startswith(str(tmp_path)):
            del sys.modules[name]


def name_of(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_the_page_says_what_its_code_does(path, module, tmp_path, golden):
    text = path.read_text(encoding="utf-8")
    for needed in NEEDS.findall(text):
        for library in needed.split(", "):
            pytest.importorskip(library)
    if path.parent.name == "gallery":
        shutil.copytree(GALLERY, tmp_path, dirs_exist_ok=True)
    golden(path, run_page(text, module, tmp_path))


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_fence_is_a_block(path):
    text = path.read_text(encoding="utf-8")
    assert 2 * len(blocks(text)) == len(
        re.findall(r"^\s*(?:```|~~~)", text, re.MULTILINE)
    )


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_what_is_not_run_is_the_reader_s(path):
    for block in blocks(path.read_text(encoding="utf-8")):
        if not block.note.startswith(NOT_RUN):
            continue
        assert block.language in {"console", "yaml", "text", "toml"}, block.code
        if block.language == "console":
            typed = re.findall(r"^\$ (.*)", block.code, re.MULTILINE)
            assert [c for c in typed if not c.startswith(LEFT_TO_THE_READER)] == []


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_files_are_used_by_their_page(path):
    text = path.read_text(encoding="utf-8")
    for block in blocks(text):
        if block.title and block.language == "python":
            stem = Path(block.title).stem
            assert re.search(rf"\b{stem}\b", text[block.end :]), block.title


# ---------------------------------------------------------------- of the runner

PAGE = """\
Prose.

```python title="mod.py"
def double(x):
    return 2 * x
```

```python
from mod import double

print("doubled", double(4))
```

<!-- printed -->
```text
doubled 8
```

```python
>>> import inspect
>>> double(4)
8
>>> for k in range(2):
...     print(k)
0
1
>>> inspect.getsource(lambda x: 4 * x)
'inspect.getsource(lambda x: 4 * x)\\n'
>>> double()
Traceback (most recent call last):
  ...
TypeError: double() missing 1 required positional argument: 'x'
```

```python
def triple(x):
    return 3 * x
```

<!-- inspect.getsource(triple) -->
```python
def triple(x):
    return 3 * x
```

```console
$ python -c "import mod; \\
> print(mod.double(3))"
6
$ echo two; echo lines
two
lines
```

<!-- prints below -->
```console
$ cat mod.py
```

<!-- printed -->
```python
def double(x):
    return 2 * x
```

<!-- exits 1 -->
```console
$ ls mod.py; false
mod.py
```

<!-- not run: it needs a network -->
```console
$ git push
```
"""


def test_a_right_page_stays_as_it_is(module, tmp_path):
    assert run_page(PAGE, module, tmp_path) == PAGE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("8\n>>>", "9\n>>>"),
        ("doubled 8", "doubled 9"),
        ("0\n1\n", "0\n"),
        ("'x'\n", "'y'\n"),
        ("6\n$", "7\n$"),
        ("two\nlines", "two"),
        ("-->\n```python\ndef triple(x):\n", "-->\n```python\ndef triple(y):\n"),
    ],
)
def test_a_wrong_page_is_put_right(old, new, module, tmp_path):
    wrong = PAGE.replace(old, new)
    assert wrong != PAGE
    assert run_page(wrong, module, tmp_path) == PAGE


def test_numbers_may_vary_and_nothing_else(module, tmp_path):
    page = "<!-- numbers vary -->\n```console\n$ echo 'off by  1.5e-16 of 3'\n"
    kept = page + "off by 2e-15 of 4\n```\n"
    assert run_page(kept, module, tmp_path) == kept
    wrong = page + "off by 2e-15 or 4\n```\n"
    assert "\noff by  1.5e-16 of 3\n" in run_page(wrong, module, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("exits 1", "exits 2", "exit codes"),
        ("<!-- exits 1 -->\n", "", "exit codes"),
        ("<!-- printed -->", "<!-- 'doubled 8' -->", "printed, and not shown"),
        ("<!-- not run: it needs a network -->\n```console", "```text", "neither"),
    ],
)
def test_what_a_page_must_not_do(old, new, message, module, tmp_path):
    assert old in PAGE
    with pytest.raises(AssertionError, match=message):
        run_page(PAGE.replace(old, new), module, tmp_path)


def test_messages_tell_the_line_of_the_block(module, tmp_path):
    page = "```python\nimport yota_ast as ya\n\n\ndef f(x):\n    yield x\n```\n\n"
    page += "```python\n>>> ya.simplegrad(f)\n```\n"
    assert "UnsupportedSyntax: example.py:5:5: " in run_page(page, module, tmp_path)
