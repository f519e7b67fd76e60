"""Links lead somewhere: to pages, to headings in them, to tests that there are."""

import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest

from .blocks import prose
from .running import REPOSITORY
from .test_pages import name_of

PAGES = [*REPOSITORY.glob("*.md"), *sorted(REPOSITORY.glob("docs/**/*.md"))]
DOCS = REPOSITORY / "docs"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
PATH = re.compile(
    r"`((?:yota_ast|tests|benchmarks|examples|codegen_templates)/[\w/.]*)`"
)


def slug(heading: str) -> str:
    """The anchor of a heading, as Python-Markdown makes it."""
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


@cache
def anchors(path: Path) -> frozenset[str]:
    text = re.sub(
        r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    return frozenset(map(slug, re.findall(r"^#+ (.*)$", text, re.MULTILINE)))


def links(path: Path) -> list[str]:
    return LINK.findall(prose(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_within_the_repository(path):
    for link in links(path):
        if re.match(r"[a-z]+:", link):
            continue
        where, _, anchor = link.partition("#")
        target = (path.parent / where).resolve() if where else path
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link
        if path.is_relative_to(DOCS):
            assert target.is_relative_to(DOCS), f"{link}: not a part of the site"


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_files_and_tests_that_are_named(path):
    text = path.read_text(encoding="utf-8")
    for name, test in TEST.findall(text):
        source = (REPOSITORY / name).read_text(encoding="utf-8")
        assert not test or f"def {test}(" in source, f"{name}::{test}"
    for name in PATH.findall(text):
        assert (REPOSITORY / name).exists(), name


def test_every_page_is_in_the_navigation():
    text = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"[\w/-]+\.md$", text.partition("\nnav:")[2], re.MULTILINE)
    assert sorted(listed) == sorted(
        str(path.relative_to(DOCS)) for path in DOCS.glob("**/*.md")
    )


def test_a_link_to_nowhere_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A head: one\n\n[x](page.md#a-head-one)\n`[y](z.md)`\n")
    test_links_within_the_repository(page)
    assert links(page) == ["page.md#a-head-one"]
    page.write_text("# A\n\n[x](#b)\n")
    with pytest.raises(AssertionError):
        test_links_within_the_repository(page)
    page.write_text("[x](nowhere.md)\n")
    with pytest.raises(AssertionError):
        test_links_within_the_repository(page)
