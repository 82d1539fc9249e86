# Everything starts from one of these; see README.md.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The matrices are small: BLAS threads would only wait for each other.
export OMP_NUM_THREADS ?= 1
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.PHONY: run class test lint bench clean

run: $(VENV)/app.stamp
	$(BIN)/streamlit run app.py

# For a lecture hall: serves the local network. make class [ADDRESS=192.168.1.20] [PORT=8501]
class: $(VENV)/app.stamp
	$(BIN)/python -m pages._ui.classroom --address "$(ADDRESS)" --port "$(or $(PORT),8501)"

test: $(VENV)/browser.stamp
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/test.stamp
	$(BIN)/python benchmarks/speed.py

clean:
	rm -rf $(VENV)

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "BiNOTEARS needs Python 3.11 or newer: make PYTHON=python3.11 run")'
	$(PYTHON) -m venv $(VENV)

# torch first and by itself, so that nothing that depends on it picks another build.
$(VENV)/app.stamp: requirements.txt | $(VENV)/bin/python
	$(PIP) install "$$(grep '^torch==' requirements.txt)"
	$(PIP) install -r requirements.txt
	touch $@

$(VENV)/test.stamp: requirements-test.txt requirements-peers.txt $(VENV)/app.stamp
	$(PIP) install -r requirements-test.txt
	touch $@

# A browser for the browser tests: what is there, the system's package, or Playwright's own download.
$(VENV)/browser.stamp: $(VENV)/test.stamp
	command -v chromium || command -v chromium-browser || command -v google-chrome \
	  || { apt-get update -qq && apt-get install -y -qq chromium; } || $(BIN)/playwright install --with-deps chromium
	touch $@
