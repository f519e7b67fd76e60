"""Ops and local rewrites -> fewer and plainer ops with the same value.

Each op is rebuilt on what its operands have become, then the rewrites of its function
are tried; what they make is rewritten in turn. Equal pure ops in scope become one.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace, replacer
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.inplace.kept_views import Sharing
from yota_ast.adjoint.nonsmooth.nonzero_values import divisors
from yota_ast.adjoint.reverse.contributions import settle_kinds, settled_fact
from yota_ast.adjoint.reverse.mirrored_blocks import loop_key
from yota_ast.adjoint.rewrites.common_values import Values, likeness
from yota_ast.analysis.activity import makes_iterator
from yota_ast.analysis.block_places import backwards_of
from yota_ast.analysis.dtypes import Floats, floats_of_ops
from yota_ast.errors import InternalError
from yota_ast.ir.abstract_values import FLOAT, Fact, same_dtype
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import handed_on, is_loop
from yota_ast.ir.builder import Builder, Infer, Kwargs, Names
from yota_ast.ir.built_values import build_dict, build_list, build_tuple
from yota_ast.ir.helper_defaults import without_defaults
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Compound,
    For,
    Form,
    If,
    Merge,
    Op,
    Outlined,
    Raise,
    Simple,
    Try,
    While,
    With,
    blocks_of,
    map_blocks,
    with_atoms,
    with_hint,
    with_out,
)
from yota_ast.ops.result_kinds import allocates
from yota_ast.syntax.names import is_weak

_End = Atom | Undefined
Fn = Callable[..., object]
LITERALS = (build_list, build_dict, list, dict, set)
"""What makes a container anew each time, where it may be written."""


def _does_nothing(op: For | While, body: Block, carries: Sequence[Carry]) -> bool:
    """Whether a loop leaves everything as it is: `for k in c: x = x + k`, reversed."""
    same = all(
        c.next == c.inside and not isinstance(c.init, Undefined) for c in carries
    )
    return isinstance(op, For) and same and op.stack is None and not body.ops


@dataclass(slots=True)
class Rewriter:
    """Rewrites blocks; `rules` gives the rewrites tried for each function.

    A rewrite takes the rewriter and the op, and gives the atom to use in its place,
    or None where it does not fit.
    """

    rules: Mapping[Fn, tuple[Rewrite, ...]]
    infer: Infer
    names: Names
    of_floats: Mapping[Fn, tuple[Rewrite, ...]] = field(default_factory=dict)
    """Those that are tried where the result is one of Python's floats, if not all."""
    assumed: Assumptions = field(default_factory=Assumptions)
    known: dict[str, Atom] = field(default_factory=dict)
    made: dict[str, Apply] = field(default_factory=dict)
    seen: Values = field(default_factory=Values)
    uses: dict[str, int] = field(default_factory=dict)
    loops: dict[str, Block] = field(default_factory=dict)
    forward: dict[str, Apply] = field(default_factory=dict)
    factors: dict[str, object] = field(default_factory=dict)
    """What terms.py has found products to be made of, by their variables."""
    beside: bool = False
    """Whether ops that belong to no reverse sweep stand between the others, to be left
    as they are."""
    saved: frozenset[str] = frozenset()
    """What loops among them save."""
    sharing: Sharing | None = None
    """Which of the variables share memory, where ops among them write into it."""
    written: frozenset[str] = frozenset()
    """The groups of memory that they write into."""
    joins: set[str] = field(default_factory=set)
    """Variables of the forward sweep that branches and loops hand on."""
    nonzero: set[str] = field(default_factory=set)
    """Variables of the forward sweep that are not 0 where the reverse sweep runs."""
    shaped: dict[str, Atom] = field(default_factory=dict)
    """Adjoints, by their names, and what has the same shape."""
    floats: Floats = field(init=False)
    """Variables of the forward sweep that hold floats in every call."""
    builder: Builder = field(init=False)
    scratch: Builder = field(init=False)

    def __post_init__(self) -> None:
        self.builder = Builder(self.infer, self.names)
        self.scratch = Builder(self.infer, self.names)
        self.floats = floats_of_ops(self.forward)

    # ------------------------------------------------------------ blocks

    def register(self, forward: Block) -> dict[object, Var]:
        """The values that a block of the forward sweep has at hand, by how they are
        computed; its loops' bodies are noted for when their reverse is rewritten."""
        at_hand: dict[object, Var] = {}
        for op in forward:
            self.joins |= {v.name for _, outs in handed_on(op) for v in outs}
            match op:
                case Apply():
                    if not op.effect:
                        self.forward[op.out.name] = op
                        args = tuple(self.atom(a) for a in op.args)
                        at_hand.setdefault(likeness(op.fn, args, op.kwargs), op.out)
                case With():
                    at_hand |= self.register(op.body)
                case For() | While():
                    if op.carries:
                        self.loops[loop_key(op)] = op.body
                    self.register(op.body)
                case Simple() | Compound():
                    for inner in blocks_of(op):
                        self.register(inner)
                case _:
                    assert_never(op)
        return at_hand

    def not_zero(self, forward: Block) -> None:
        """Note the values of a block that has run that would have raised as 0."""
        for name in divisors(forward):
            known = self.known.get(name)
            self.nonzero |= {name, known.name if isinstance(known, Var) else name}

    def block(self, block: Block, at_hand: dict[object, Var] | None = None) -> Block:
        """The block, rewritten."""
        outer, self.builder = self.builder, self.builder.nested()
        self.seen.enter(at_hand or {})
        for op in block:
            self.builder.origin = op.origin
            if is_loop(op):  # an iteration reads what the last wrote
                self._forget(op)
            if self.beside and not op.origin.reverse and not blocks_of(op):
                self._at_hand(op)
            elif isinstance(op, Apply) and op.out.name in self.saved:
                self._at_hand(self._rebuilt(op))
            else:
                self._op(op)
            if not isinstance(op, Apply) or op.form == "augmented":
                self._forget(op)
        self.seen.leave()
        made, self.builder = self.builder.block(), outer
        return made

    def _forget(self, op: Op) -> None:
        """Leave alone from here on what was computed of memory that an op writes into:
        done again, it were computed of something else."""
        sharing = self.sharing
        if sharing is None or not (written := sharing.written(op)):
            return
        for made in (self.made, self.forward):
            for name, by in list(made.items()):
                if not written.isdisjoint(sharing.memory(*by.args)):
                    del made[name]

    def _is_lent(self, value: Atom, op: Apply) -> bool:
        """Whether a value that would stand for the result of an op lies in memory that
        is written, and the result in its own."""
        if self.sharing is None or not isinstance(value, Var) or value == op.out:
            return False
        lent = self.sharing.memory(value) & self.written
        return bool(lent - self.sharing.memory(op.out))

    def _at_hand(self, op: Op) -> None:
        """Leave an op as it is, its value at hand for those that follow."""
        self.builder.ops.append(op)
        if isinstance(op, Apply) and not op.effect:
            self.forward[op.out.name] = op
            if not allocates(op.fn) and op.fn not in LITERALS:
                self.seen.note(likeness(op.fn, op.args, op.kwargs), op.out)

    def _op(self, op: Op) -> None:
        match op:
            case Apply():
                self._apply(op)
            case If():
                self._if(op)
            case With():
                context, body = self.atom(op.context), self.block(op.body)
                self.builder.ops.append(replace(op, context=context, body=body))
            case For() | While():
                self._loop(op)
            case Raise() | Try() if not self.beside:
                raise InternalError(f"{type(op).__name__} in a reverse sweep")
            case Simple():
                self.builder.ops.append(with_atoms(op, self.atom))
            case Try():
                tried = map_blocks(op, self.block)
                assert isinstance(tried, Try)
                merges = tuple(itertools.starmap(self._merge, self._ends(op.merges)))
                self.builder.ops.append(replace(tried, merges=merges))
            case _:
                assert_never(op)

    def _apply(self, op: Apply) -> None:
        op = self._rebuilt(op)
        before = len(self.builder.ops)
        value = self.simplify(op)
        if self._is_lent(value, op):
            value = self.keep(op)
        if value is not op.out and value != op.out:
            equal = len(self.builder.ops) == before and self._makes(value, op)
            value = self.called(self._shaped(value, op.out), op.out.hint)
            self.known[op.out.name] = value
            self._count(value, op.out, also=equal)
            for a in op.args if equal else ():  # it reads them no more
                if isinstance(a, Var):
                    self.uses[a.name] = self.uses.get(a.name, 1) - 1

    def _shaped(self, value: Atom, replaced: Var) -> Atom:
        """What is known of the shape of a value holds of what replaces it."""
        shape, ops = replaced.fact.shape, self.builder.ops
        if not isinstance(shape, tuple) or not isinstance(value, Var) or not ops:
            return value
        last = ops[-1]
        if value.fact.kind != "array" or value.fact.shape == shape:
            return value
        if not isinstance(last, Apply) or last.out != value:
            return value
        known = replace(value, fact=value.fact.with_shape(shape))
        ops[-1] = self.made[value.name] = replace(last, out=known)
        return known

    def _makes(self, value: Atom, op: Apply) -> bool:
        """Whether a value that was there already is what the op comes down to: it has
        been made of the same, and is no part of it."""
        if value in op.args or not isinstance(value, Var):
            return False
        made = self.made.get(value.name)
        return made is not None and (made.fn is op.fn or set(made.args) <= {*op.args})

    def _count(self, value: Atom, replaced: Var, *, also: bool = False) -> None:
        """What read the replaced variable reads the value now; also: beside what did
        so before, for the value is that of an equal op."""
        if isinstance(value, Var):
            before = self.uses.get(value.name, 1)
            readers = self.uses.get(replaced.name, 0)
            self.uses[value.name] = before - (not also) + readers

    def _if(self, op: If) -> None:
        test = self.atom(op.test)
        then, orelse = self.block(op.then), self.block(op.orelse)
        ends = self._ends(op.merges)
        if op.origin.reverse:  # what both arms leave as it was is no new value
            same = [(out, d) for out, d, other in ends if d == other]
            ends = [end for end in ends if end[1] != end[2]]
            self.known |= {o.name: d for o, d in same if not isinstance(d, Undefined)}
        merges = tuple(self._merge(*end) for end in ends)
        self.builder.ops.append(
            replace(op, test=test, then=then, orelse=orelse, merges=merges)
        )

    def _ends(self, merges: Iterable[Merge]) -> list[tuple[Var, _End, _End]]:
        return [(m.out, self._end(m.then), self._end(m.orelse)) for m in merges]

    def _merge(self, out: Var, then: _End, orelse: _End) -> Merge:
        settled = replace(out, fact=settled_fact(out.fact, (then, orelse)))
        self.known[out.name] = settled
        return Merge(settled, then, orelse)

    def _loop(self, op: For | While) -> None:
        inits = [self._end(c.init) for c in op.carries]
        at_hand: dict[object, Var] = {}
        if isinstance(op, For):
            op = replace(op, iterable=self.atom(op.iterable))
            if isinstance(op.iterable, Const) and not self.beside:
                forward = self.loops[backwards_of(op).loop]
                at_hand = self.register(forward)
                self.not_zero(forward)
        else:
            op = replace(op, cond=self.block(op.cond))
            op = replace(op, test=self.atom(op.test))
        body = self.block(op.body, at_hand)
        carries = tuple(
            Carry(c.out, init, c.inside, self._end(c.next))
            for c, init in zip(op.carries, inits, strict=True)
        )
        if not self.beside and _does_nothing(op, body, carries):
            ends = {c.out: c.init for c in carries if not isinstance(c.init, Undefined)}
            self.known |= {o.name: self.called(d, o.hint) for o, d in ends.items()}
            return
        carries = settle_kinds(carries)
        self.known |= {c.out.name: c.out for c in carries}
        stop = None if op.stop is None else self.atom(op.stop)
        self.builder.ops.append(replace(op, body=body, carries=carries, stop=stop))

    # ------------------------------------------------------------ one op

    def _rebuilt(self, op: Apply) -> Apply:
        args = tuple(map(self.atom, op.args))
        if isinstance(op.fn, Outlined):
            pairs = zip(args, op.args, strict=True)
            args = tuple(self._kept_python(a, before) for a, before in pairs)
        if not op.kwargs and all(map(operator.is_, args, op.args)):
            return op
        kwargs = tuple((k, self.atom(a)) for k, a in op.kwargs)
        if args == op.args and kwargs == op.kwargs:
            if all(fact(a) == fact(b) for a, b in zip(args, op.args, strict=True)):
                return op
        known = self.infer(op.fn, args, kwargs)
        if isinstance(op.out.fact.shape, tuple) and known.kind != "unknown":
            known = known.with_shape(op.out.fact.shape)  # the value is what it was
        vague = known.kind == "unknown" or (
            known.kind == "real" and op.out.fact.kind == "array"
        )
        if vague and op.out.fact == FLOAT:  # a Python float only among Python floats
            known = op.out.fact if _are_python(args) else Fact("scalar", None, ())
            vague = False
        same = vague or known is op.out.fact
        out = op.out if same else replace(op.out, fact=known)
        self.known[out.name] = out
        return _renewed(op, args, kwargs, out)

    def _kept_python(self, value: Atom, replaced: Atom) -> Atom:
        """What is handed to a function of the text, which relies on Python floats."""
        if fact(replaced) == FLOAT and fact(value).kind == "scalar":
            return self.apply(float, value)
        return value

    def simplify(self, op: Apply) -> Atom:
        """The atom that an op comes down to; ops are added for what remains."""
        rewrites = self.rules.get(op.fn, ())
        if op.out.fact is FLOAT:
            rewrites = self.of_floats.get(op.fn, rewrites)
        for rewrite in rewrites:
            value = rewrite(self, op)
            if value is not None:
                return value
        return self.keep(op)

    def keep(self, op: Apply) -> Atom:
        """Add an op as it is, or the atom of an equal one in scope."""
        if op.effect:
            self.builder.ops.append(op)
            return op.out
        op = without_defaults(op)
        # two names for new memory are two pieces of memory; an iterator runs out
        new = allocates(op.fn) or (self.beside and op.fn in LITERALS)
        if new or makes_iterator(op.fn):
            self.made[op.out.name] = op
            self.builder.ops.append(op)
            return op.out
        key = likeness(op.fn, op.args, op.kwargs)
        known = self.seen.get(key)
        lent = known is not None and self._is_lent(known, op)
        if known is not None and not lent:
            return known
        self.seen.note(key, op.out, instead=lent)
        self.made[op.out.name] = op
        self.builder.ops.append(op)
        return op.out

    def apply(
        self,
        fn: Fn,
        *args: Atom,
        kwargs: Kwargs = (),
        form: Form | None = None,
        spelling: str = "",
        fact: Fact | None = None,
    ) -> Atom:
        """The simplified value of `fn(*args)`, for rewrites to build on."""
        scratch = self._scratch()
        scratch.apply(fn, *args, kwargs=kwargs, form=form, spelling=spelling, fact=fact)
        return self.simplify(_only(scratch))

    def plain(self, fn: Fn, *args: Atom) -> Atom:
        """The value of `fn(*args)` as it stands, no rewrite tried."""
        (scratch := self._scratch()).apply(fn, *args)
        return self.keep(_only(scratch))

    def method(self, name: str, x: Atom, *args: Atom, kwargs: Kwargs = ()) -> Atom:
        """The simplified value of `x.name(*args)`."""
        scratch = self._scratch()
        scratch.method(name, x, *args, kwargs=kwargs)
        return self.simplify(_only(scratch))

    def attribute(self, name: str, x: Atom) -> Atom:
        """The simplified value of `x.name`; a shape is that of what has a name."""
        if name in ("shape", "size"):
            x = self.shaped_like(x, also=True)
        scratch = self._scratch()
        scratch.attribute(name, x)
        return self.simplify(_only(scratch))

    def _scratch(self) -> Builder:
        """A builder of one op, which is then taken from it."""
        self.scratch.origin = self.builder.origin
        return self.scratch

    # ------------------------------------------------------------ atoms and facts

    def atom(self, atom: Atom) -> Atom:
        """What an atom has become."""
        while isinstance(atom, Var) and atom.name in self.known:
            known = self.known[atom.name]
            if isinstance(known, Var) and known.name == atom.name:
                if known.fact.present == atom.fact:
                    return atom  # where it is not None
                return known  # the same variable, of which something else is known now
            atom = known
        return atom

    def _end(self, atom: Atom | Undefined) -> Atom | Undefined:
        return atom if isinstance(atom, Undefined) else self.atom(atom)

    def called(self, value: Atom, hint: str | None) -> Atom:
        """Hand a name on to the value that the last op has just made."""
        ops = self.builder.ops
        if not hint or not isinstance(value, Var) or value.hint or not ops:
            return value
        last = ops[-1]
        if isinstance(last, Apply) and last.out == value:
            named = with_hint(value, hint)
            ops[-1] = with_out(last, named)
            self.made[value.name] = ops[-1]  # type: ignore[assignment]
            return named
        return value

    def at_hand(self, fn: Fn, x: Atom) -> bool:
        """Whether a function has been called with x first where this runs."""
        return self.seen.holds(fn, x)

    def known_as(self, value: Atom, known: Fact) -> Atom:
        """The value that the last op has just made, of which the fact is known."""
        ops = self.builder.ops
        last = ops[-1] if ops else None
        if isinstance(last, Apply) and last.out == value:
            out = replace(last.out, fact=known)
            made = ops[-1] = replace(last, out=out)
            self.made[out.name] = made
            return out
        return value

    def made_by(self, name: str) -> Apply | None:
        """The op of either sweep that made a variable."""
        return self.made.get(name) or self.forward.get(name)

    def maker_of(self, atom: Atom) -> Apply | None:
        """The op of either sweep that made an atom."""
        return self.made_by(atom.name) if isinstance(atom, Var) else None

    def maker(self, atom: Atom, *fns: Fn) -> Apply | None:
        """The op that made an atom, where its function is one of `fns`."""
        op = self.made.get(atom.name) if isinstance(atom, Var) else None
        return op if op is not None and op.fn in fns else None

    def inner(self, atom: Atom, *fns: Fn) -> Apply | None:
        """The op that made an atom which the text would nest: nameless, read once."""
        op = self.nameless(atom, *fns)
        return op if op is not None and self.uses.get(op.out.name, 1) < 2 else None

    def nameless(self, atom: Atom, *fns: Fn) -> Apply | None:
        """The op that made an atom without a name, though it may be read more than
        once: for ops that cost nothing to do again elsewhere, as a change of sign."""
        op = self.maker(atom, *fns)
        return op if op is not None and is_weak(op.out.hint) else None

    def shaped_like(self, x: Atom, *, also: bool = False) -> Atom:
        """A value with the shape and dtype of x that the text has a name for, if there
        is one: the shape of `(y - target) ** 2` is that of `target`. also: one of
        another dtype, too, such as the places of `x[places]`."""
        waiting = [x]
        while waiting:
            candidate = waiting.pop(0)
            if not isinstance(candidate, Var):
                continue
            if candidate.hint is not None or candidate.name not in self.forward:
                return candidate
            waiting += [
                arg
                for arg in self._operands(self.forward[candidate.name])
                if isinstance(arg, Var)
                and (is_as_wide(fact(arg), fact(x)) or (also and _is_array(arg)))
                and self.assumed.same_shape(arg, x)
            ]
        return x

    def _operands(self, op: Apply) -> Iterator[Atom]:
        """What an op reads, the parts of an index apart."""
        for arg in op.args:
            made = self.forward.get(arg.name) if isinstance(arg, Var) else None
            yield from made.args if made and made.fn is build_tuple else (arg,)


def _is_array(atom: Atom) -> bool:
    return fact(atom).kind == "array"


def _are_python(atoms: Iterable[Atom]) -> bool:
    """Whether values are Python's own numbers, as far as they are numbers."""
    return all(fact(a).is_python or not fact(a).may_be_array for a in atoms)


fact = fact_of_atom
"""What is known of an atom, by the name that rewrites call it."""


_renewed: Callable[..., Apply] = replacer(Apply, "args", "kwargs", "out")


def _only(scratch: Builder) -> Apply:
    op = scratch.ops.pop()
    assert isinstance(op, Apply)
    return op


def is_as_wide(one: Fact, other: Fact) -> bool:
    """Whether an array surely holds floats of as many digits as another."""
    return one.dtype == "f8" or same_dtype(one.dtype, other.dtype)


def is_narrower(one: Atom, other: Atom) -> bool:
    """Whether one holds floats of less than 64 bits, and the other may not."""
    a, b = fact(one).dtype, fact(other).dtype
    is_narrow = a is not None and a.kind == "f" and a.itemsize < 8
    return is_narrow and not same_dtype(a, b)


Rewrite = Callable[[Rewriter, Apply], "Atom | None"]
