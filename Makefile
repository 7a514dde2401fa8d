# make demo: evaluate the bundled data.   make test: run every check and every test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find src examples -type f -not -name '*.so' -not -path '*__pycache__*')

.PHONY: demo test test-all lint bench sanitize fuzz fuzz-native fuzz-readers clean

demo: $(VENV)/.installed
	@$(BIN)/rankstone demo

test: $(VENV)/.tools lint
	$(BIN)/pytest -n auto --dist loadgroup

test-all: $(VENV)/.heavy .venv-peers/.installed lint
	$(BIN)/pytest -n auto --dist loadgroup --thorough
	.venv-peers/bin/pytest -n auto --thorough tests/test_peers.py

bench: $(VENV)/.tools
	$(BIN)/python benchmarks/run.py

sanitize: $(VENV)/.tools
	PATH="$(abspath $(BIN)):$$PATH" tests/native/sanitize.sh

fuzz: fuzz-native fuzz-readers

fuzz-native:
	tests/native/fuzz.sh $(or $(FUZZ_SECONDS),600)

fuzz-readers: .venv-fuzz/.installed
	.venv-fuzz/bin/python tests/fuzz/run.py $(or $(FUZZ_SECONDS),1800)

lint: $(VENV)/.tools
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/.installed: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet .
	@touch $@

$(VENV)/.tools: $(VENV)/.installed pyproject.toml
	$(BIN)/python -m pip install --quiet --group test
	@touch $@

$(VENV)/.heavy: $(VENV)/.tools
	$(BIN)/python -m pip install --quiet --group heavy
	$(BIN)/python -m pip install --quiet --no-deps beir  # its evaluation needs pytrec_eval only
	@touch $@

.venv-peers/.installed: $(SOURCES)
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv-peers/bin/python -m pip install --quiet . --group old-peers
	.venv-peers/bin/python -m pip install --quiet --no-deps recommenders  # its evaluation needs pandas only
	@touch $@

.venv-fuzz/.installed: $(SOURCES)
	$(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv-fuzz/bin/python -m pip install --quiet . --group fuzz
	@touch $@

clean:
	rm -rf $(VENV) .venv-peers .venv-fuzz build
