"""The plan -> Python source."""
