"""Each script of the gallery has a page, a picture and a place in the index.

The pages run the scripts: see `pages/test_pages.py`.
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = sorted(
    path.stem
    for path in (ROOT / "examples" / "gallery").glob("*.py")
    if path.stem != "running"
)
PAGES = ROOT / "docs" / "gallery"


def test_there_are_sixteen():
    assert len(SCRIPTS) == 16
    there = {path.stem for path in PAGES.glob("*.md")} - {"index"}
    assert there == {path.stem for path in PAGES.glob("*.png")} == {*SCRIPTS}


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_has_its_places(name):
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    assert f"]({name}.png)]({name}.md)" in index
    assert f"gallery/{name}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert f"]({name}.png)" in page
    assert f"$ python {name}.py\n" in page  # so that the script runs in the tests


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_picture_is_small(name):
    assert (PAGES / f"{name}.png").stat().st_size < 120_000
