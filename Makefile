# `make demo` and `make test` work on a fresh machine that has Python 3.11 or newer and make: the environment is set up once.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Tests run side by side; as many as there are cores unless JOBS says otherwise.
JOBS ?= auto
LAYOUT := build/layout
BENCHMARKS := operation_counts derivation right_hand_side simulation_accuracy assembly planning planning_by_hand planning_pyomo_dae resolve minimum_time batch fmu reduction

.PHONY: env demo test test-slow test-all bench lint clean

env: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

demo: env
	$(BIN)/flexblocks demo --out out

test: env
	$(BIN)/python -m pytest -n $(JOBS)

test-slow: env
	$(BIN)/python -m pytest -n $(JOBS) -m slow

test-all: test test-slow

# Not every package compared with has a wheel for every machine; the benchmarks say which they leave out.
bench: env
	-$(BIN)/python -m pip install --quiet --editable ".[bench]"
	set -e; for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name; done

# models/ and optim/ become packages inside flexblocks only when installed. Tools that look for packages inside each
# other on the disk are run on a copy laid out that way.
lint: env
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	rm -rf $(LAYOUT)
	mkdir -p $(LAYOUT)
	cp -r pyproject.toml flexblocks $(LAYOUT)/
	cp -r models optim $(LAYOUT)/flexblocks/
	cd $(LAYOUT) && $(abspath $(BIN))/pyright --pythonpath $(abspath $(BIN))/python
	cd $(LAYOUT) && $(abspath $(BIN))/lint-imports --no-cache

clean:
	rm -rf build out
