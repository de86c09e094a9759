# The two commands of the README, and those around them. Everything runs in .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.installed
OLDEST := .venv-oldest
RAY := .venv-ray

.PHONY: train test test-slow browser test-uncompiled test-boundscheck test-oldest ray test-ray lint
.PHONY: lock audit reliability wheel-check docs bench against results clean

# torch first and alone: its version is what decides how large the download is.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt torch
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	touch $@

# From a fresh checkout to a trained, evaluated Sunpleat agent with its report.
train: $(READY)
	$(BIN)/quiltrail train sunpleat

test: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal
	$(MAKE) test-uncompiled wheel-check

# Long comparisons, statistics, the oldest supported Gymnasium: an hour or so.
test-slow: test test-oldest test-boundscheck test-ray browser
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[fuzz]'
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

# For the tests of web pages and of the window, skipped where these are not. Debian, about 100 MB.
browser:
	command -v chromedriver && command -v xdotool || apt-get install -y --no-install-recommends \
		chromium chromium-driver xvfb xdotool || true

# A part of the suite without numba's compiler: the kernels are plain Python then.
test-uncompiled: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -q tests/core tests/conformance/test_single.py

# What runs kernels, compiled so that an index out of bounds is an error: half an hour or so.
test-boundscheck: $(READY)
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q \
		tests/core tests/envs tests/conformance tests/agents tests/fuzz

# The newest everything, but the oldest Gymnasium that is supported.
test-oldest: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(OLDEST)
	grep -v '^gymnasium==' constraints.txt > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet --upgrade pip
	$(OLDEST)/bin/python -m pip install --quiet -c $(OLDEST)/constraints.txt torch
	$(OLDEST)/bin/python -m pip install --quiet -c $(OLDEST)/constraints.txt \
		gymnasium==1.2.2 -e '.[dev]'
	$(OLDEST)/bin/python -m pytest -n 2 tests/conformance tests/testing tests/train tests/wrappers

# Sweeps on simulated clusters and RLlib, which pins its own Gymnasium: 2.5 GB, half an hour.
test-ray: ray
	$(RAY)/bin/python -m pytest tests/ray -m 'slow or not slow'

ray: $(RAY)/.installed

$(RAY)/.installed: pyproject.toml constraints.txt constraints-ray.txt
	$(PYTHON) -m venv $(RAY)
	grep -v '^gymnasium==' constraints.txt | cat - constraints-ray.txt > $(RAY)/constraints.txt
	$(RAY)/bin/python -m pip install --quiet --upgrade pip
	$(RAY)/bin/python -m pip install --quiet -c $(RAY)/constraints.txt torch
	$(RAY)/bin/python -m pip install --quiet -c $(RAY)/constraints.txt -e '.[sweep,rllib]' \
		hypothesis pytest pytest-timeout
	touch $@

# Hashes for those who install with --require-hashes; and known holes in the pinned packages.
AUDIT := .venv-audit
$(AUDIT)/.installed:
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/python -m pip install --quiet uv pip-audit
	touch $@

lock: $(AUDIT)/.installed
	head -n 2 requirements.lock > $(AUDIT)/head
	$(AUDIT)/bin/uv pip compile --quiet pyproject.toml --extra dev -c constraints.txt \
		--generate-hashes --no-header --no-annotate --python-version 3.11.7 \
		--python-platform linux -o $(AUDIT)/lock
	cat $(AUDIT)/head $(AUDIT)/lock > requirements.lock

audit: $(AUDIT)/.installed
	$(AUDIT)/bin/pip-audit -r requirements.lock --require-hashes --disable-pip

# The table of docs/reliability.md from its numbers; hours, all of them: see the page.
reliability: $(READY)
	$(BIN)/python -m benchmarks.reliability

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

wheel-check: $(READY)
	$(BIN)/python -m tools.wheel_check

# The site, in docs/_build/html; a warning is an error.
docs: $(READY)
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

# Ours and the nearest public environments, into docs/; quarter of an hour, peers in .venv-peers.
bench: $(READY)
	$(BIN)/python -m benchmarks.peers

# Instructions of a step here and at an older revision; fails where one has grown.
REF ?= origin/main
against: $(READY)
	$(BIN)/python -m benchmarks.against $(REF)

# Trains and plays what docs/results.md lacks, and writes the page.
results: $(READY)
	$(BIN)/python -m benchmarks.results

clean:
	rm -rf .venv .venv-peers $(OLDEST) $(RAY) $(AUDIT) build dist
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis
