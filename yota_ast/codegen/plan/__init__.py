"""Program -> the plan of its statements: names, nesting, what is saved; no text."""
