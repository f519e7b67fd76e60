"""The memory of results of the runtime helpers that have no rule.

The helpers that are missing here may hand on what they get.
"""

from __future__ import annotations

from yota_ast.ops.registry import named, state

state(
    *named(
        "runtime",
        "along_curve cofactors expand outer_last stored turned uncumprod"
        " uninterp_knots unmatrix_norm unqr unroots unset unsolve unstore unsvd"
        " uncubic unpiecewise unsorted along_interpolant unlogsumexp unfiltfilt"
        " unsosfiltfilt",
    ),
    memory="fresh",
)
state(*named("runtime", "unsum_sequence"), container="holding", listed=True)
state(*named("runtime", "picked in_form_of"), container="holding")
state(
    *named("runtime", "added_item unset_item with_item without_last"),
    container="new",
    listed=True,
)
state(*named("runtime", "ungetitem_of_sequence"), container="deep", listed=True)
state(
    *named("runtime", "zeros_of added_lists"),
    container="deep",
    apart=True,
    listed=True,
)
state(
    *named("runtime", "zeros_within zeros_in_lists"),
    container="deep",
    memory="fresh",
    apart=True,
)
state(*named("runtime", "added_within"), container="deep", memory="fresh")
