"""What text of a gradient is asked for: by which back end, readable or fast.

Keywords of `simplegrad`, options of `emit` and keys of pyproject.toml -> a `TextForm`.

>>> form = text_form(backend="numba")
>>> form
TextForm(backend='numba', fast=False, options=())
>>> form.words
['--backend numba']
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import UnsupportedSyntax

AVAILABLE: Final = ("numpy", "numba", "jax")
"""The back ends that there are."""


@dataclass(frozen=True, slots=True)
class TextForm:
    """What text is asked for. options: those of the back end, sorted by name."""

    backend: str = "numpy"
    fast: bool = False
    options: tuple[tuple[str, object], ...] = ()

    @property
    def words(self) -> list[str]:
        """The options of `emit` that ask for it."""
        found = ["--fast"] if self.fast else []
        return found + (
            [f"--backend {self.backend}"] if self.backend != "numpy" else []
        )


OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "numba": ("cache", "parallel"),
    "auto": ("cache", "parallel"),
}
"""The options of back ends, which are True or False."""
READABLE: Final = TextForm()
"""Readable NumPy text, the default."""


def text_form(
    *,
    fast: bool = False,
    backend: str = "numpy",
    options: Mapping[str, object] | None = None,
    auto: bool = False,
) -> TextForm:
    """Return the form that is asked for. auto: whether the back end may be "auto",
    which depends on what is installed.

    Raises UnsupportedSyntax for what does not exist.
    """
    there = (*AVAILABLE, "auto") if auto else AVAILABLE
    if (fast and backend != "numpy") or backend not in there:
        raise UnsupportedSyntax(
            f"only the back ends {', '.join(there)} are available, fast=True with "
            "numpy alone",
            remedy="Leave them out: readable NumPy code is the default.",
        )
    given = dict(options or {})
    known = OPTIONS.get(backend, ())
    for name, value in given.items():
        if name not in known or not isinstance(value, bool):
            raise UnsupportedSyntax(
                f"`{name}={value!r}` is no option of the back end {backend}",
                remedy="Its options, True or False, are: "
                f"{', '.join(known) or 'none'}.",
            )
    return TextForm(backend, fast, tuple(sorted(given.items())))
