"""Each way of writing into an array, in each setting: right, or refused as listed."""

import pytest

from .checking import verdict
from .settings import SETTINGS
from .snippets import CHAPTERS

REFUSED = {
    "whole item_method": "is not supported by its rule",
    "calls flat": "written since",
    "calls flat_slice": "written since",
    "calls partition": "writes into the array",
    "views array_no_copy": "is not supported by its rule",
    "views astype_no_copy": "is not supported by its rule",
    "views view_method": "view has no rule",
    "views split": "written since",
    "views split_list": "written since",
    "views hsplit": "written",
    "views choice": "written since",
    "views choice_other": "written since",
    "objects list_computed": "written since",
}
"""What is refused in every setting, and a part of the reason."""
SOMEWHERE = {
    "views unpack_split": "items of unknown number",
    "objects nested_function": "is used as a value",
}
"""What is refused in some settings."""
NAMES = [(chapter, name) for chapter, all_ in CHAPTERS.items() for name in all_]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(("chapter", "name"), NAMES)
def test_store(chapter, name, setting, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    whole = f"{chapter} {name}"
    found = verdict(CHAPTERS[chapter][name], setting, whole)
    if whole in REFUSED:
        assert found.startswith("refused")
        assert REFUSED[whole] in found
    elif whole in SOMEWHERE and found.startswith("refused"):
        assert SOMEWHERE[whole] in found
    else:
        assert found == "right"


@pytest.mark.parametrize("setting", ["plain", "caller"])
@pytest.mark.parametrize(("chapter", "name"), NAMES)
def test_store_in_general_text(chapter, name, setting):
    whole = f"{chapter} {name}"
    found = verdict(CHAPTERS[chapter][name], setting, whole, general=True)
    assert found == "right" or found.startswith("refused")
