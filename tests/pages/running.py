"""A page of Markdown -> the same page, with what its blocks print now.

Blocks of a page share one namespace and one folder, which is the current one.

- ``python`` with ``>>>``: each example is run, and what it prints put below it.
- ``python`` with a title: a file of that name, for blocks below that import or run it.
  So is any other block with a title.
- ``python`` otherwise: run as a file of its own, called ``example.py`` in messages.
- ``console``: what follows ``$`` is run by a shell, where `yota-ast` and `python` are
  those under test; what it prints is put below it.
- ``<!-- prints below -->`` above ``console``: what it prints stands in a block below.
- any language below ``<!-- printed -->``: what the blocks above have printed.
- any language below ``<!-- expression -->``: the text that is its value; `source_of`
  gives a definition of the project's own, `file_text` a whole file.
- ``<!-- exits 1 -->`` above ``console``: the last command ends so, and not with 0.
- ``<!-- numbers vary -->``, or ``, numbers vary`` after one of the above: left as it is
  where it differs in numbers alone, those of rounding, times and hashes.
- ``diff``: a change of files of the project, which has to apply.
- ``<!-- not run: why -->``: left as it is.
"""

from __future__ import annotations

import ast
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
from contextlib import redirect_stdout
from dataclasses import replace
from doctest import DocTestParser, Example
from pathlib import Path
from types import ModuleType

from .blocks import Block, blocks, refilled
from .diffs import check_diff

REPOSITORY = Path(__file__).resolve().parents[2]
PRINTED, NOT_RUN, VARY = "printed", "not run: ", "numbers vary"
BELOW = "prints below"
EXITS = re.compile(r"exits (\d)")


class Page:
    """The state of a page that is being run in `folder`."""

    def __init__(self, module: ModuleType, folder: Path) -> None:
        self.module, self.folder = module, folder
        self.names = vars(module)
        self.names["source_of"] = source_of
        self.names["file_text"] = file_text
        self.printed = ""

    def text_of(self, block: Block) -> str:
        """What should stand in the block."""
        if block.note.startswith(NOT_RUN):
            return block.code
        if block.note.endswith(VARY):
            note = block.note.removesuffix(VARY).removesuffix(", ")
            text = self.text_of(replace(block, note=note))
            return block.code if same_but_for_numbers(text, block.code) else text
        if block.title:
            path = self.folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.code, encoding="utf-8")
            return block.code
        if block.language == "console":
            done = self.commands(block)
            if block.note != BELOW:
                return "".join(f"$ {command}\n{text}" for command, text in done)
            self.printed += "".join(text for _, text in done)
            return block.code
        if block.language == "diff":
            check_diff(block.code, REPOSITORY)
            return block.code
        if block.note == PRINTED:
            text, self.printed = self.printed, ""
            return self.plain(text)
        if block.note:
            return self.plain(str(eval(block.note, self.names)).rstrip("\n") + "\n")
        if block.language != "python":
            raise AssertionError("a block that says neither what it is nor `not run`")
        if ">>>" in block.code:
            return self.examples(block)
        self.run_file(block)
        return block.code

    def run_file(self, block: Block) -> None:
        own = self.own_file(block.code, str(block.line))
        out = io.StringIO()
        with redirect_stdout(out):
            exec(compile(block.code, own, "exec"), self.names)
        self.printed += out.getvalue()

    def own_file(self, code: str, name: str) -> str:
        """A file that holds the code: there the source of its functions is found, and
        what a compiler makes of them depends on the imports in the same file."""
        path = self.folder / f"example_{name}.py"
        path.write_text(code, encoding="utf-8")
        self.names["__file__"] = str(path)
        return str(path)

    def examples(self, block: Block) -> str:
        """The examples of a block, each with what it prints."""
        parts = DocTestParser().parse(block.code)
        return "".join(
            part.lstrip("\n") if isinstance(part, str) else self.example(part, block)
            for part in parts
        )

    def example(self, example: Example, block: Block) -> str:
        lines = example.source.splitlines()
        shown = [">>> " + lines[0], *(f"... {line}".rstrip() for line in lines[1:])]
        own = self.own_file(example.source, f"{block.line}_{example.lineno}")
        out = io.StringIO()
        with redirect_stdout(out):
            try:
                exec(compile(example.source, own, "single"), self.names)
            except Exception as error:
                text = "".join(traceback.format_exception_only(error))
                print(f"Traceback (most recent call last):\n  ...\n{text}", end="")
        printed = self.plain(out.getvalue()).replace("\n\n", "\n<BLANKLINE>\n")
        return "\n".join(shown) + "\n" + printed

    def commands(self, block: Block) -> list[tuple[str, str]]:
        """The commands of a block, each with what it prints."""
        asked = EXITS.fullmatch(block.note)
        last = int(asked[1]) if asked else 0
        found = re.findall(r"^\$ ((?:.*\\\n> )*.*)\n", block.code, re.MULTILINE)
        done, codes = [], []
        for command in found:
            text, code = self.command(command)
            done.append((command, text))
            codes.append(code)
        expected = [0] * (len(found) - 1) + [last]
        assert codes == expected, f"exit codes {codes}, not {expected}: {done}"
        return done

    def command(self, command: str) -> tuple[str, int]:
        programs = self.folder / ".bin"
        programs.mkdir(exist_ok=True)
        python = shlex.quote(sys.executable)
        for name, call in (("python", python), ("yota-ast", f"{python} -m yota_ast")):
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec {call} "$@"\n', encoding="utf-8")
            program.chmod(0o755)
        done = subprocess.run(
            [shutil.which("bash") or "bash", "-c", command.replace("\\\n> ", "\\\n")],
            cwd=self.folder, check=False, timeout=300, text=True, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={
                **os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": str(REPOSITORY), "COLUMNS": "88", "NO_COLOR": "1",
            },
        )  # fmt: skip
        text = self.plain(done.stdout)
        return text + ("\n" if text and text[-1] != "\n" else ""), done.returncode

    def plain(self, text: str) -> str:
        """A text without the places where the test runs."""
        text = text.replace(f"{self.folder}{os.sep}", "")
        return re.sub(r"\bexample_\d+(?:_\d+)?\.py", "example.py", text)


def same_but_for_numbers(a: str, b: str) -> bool:
    """Whether two texts are the same but for their numbers, hashes, and the spaces."""
    number = re.compile(
        r"\s*(?:\b[0-9a-f]{64}\b|(?<==)[0-9a-f]{6}\b|-?\d+(?:\.\d*)?(?:e[-+]?\d+)?)"
    )
    return number.sub(" 0", a) == number.sub(" 0", b)


def source_of(path: str, name: str) -> str:
    """A definition at the top of a file of the repository, with its decorators."""
    text = (REPOSITORY / path).read_text(encoding="utf-8")
    found = next(n for n in ast.parse(text).body if getattr(n, "name", "") == name)
    first = min([found.lineno, *(d.lineno for d in found.decorator_list)])
    return "\n".join(text.splitlines()[first - 1 : found.end_lineno])


def file_text(path: str) -> str:
    """What stands in a file of the repository."""
    return (REPOSITORY / path).read_text(encoding="utf-8")


def run_page(text: str, module: ModuleType, folder: Path) -> str:
    """Run the blocks of a page in `folder`: the page as it should be."""
    page = Page(module, folder)
    texts = []
    for block in blocks(text):
        try:
            texts.append((block, page.text_of(block)))
        except Exception as error:
            error.add_note(f"in the block at line {block.line} of the page")
            raise
    assert not page.printed, f"printed, and not shown: {page.printed}"
    return refilled(text, texts)
