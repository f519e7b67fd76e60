"""The comparison with golden files itself."""

import pytest

from tests.golden_text import check_golden


def test_what_was_written_agrees(tmp_path):
    path = tmp_path / "new" / "case.txt"
    check_golden(path, "é = 1\n", rewrite=True)
    check_golden(path, "é = 1\n", rewrite=False)


def test_a_difference_is_shown_as_a_diff(tmp_path):
    path = tmp_path / "case.txt"
    check_golden(path, "a = 1\nb = 2\n", rewrite=True)
    with pytest.raises(AssertionError, match=r"(?s)make golden.*-b = 2\n\+b = 3"):
        check_golden(path, "a = 1\nb = 3\n", rewrite=False)


def test_a_missing_file_is_an_error_that_names_the_remedy(tmp_path):
    with pytest.raises(AssertionError, match=r"no golden file case\.txt; `make golden"):
        check_golden(tmp_path / "case.txt", "", rewrite=False)
