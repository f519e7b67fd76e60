"""What text is asked for: keywords, options of the command, keys of pyproject.toml."""

import inspect

import pytest

import yota_ast as ya
from yota_ast.api.requests import OPTIONS
from yota_ast.codegen.text_form import READABLE, TextForm, text_form
from yota_ast.errors import UnsupportedSyntax, YotaError
from yota_ast.files.project import project_of
from yota_ast.syntax.loop_schedules import Schedule, parsed, schedules, words_of
from yota_ast.tools.emit.target_files import jobs_of


def test_the_default_is_readable_numpy():
    assert text_form() == READABLE
    assert READABLE.words == []


def test_words_of_a_form_are_the_options_of_the_command():
    assert TextForm("numba", fast=True).words == ["--fast", "--backend numba"]


def test_a_back_end_that_does_not_exist_is_refused():
    with pytest.raises(UnsupportedSyntax) as caught:
        text_form(backend="fortran")
    assert caught.value.reason.startswith("only ")


@pytest.mark.parametrize(
    "given", [{12: "often"}, {12: ("slots", 0)}, {"12": "sqrt"}, {12: ("slots", True)}]
)
def test_what_is_no_schedule_is_refused(given):
    with pytest.raises(YotaError) as caught:
        schedules(given)
    ((line, value),) = given.items()
    told = f"checkpoint: {line!r}: {value!r} is no schedule of a loop"
    assert caught.value.reason == told


@pytest.mark.parametrize("word", ["12", "=sqrt", "12=slots", "12=slots:", "x=sqrt"])
def test_a_word_that_is_no_schedule_is_refused(word):
    with pytest.raises(YotaError) as caught:
        parsed(word)
    told = f"--checkpoint: expected LINE=sqrt or LINE=slots:N, got {word!r}"
    assert caught.value.reason == told


def test_words_and_schedules_say_the_same():
    found = {3: Schedule(), 7: Schedule(30)}
    assert schedules(dict(map(parsed, words_of(found)))) == found


def test_targets_of_a_project_say_the_form(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        "[[tool.yota-ast.targets]]\n"
        'function = "m:f"\nbackend = "numba"\ncheckpoint = ["3=sqrt"]\n'
        'output = "f_grad.py"\n'
    )
    project = project_of(tmp_path)
    (job,) = jobs_of(project, project.targets)
    told = "yota-ast emit m:f --backend numba --checkpoint 3=sqrt -o f_grad.py"
    assert job.command == told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("fast = 1", "fast of target 1 must be true or false, and backend a string"),
        (
            'checkpoint = "3"',
            "checkpoint of target 1 must be a list of strings, not '3'",
        ),
    ],
)
def test_a_target_that_says_something_else_is_refused(tmp_path, line, told):
    text = f'[[tool.yota-ast.targets]]\nfunction = "m:f"\n{line}\n'
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(YotaError) as caught:
        project_of(tmp_path)
    assert caught.value.reason == f"pyproject.toml: {told}"


def test_the_options_are_the_keywords_of_simplegrad():
    slots = inspect.signature(ya.simplegrad).parameters.values()
    assert tuple(s.name for s in slots if s.kind is s.KEYWORD_ONLY) == OPTIONS
