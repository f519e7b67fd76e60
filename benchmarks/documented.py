"""A table -> a page of the docs that shows it, between two marks."""


def put_into(page, table, name="table"):
    """Put a table into a page, in the place of what stands between its marks.

    Raises ValueError if the page has no such marks.
    """
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    text = page.read_text(encoding="utf-8")
    if not (start in text and end in text):
        raise ValueError(f"{page.name} has no place for the table {name!r}")
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{start}{table}{end}{after}", encoding="utf-8")
