"""The tests, as a package: files in its folders may bear the same name."""
