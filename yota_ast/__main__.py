"""`python -m yota_ast`: the command line."""

import sys

from yota_ast.tools.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
