r"""Text of Python -> its functions, whose source is known.

>>> import inspect
>>> names = from_source("def square(x):\n    return x * x\n")
>>> names["square"](3.0), inspect.getsource(names["square"])
(9.0, 'def square(x):\n    return x * x\n')
"""

from __future__ import annotations

import textwrap
from typing import Any

from yota_ast.codegen.generated_files import Loader, digest_of, keep_lines
from yota_ast.support.tracebacks import public


@public
def from_source(text: str, namespace: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run the text of a module, keep its lines, and return its namespace.

    The functions that it defines have a source, unlike those that `exec` makes, so they
    can be differentiated. `namespace` is what the text may read, as for `exec`: it is
    written into, and returned. Without it, a new one is made. Text that is indented as
    a whole is taken to the margin.

    The name of the file in messages follows from the text alone.
    """
    text = textwrap.dedent(text)
    digest = digest_of(text)
    filename = f"<source {digest}>/text.py"
    new: dict[str, Any] = {"__name__": f"source_{digest}"}
    names = new if namespace is None else namespace
    names.setdefault("__loader__", Loader(text))
    keep_lines(filename, text)
    exec(compile(text, filename, "exec", dont_inherit=True), names)
    return names
