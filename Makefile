# Every target creates .venv when it is missing, from the tested versions in constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test endurance lint format bench clean

$(STAMP): pyproject.toml setup.py constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Eurisko needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,jail,routing,ray,postgres]'
	mkdir -p $(VENV)/src && ln -sfn ../.. $(VENV)/src/eurisko
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/eurisko evolve tsp_construct

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile

endurance: $(STAMP)
	$(BIN)/python -m pytest -m endurance tests/benchmarks/test_batch_endurance.py

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	MYPYPATH=$(VENV)/src $(BIN)/mypy $(foreach room,agents cli dashboard evaluators knowledge_base prompts sandbox telemetry syntax,-p eurisko.$(room))
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
