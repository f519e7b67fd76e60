r"""The history of IPython -> the texts that its magics have run.

`%%time`, `%%timeit` and their like compile what follows them under a name such as
`<timed exec>`, of which `linecache` knows no text. The text is in the history.

>>> list(magic_texts(["x = 1", "%%time -q\ny = f(x)\n", "z = %timeit -n 3 f(y)"]))
['f(y)', 'y = f(x)\n']
"""

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

_OPTION: Final = r"\s+-\w+(?:\s*\d+)?"
_LINE: Final = re.compile(
    rf"\s*(?:[\w\s,]+=\s*)?%\w+(?:{_OPTION})*\s+(?P<text>\S.*)", re.ASCII
)


def texts_of(filename: str) -> Iterator[str]:
    """Yield the texts that may have been compiled under a name that is no file's, the
    latest first."""
    shell = sys.modules.get("IPython")
    current: Any = shell.get_ipython() if shell and filename[:1] == "<" else None
    history = getattr(getattr(current, "history_manager", None), "input_hist_raw", ())
    yield from magic_texts(history)


def magic_texts(cells: Sequence[str]) -> Iterator[str]:
    """Yield the texts behind the magics of some cells, those of the last cell first."""
    for cell in reversed(cells):
        if cell.lstrip().startswith("%%"):
            yield cell.lstrip().partition("\n")[2]
        else:
            found = (_LINE.fullmatch(line) for line in reversed(cell.splitlines()))
            yield from (match["text"] for match in found if match)
