# `make compare` and `make test` do all the set-up; `make install` makes .venv ready for development.
.DEFAULT_GOAL := help
PYTHON ?= python3
OUT ?= memlab-results
SEEDS ?= 5
JOBS ?= 2
BIN := .venv/bin
CONSTRAINTS := .ci/constraints.txt

.PHONY: help install compare check test bench clean

help:  ## say what there is to do
	@sed -n 's/^\([a-z]*\):.*##/\1:/p' $(MAKEFILE_LIST)

.venv/pip:
	$(PYTHON) -m venv .venv
	@touch $@

.venv/runs: pyproject.toml $(CONSTRAINTS) | .venv/pip
	$(BIN)/pip install --quiet --constraint $(CONSTRAINTS) --editable .
	@touch $@

.venv/develops: pyproject.toml $(CONSTRAINTS) | .venv/pip
	$(BIN)/pip install --quiet --constraint $(CONSTRAINTS) --editable '.[dev]'
	@touch $@ .venv/runs

install: .venv/develops  ## make .venv, ready for development

compare: .venv/runs  ## play every scenario to every system, into OUT
	$(BIN)/memlab compare --out $(OUT) --seeds $(SEEDS) --jobs $(JOBS)

check: .venv/runs  ## prove the benchmark before any system is judged
	$(BIN)/memlab check

test: .venv/develops  ## what CI runs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest

bench: .venv/develops  ## time what must be fast, as ratios measured in one run
	$(BIN)/pytest tests/bench --capture=no

clean:  ## remove .venv and every cache
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
