# `make demo` and `make test` work on a fresh machine that has Python 3.11 or newer and make: the environment is set up once.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
USED := $(VENV)/.installed-for-use
# Tests run side by side, as many as there are cores unless JOBS says otherwise; neighbours on one worker, which share
# what they have in common.
JOBS ?= auto
# Bytecode is kept, whatever the environment says: else each start of Python compiles the library, and each worker of
# pytest rewrites the assertions of all tests.
unexport PYTHONDONTWRITEBYTECODE
# models/ and optim/ become packages inside flexblocks only when installed. Editors, which look for packages inside each
# other on the disk, read this folder of links, laid out as an installation is; what follows no links reads a copy of it.
LAYOUT := $(VENV)/layout
BENCHMARKS := subudhi_morris_2002 theodore_ghosal_1995 yu_chen_2019 operation_counts stiff_loops adaptive_implicit derivation right_hand_side simulation_accuracy assembly linearization planning planning_by_hand planning_pyomo_dae resolve minimum_time batch rollout fmu reduction fuzz

.PHONY: env layout demo test test-slow test-perturbed test-all bench docs release lint clean

env: $(STAMP) layout

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

# What the demo needs, a small part of the environment for tests and documentation; that one serves as well.
$(USED): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	test $(STAMP) -nt pyproject.toml || $(BIN)/python -m pip install --quiet --editable ".[plot,control,cli]"
	touch $@

# Made anew each time, which costs nothing: a file added to flexblocks/ itself is a link more.
layout: $(STAMP)
	@rm -rf $(LAYOUT) && mkdir -p $(LAYOUT)/flexblocks
	@ln -s $(CURDIR)/flexblocks/* $(CURDIR)/models $(CURDIR)/optim $(LAYOUT)/flexblocks/
	@ln -s $(CURDIR)/pyproject.toml $(LAYOUT)/
	@site=`$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))"` && \
		echo $(abspath $(LAYOUT)) > $$site/flexblocks-layout.pth

demo: $(USED)
	$(BIN)/flexblocks demo --out out

test: env
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test-slow: env
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m slow

# Every start of an optimisation moved by rounding: what fails here would fail on another processor. In the folders whose
# tests solve plans.
PLANS := casadi_solver infeasibility model problem results strategy verification
test-perturbed: env
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(PLANS:%=tests/optim/%) --perturb-guesses=1

test-all: test test-slow

# Not every package compared with has a wheel for every machine; the benchmarks say which they leave out.
bench: env
	-$(BIN)/python -m pip install --quiet --editable ".[bench]"
	set -e; for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name; done

# The documentation site, in build/docs/index.html; notebooks run side by side, those alone that have changed since the
# last build.
docs: env
	$(BIN)/python -m sphinx -W --keep-going -j $(JOBS) -b html -d build/doctrees docs build/docs

# sdist and wheel in dist/, checked, and the wheel tested in a clean environment; nothing is uploaded.
release: env
	mkdir -p build
	.ci/release

lint: env
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	rm -rf build/layout && mkdir -p build && cp -rL $(LAYOUT) build/layout
	cd build/layout && $(abspath $(BIN))/pyright --pythonpath $(abspath $(BIN))/python
	cd build/layout && $(abspath $(BIN))/lint-imports --no-cache

clean:
	rm -rf build dist out
