"""Words of code, for colours: no character is lost, whatever the version of Python."""

import pytest

from tests.viewing.shown import FUNCTIONS, view_of
from yota_ast.tools.report.code_tokens import words_of

STRINGS = """\
def f(x):
    '''Two
    lines.'''
    print(f"{x:.3f} {{}} {f'{x!r}'} of {len(x)}", b"\\n", r'\\d')
    return f'''{x}
    more''' if x else None  # a comment
""".splitlines()


def kinds(lines):
    return [[(w.text, w.kind) for w in words if w.kind] for words in words_of(lines)]


def test_strings_are_one_word_a_line():
    found = kinds(STRINGS)
    assert found[0] == [("def", "keyword"), ("f", "name")]
    assert found[1:3] == [[("'''Two", "string")], [("    lines.'''", "string")]]
    assert found[3] == [
        ("print", "builtin"),
        ("f\"{x:.3f} {{}} {f'{x!r}'} of {len(x)}\"", "string"),
        ('b"\\n"', "string"),
        ("r'\\d'", "string"),
    ]
    assert found[5][-1] == ("# a comment", "comment")
    assert ("None", "number") in found[5]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_no_character_is_lost(function):
    view = view_of(function)
    lines = [line.line.text for line in view.lines]
    assert ["".join(w.text for w in words) for words in words_of(lines)] == lines


@pytest.mark.parametrize("lines", [["x = ("], ["'"], ["  x", "y"], ["$", "x = 1"], []])
def test_what_is_no_python_stays_whole(lines):
    assert ["".join(w.text for w in words) for words in words_of(lines)] == lines


def test_keywords_of_calls_are_no_builtins():
    [words] = kinds(["np.clip(x, min=0, max=len(x)).sum()"])
    assert words == [
        ("clip", "call"),
        ("0", "number"),
        ("len", "builtin"),
        ("sum", "call"),
    ]
