"""A text and the file that holds what it should be -> agreement, or a diff."""

from difflib import unified_diff
from pathlib import Path


def check_golden(path: Path, text: str, rewrite: bool) -> None:
    """Assert that the file at `path` holds `text`; with `rewrite`, make it so."""
    if rewrite:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    if not path.exists():
        raise AssertionError(f"no golden file {path.name}; `make golden` writes it")
    expected = path.read_text(encoding="utf-8")
    if text != expected:
        diff = unified_diff(
            expected.splitlines(keepends=True),
            text.splitlines(keepends=True),
            f"{path.name} (golden)",
            f"{path.name} (now)",
        )
        raise AssertionError(
            f"{path.name} is not what is printed now; if the change is right, "
            f"`make golden` takes it over\n{''.join(diff)}"
        )
