# make help lists the targets: those whose line ends with a text after ##.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find src examples -type f -not -name '*.so' -not -path '*__pycache__*')

.PHONY: help demo test test-all lint docs bench sanitize mutants fuzz fuzz-native fuzz-readers browser dist clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

demo: $(VENV)/.installed ## evaluate the bundled data
	@$(BIN)/rankstone demo

# One order of tests and one set of random examples; test-all draws others each time.
test: $(VENV)/.tools lint browser ## set-up, format, lint, types, layers, every test
	$(BIN)/pytest -n auto --dist loadgroup --randomly-seed=1

test-all: $(VENV)/.heavy .venv-peers/.installed lint browser ## the same with many more random examples and all peers
	$(BIN)/pytest -n auto --dist loadgroup --thorough
	.venv-peers/bin/pytest -n auto --thorough tests/peers/test_peers.py

docs: $(VENV)/.docs ## build the documentation site in build/docs
	PYTHONPATH=docs $(BIN)/python -m _site build/docs
	@echo "Open build/docs/index.html in a browser."

# The page of a report is tested in Debian's Chromium; without it these tests are skipped.
browser:
	@command -v chromium >/dev/null || \
	  { apt-get install -y -qq chromium || { apt-get update -qq && apt-get install -y -qq chromium; }; } \
	  >/dev/null 2>&1 || echo "Chromium could not be installed; tests of the report's page are skipped"

bench: $(VENV)/.tools ## time beside other tools, and write the pages that show it
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python benchmarks/run.py $(BENCH)

sanitize: $(VENV)/.tools ## the tests on a core built with AddressSanitizer and UBSan
	PATH="$(abspath $(BIN)):$$PATH" tests/native/sanitize.sh

# A sample of small changes of the sources, which the tests have to notice; ends in an hour.
mutants: $(VENV)/.heavy ## make small changes to the sources, which the tests have to notice; one hour
	$(BIN)/python tests/mutants/run.py --minutes $(or $(MUTANT_MINUTES),60) --sample $(or $(MUTANTS),200)

fuzz: fuzz-native fuzz-readers ## libFuzzer on the core for ten minutes (needs clang), Atheris on all readers for thirty

fuzz-native:
	tests/native/fuzz.sh $(or $(FUZZ_SECONDS),600)

fuzz-readers: .venv-fuzz/.installed
	.venv-fuzz/bin/python tests/fuzz/run.py $(or $(FUZZ_SECONDS),1800)

# The archives of a release: built, their contents checked, each installed and tried elsewhere.
dist: .venv-dist/.installed ## build the archives of a release, check them, install and try each
	rm -rf dist
	.venv-dist/bin/python -m build
	.venv-dist/bin/twine check --strict dist/*
	.venv-dist/bin/python release/check_dist.py dist/*
	.venv-dist/bin/python release/conda_recipe.py dist/*.tar.gz >dist/recipe.yaml
	@# The list of what an installation consists of, read off one that has nothing else in it.
	$(PYTHON) -m venv --clear --without-pip .venv-dist/installed
	.venv-dist/bin/python -m pip --python .venv-dist/installed install --quiet dist/*.whl
	.venv-dist/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
	  --output-file dist/sbom.cdx.json .venv-dist/installed

lint: $(VENV)/.tools ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports

$(VENV)/bin/python:
	@echo "Making a virtual environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/.installed: $(VENV)/bin/python $(SOURCES)
	@echo "Building and installing Rankstone into $(VENV): about a minute the first time ..."
	@$(BIN)/python -m pip install --quiet '.[report]' || $(BIN)/python -m pip install --quiet .
	@touch $@

$(VENV)/.tools: $(VENV)/.installed pyproject.toml
	@echo "Installing what the tests need: one to three minutes the first time ..."
	@$(BIN)/python -m pip install --quiet --group test
	@touch $@

$(VENV)/.docs: $(VENV)/.installed pyproject.toml
	@$(BIN)/python -m pip install --quiet --group docs
	@touch $@

$(VENV)/.heavy: $(VENV)/.tools
	$(BIN)/python -m pip install --quiet --group heavy
	@# The reference of the tests needs a newer mpmath than SymPy, which PyTorch brings, asks for.
	@$(BIN)/python -m pip install --quiet --no-deps 'mpmath>=1.4'
	$(BIN)/python -m pip install --quiet --no-deps beir  # its evaluation needs pytrec_eval only
	$(BIN)/python -m pip install --quiet --no-deps freshstack tqdm  # its measures need no more
	@touch $@

.venv-peers/.installed: $(SOURCES)
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv-peers/bin/python -m pip install --quiet . --group old-peers
	.venv-peers/bin/python -m pip install --quiet --no-deps recommenders  # its evaluation needs pandas only
	@touch $@

.venv-dist/.installed: pyproject.toml
	$(PYTHON) -m venv --clear .venv-dist
	.venv-dist/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv-dist/bin/python -m pip install --quiet --group dist
	@touch $@

.venv-fuzz/.installed: $(SOURCES)
	$(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv-fuzz/bin/python -m pip install --quiet . --group fuzz
	@touch $@

clean: ## remove environments and what was built
	rm -rf $(VENV) .venv-peers .venv-fuzz .venv-dist build dist
