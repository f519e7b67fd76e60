"""The rule book and the lists of functions -> the page of the docs on coverage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from yota_ast.coverage import Entry, by_library, entries, families

from .coverage_lists import DIFFERENTIABLE, ZERO, Use

HEAD = """\
# Which functions have derivatives

This page is made from the rules themselves, and a test holds it to them.
`yota-ast rules` prints the same, `yota-ast rules np.sum` all about one function. A
keyword that is not listed is refused by name; a function that is not listed is followed
where it is written in Python, and refused where a derivative goes through it and it is
not: [state a rule](howto/rules.md) for it.

## In numbers

Of the functions of NumPy through which a derivative can go, the tests differentiate
{differentiable}, with all their numeric keywords, and compare with differences; of
those without a slope (comparisons, roundings, indices) they hold {zero} to a derivative
of zero. What is refused of them:

{refused}

| | functions | with a derivative |
|---|--:|--:|
{counts}
"""


def page(refused: Mapping[str, str]) -> str:
    """The page. refused: what the tests expect to be refused of the lists."""
    groups = by_library(entries())
    head = HEAD.format(
        differentiable=len(DIFFERENTIABLE), zero=len(ZERO),
        refused="\n".join(_refused(refused)), counts="\n".join(_counts(groups)),
    )  # fmt: skip
    return "\n".join([head, *(_section(*group) for group in groups.items())])


def _refused(refused: Mapping[str, str]) -> Iterator[str]:
    lists: dict[str, list[Use]] = {**DIFFERENTIABLE, **ZERO}
    for name, uses in lists.items():
        for one in uses:
            if one.text in refused:
                text = one.text.replace("\n", "; ")
                yield f"- `{name}`: `{text}`"


def _counts(groups: Mapping[str, Sequence[Entry]]) -> Iterator[str]:
    for name, listed in groups.items():
        active = sum(bool(entry.gradient) for entry in listed)
        yield f"| {name} | {len(listed)} | {active} |"
    everything = [entry for listed in groups.values() for entry in listed]
    active = sum(bool(entry.gradient) for entry in everything)
    yield f"| together | {len(everything)} | {active} |"


def _section(name: str, listed: Sequence[Entry]) -> str:
    rows = ["| function | derivative in | none in |", "|---|---|---|"]
    rows += _active(listed)
    still = [f"`{entry.name}`" for entry in listed if not entry.gradient]
    parts = [f"## {name}\n", *rows]
    if still:
        parts += ["", f"Derivative zero: {', '.join(still)}."]
    return "\n".join(parts) + "\n"


def _active(listed: Sequence[Entry]) -> Iterator[str]:
    for family in families([entry for entry in listed if entry.gradient]):
        entry = family.entry
        names = [f"`{family.name}`"]
        if family.methods:
            names.append(", ".join(f"`.{method}`" for method in family.methods))
        elif entry.aliases:
            names.append("also " + ", ".join(f"`{name}`" for name in entry.aliases))
        gradient = ", ".join(_code(name) for name in entry.gradient)
        settings = ", ".join(_code(name) for name in entry.settings)
        yield f"| {' '.join(names)} | {gradient} | {settings} |"


def _code(name: str) -> str:
    return f"`{name}`" if name.isidentifier() else name
