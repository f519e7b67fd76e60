"""The rule book and the lists of functions -> the page of the docs on coverage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from yota_ast.tools.cli.coverage import Entry, by_library, entries, families

from .coverage_lists import DIFFERENTIABLE, ZERO, Use

HEAD = """\
# Which functions have derivatives

This page is made from the rules, and a test checks that it is current. `yota-ast rules`
prints the same list, and `yota-ast rules np.sum` prints everything about one function.

A keyword that is not listed is refused by name. A function that is not listed is
inlined if it is written in Python. If it is not, it is refused where an active value
reaches it: [state a rule](howto/rules.md) for it.

## In numbers

The tests differentiate {differentiable} functions of NumPy, with all their numeric
keywords, and compare with finite differences. They check that {zero} others, such as
comparisons, roundings and indices, have the derivative zero. These uses of them are
refused:

{refused}

| all uses right | functions | reverse | forward (`jvp`) | second order (`hvp`) |
|---|--:|--:|--:|--:|
{orders}

`tests/table/refused.txt` lists every use that is refused, also in forward mode and at
second order.

| | functions | with a derivative |
|---|--:|--:|
{counts}
"""


def page(refused: Mapping[str, str], orders: Sequence[tuple[object, ...]]) -> str:
    """The page. refused: what the tests expect to be refused of the lists. orders: of
    each list how many functions are right in reverse mode, forward, at second order."""
    groups = by_library(entries())
    head = HEAD.format(
        differentiable=len(DIFFERENTIABLE), zero=len(ZERO),
        refused="\n".join(_refused(refused)), counts="\n".join(_counts(groups)),
        orders="\n".join(f"| {' | '.join(map(str, row))} |" for row in orders),
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
    parts = [f"## {name}\n", *rows]
    still = [entry for entry in listed if not entry.gradient]
    for said, refuses in (("zero", False), ("refused", True)):
        names = [f"`{e.name}`" for e in still if _refuses(e) is refuses]
        if names:
            parts += ["", f"Derivative {said}: {', '.join(names)}."]
    return "\n".join(parts) + "\n"


def _refuses(entry: Entry) -> bool:
    """Whether a rule says of a parameter why it has no derivative in it."""
    return any(rule.refused for rule in entry.rules)


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
