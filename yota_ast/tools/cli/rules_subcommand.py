"""`yota-ast rules [NAME]`: which functions have derivatives, and by which rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from yota_ast.errors import YotaError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from yota_ast.rules.notation.rule_records import Rule
    from yota_ast.tools.cli.coverage import Entry

_NUMBERS: Final = {
    "no": "real",
    "holomorphic": "real and complex",
    "written": "real and complex",
}


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("rules", help="list the functions that have rules")
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="one function: np.sum, special.gamma"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> str:
    """The table, or all about one function."""
    if options.name is None:
        return "\n".join(_table())
    from yota_ast.tools.cli.coverage import followed, found

    name = options.name.strip().removesuffix("()")
    listed = found(name)
    if listed:
        return "\n\n".join("\n".join(_about(entry)) for entry in listed)
    if followed(name):
        return f"{name} is followed by the compiler itself, without a rule"
    raise _no_rule(name)


def _no_rule(name: str) -> YotaError:
    from yota_ast.tools.cli.coverage import all_names, resolved
    from yota_ast.tools.cli.targets import nearly

    # The last part alone is compared: that of the module is often left out.
    ends = {full.rpartition(".")[2]: full for full in reversed([*all_names()])}
    last = nearly(name.rpartition(".")[2], ends)
    close = f"Did you mean {ends[last]}?" if last else ""
    if resolved(name) is not None:
        advice = "State one with `ya.diffrule`, or `ya.nodiff` if it has no derivative."
        return YotaError(f"there is no rule for {name}", remedy=advice)
    return YotaError(
        f"there is no rule for {name}",
        remedy=close or "`yota-ast rules` lists all of them.",
    )


def _table() -> Iterator[str]:
    from yota_ast.tools.cli.coverage import by_library, entries, families
    from yota_ast.tools.gradcheck.check_table import aligned

    rows: list[tuple[str, ...]] = [("function", "gradient in", "none in")]
    for library, listed in by_library(entries()).items():
        rows += [("",), (f"{library}: {len(listed)} functions",)]
        for family in families(listed):
            entry = family.entry
            name = family.name
            if family.methods:
                name = f"{name}: {', '.join(family.methods)}"
            gradient = ", ".join(entry.gradient) or "-"
            rows.append((name, gradient, ", ".join(entry.settings)))
    short = [row for row in rows if len(row) == 3]
    lines = iter(aligned(short))
    for row in rows:
        yield next(lines) if len(row) == 3 else row[0]


def _about(entry: Entry) -> Iterator[str]:
    yield f"{entry.name}  ({entry.library})"
    if entry.solved:
        yield f"  finds a {entry.solved}: differentiated by what it finds"
    facts = (
        ("gradient in", ", ".join(entry.gradient) or "nothing: its derivative is 0"),
        ("none in", ", ".join(entry.settings)),
        ("also called", ", ".join(entry.aliases)),
    )
    yield from (f"  {what:<12} {which}" for what, which in facts if which)
    for rule in entry.rules:
        yield from _of_rule(rule)


def _of_rule(rule: Rule) -> Iterator[str]:
    from yota_ast.tools.explain.explained_lines import short_path

    where = "" if rule.location is None else short_path(rule.location.filename)
    line = "" if rule.location is None else f":{rule.location.lineno}"
    said = [_NUMBERS[rule.complex]]
    said += [f"{k} {_types(v)}" for k, v in rule.types.items()]
    said += [f"{k}={' or '.join(map(repr, v))}" for k, v in rule.only.items()]
    memory = _memory(rule)
    said += [f"the result is {memory}"] if memory else []
    yield f"  {where}{line}  ({'; '.join(said)})"
    yield f"      {rule.primal.target} = {rule.primal.text}"
    for statement in rule.statements:
        yield f"      {statement.target} = {statement.text}"
    for name, why in rule.refused.items():
        yield f"      no derivative in {name}: {why}"


def _types(types: tuple[type, ...]) -> str:
    return "of " + " or ".join(t.__name__ for t in types)


def _memory(rule: Rule) -> str:
    """How the result lies in memory; "" where it has its own."""
    from yota_ast.ops.result_memory import memory_of

    memory = memory_of(rule.fns[0])
    said = {"fresh": "", "view": "a view", "same": "the argument itself"}
    return said.get(str(memory), "a view or a copy")
