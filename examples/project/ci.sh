#!/usr/bin/env bash
# What CI runs. The gradients are checked where yota-ast is installed; the package and
# its tests run where it need not be: YOTA_AST and PYTHON say which is which.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
${YOTA_AST:-yota-ast} emit --check
${PYTHON:-python3} -m pytest -q
