"""An argument annotated as Any, which says nothing of it."""

import typing

import yota_ast as ya


def product(x: typing.Any, y: typing.Any) -> typing.Any:
    return x * y


def test_a_text_without_examples():
    assert ya.simplegrad(product)(2.0, 3.0) == (6.0, 3.0, 2.0)
