# make demo   a daemon on a temporary home answers questions from both memories
# make test   every test
# make check  lint, types, import contracts (fast)
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test check fix clean

# The stamp is newer than the two files that say what to install, so a second run downloads nothing.
$(STAMP): pyproject.toml constraints.txt
	@echo "==> making $(VENV) (first run: some minutes, about 900 MB)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "memoryd needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -q --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -c constraints.txt -e . --group dev
	@touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/memoryd demo

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
