# Each target makes the virtual environment that it needs. What has to be there:
# Python 3.11 or later with venv, make and git.
#
#   make demo      the examples, beginning with a printed gradient
#   make test      the tests
#   make test-all  the tests under every Python >= 3.11 that pyenv holds
#   make lint      ruff, mypy, the design, and what would be published
#   make golden    rewrite the expected texts; review the change with git diff
#   make docs      the site of the documentation, in out/site
#   make gallery   the pictures of the gallery, drawn anew
#   make bench     the benchmarks, and the table of the kernels in the docs
#   make fuzz      random programs, for MINUTES=10 or all of SEEDS=0:1000
#   make fuzz-tests  the randomised tests alone, at length
#   make cupy-tests  which functions reach CuPy; installs it, and needs no GPU
#   make gpu       operations, an example and a benchmark on a CUDA device
#   make machine-tests  the examples on Dask, joblib, Ray and MPI; installs them
#   make test-browser  reports in a headless Chromium, a notebook and a terminal
#   make clean     remove whatever these targets made

PYTHON ?= python3
VENV ?= .venv
PYENV_ROOT ?= $(HOME)/.pyenv
PYTEST_ARGS ?= -n 2
MINUTES ?= 10
CUPY ?= cupy-cuda12x

BIN := $(VENV)/bin
DEMO_TARGET := examples/linear_regression.py:objective --wrt b \
    --like 'Y=float[1000], X=float[1000,10], b=float[10]'
EXAMPLES := linear.py logistic.py tape.py simplegrad.py linear_regression.py vae.py
BENCHMARK := benchmarks/run.py
DIST := out/dist
GOLDEN := tests/golden tests/tangent tests/stores/test_goldens.py \
    tests/adjoint/test_keep_texts.py tests/refusals tests/explaining/test_explain.py \
    tests/emitting/test_text.py tests/constructs/test_docs.py tests/pages \
    tests/commands tests/table/test_table.py tests/rules/test_coverage_page.py \
    tests/batching tests/adjoint/checkpoints tests/test_dispatch.py

# One BLAS thread: two of them beside another busy process are many times slower.
export OPENBLAS_NUM_THREADS = 1
export OMP_NUM_THREADS = 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Tests start some hundred processes: none of them is to compile the package anew.
export PYTHONDONTWRITEBYTECODE =
# Plots go to files, on machines without a display too.
export MPLBACKEND = Agg

.PHONY: help demo test test-all test-browser lint golden docs gallery bench fuzz fuzz-tests cupy-tests gpu machine-tests clean
.DELETE_ON_ERROR:
# Two pips must not write to one environment at once.
.NOTPARALLEL:

help:
	@sed -n 's/^#   //p' Makefile

demo: $(VENV)/.stamp-examples
	$(BIN)/yota-ast show-grad $(DEMO_TARGET)
	@set -e; for name in $(EXAMPLES); do \
	    printf '\n== examples/%s\n' $$name; $(BIN)/python examples/$$name; \
	done

test: $(VENV)/.stamp-test
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-all:
	@tried=; failed=; \
	for home in $(PYENV_ROOT)/versions/*; do \
	    python=$$home/bin/python; version=$${home##*/}; \
	    $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	        2> /dev/null || continue; \
	    tried="$$tried $$version"; echo "== Python $$version"; \
	    $(MAKE) --no-print-directory test PYTHON=$$python VENV=.venv-$$version \
	        || failed="$$failed $$version"; \
	done; \
	test -n "$$tried" || { echo "no Python >= 3.11 in $(PYENV_ROOT)"; exit 1; }; \
	test -z "$$failed" || { echo "failed under:$$failed"; exit 1; }; \
	echo "passed under:$$tried"

lint: $(VENV)/.stamp-lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python .ci/check_design.py
	rm -rf $(DIST)
	$(BIN)/hatchling build -d $(DIST) 2> /dev/null
	$(BIN)/twine check --strict $(DIST)/*
	$(BIN)/check-wheel-contents $(DIST)/*.whl

test-browser: $(VENV)/.stamp-test $(VENV)/.stamp-browser
	$(BIN)/python -m pytest tests/viewing

golden: $(VENV)/.stamp-test
	$(BIN)/python -m pytest $(GOLDEN) --rewrite-golden
	cd examples/project && $(abspath $(BIN))/yota-ast emit

docs: $(VENV)/.stamp-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	! grep -rnE '(src=|<link[^>]*href=)"https?:' out/site --include='*.html'
	@echo 'out/site/index.html; with search: python3 -m http.server -d out/site'

gallery: $(VENV)/.stamp-docs
	@set -e; for script in $(filter-out %/running.py,$(wildcard examples/gallery/*.py)); do \
	    echo $$script; $(BIN)/python $$script \
	        --plot docs/gallery/$$(basename $$script .py).png; \
	done

bench: $(VENV)/.stamp-bench
	$(BIN)/python $(BENCHMARK)
	$(BIN)/python benchmarks/calls.py
	$(BIN)/python benchmarks/kernel_table.py --write

# FUZZ_ARGS='--log FILE' remembers what has been run, and goes on from there.
fuzz: $(VENV)/.stamp-test
	$(BIN)/python -m tests.fuzzing $(FUZZ_ARGS) \
	    $(if $(SEEDS),--seeds $(SEEDS),--minutes $(MINUTES))

fuzz-tests: $(VENV)/.stamp-test
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m 'fuzz or part' --hypothesis-profile=fuzz

cupy-tests: $(VENV)/.stamp-test
	$(BIN)/python -m pip install --quiet $(CUPY)
	$(BIN)/python -m pytest $(PYTEST_ARGS) --hypothesis-profile=fuzz tests/test_dispatch.py

# PyTorch and JAX for the device are compared with where they are installed.
gpu: $(VENV)/.stamp-test $(VENV)/.stamp-examples
	$(BIN)/python -m pip install --quiet $(CUPY)
	$(BIN)/python -m pytest tests/test_gpu.py
	$(BIN)/python examples/cu_vae.py
	$(BIN)/python benchmarks/gpu.py

machine-tests: $(VENV)/.stamp-test $(VENV)/.stamp-machines
	$(BIN)/python -m pytest $(PYTEST_ARGS) tests/test_distributed.py

clean:
	rm -rf .venv .venv-* dist build out *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find yota_ast tests examples benchmarks -name __pycache__ -prune \
	    -exec rm -rf {} + 2> /dev/null || true

# .stamp-GROUP: the package, editable, with that dependency group of pyproject.toml.
# `pip install --group` is newer than the pip of the oldest Python that is supported.
$(VENV)/.stamp-%: pyproject.toml .ci/group.py | $(VENV)/.stamp
	$(BIN)/python .ci/group.py $* > $(VENV)/$*.txt
	$(BIN)/python -m pip install --quiet --no-compile --editable . --requirement $(VENV)/$*.txt
	@touch $@

$(VENV)/.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	    "yota-ast needs Python 3.11 or later: make ... PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	@touch $@
