"""The page of the public names is what their docstrings say, of all of them."""

import inspect

import pytest

import yota_ast as ya

from .reference import CHAPTERS, GIVEN, VALUES, document
from .running import REPOSITORY

LISTED = [name for names in CHAPTERS.values() for name in names]


def test_the_page_is_current(golden):
    golden(REPOSITORY / "docs" / "reference.md", document())


def test_every_public_name_is_listed_once():
    assert sorted(set(LISTED) - set(GIVEN)) == sorted(set(ya.__all__) - {"__version__"})
    assert len(LISTED) == len(set(LISTED))


@pytest.mark.parametrize("name", sorted(set(LISTED) - set(VALUES)))
def test_every_name_is_documented(name):
    thing = GIVEN.get(name) or getattr(ya, name)
    assert len((inspect.getdoc(thing) or "").split()) > 5


@pytest.mark.parametrize("name", CHAPTERS["Derivatives of other forms"])
def test_transforms_say_what_they_raise_and_show_an_example(name):
    doc = inspect.getdoc(getattr(ya, name))
    assert "Raises " in doc
    assert "\n>>> " in doc
