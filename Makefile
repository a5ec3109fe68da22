# Everything a checkout needs comes from here: python3 and make are presumed, the rest is installed into .venv.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.made
BASE ?=
IMAGE ?= recon-action:dev
SUITES ?= live corpus unit beside chaos image
# The first Python that is new enough; a version manager's empty shim is not.
PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11,$(shell \
  $(name) -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $(name))))

.DEFAULT_GOAL := help
.PHONY: help dev demo test lint type fmt check golden bench soak image docs lock

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

dev: $(STAMP) ## .venv with everything in it

$(STAMP): requirements/dev.txt pyproject.toml
	@test -n '$(PYTHON)' || { echo 'Python 3.11 or newer is needed, and none of python3, python3.13, python3.12' \
	  'and python3.11 is one; name yours: make PYTHON=/path/to/python3' >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo 'Installing into $(VENV)'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP) ## a real control plane, a shop on it, a human's change noticed and undone
	@$(BIN)/recon-action demo

test: $(STAMP) ## every test: unit, on real control planes, and of the image (SUITES="live corpus unit beside chaos image")
	@$(BIN)/python scripts/suites.py $(SUITES)

lint: $(STAMP) $(BIN)/actionlint ## ruff, layers, action.yml, workflows, generated text
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml composite/action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml docs/examples/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/zizmor --offline --no-progress --persona=pedantic --config .github/zizmor.yml . docs/examples/*.yml
	@if test -x $(BIN)/actionlint; then set -x; $(BIN)/actionlint .github/workflows/*.yml docs/examples/*.yml; fi
	$(BIN)/python scripts/docs.py --check

# Pinned by scripts/tools/go.sum.
$(BIN)/actionlint: scripts/tools/go.mod scripts/tools/go.sum | $(STAMP)
	@if command -v go >/dev/null; then \
	  echo 'Building actionlint'; \
	  GOTOOLCHAIN=local GOFLAGS=-mod=readonly CGO_ENABLED=0 \
	    go -C scripts/tools build -trimpath -o ../../$@ github.com/rhysd/actionlint/cmd/actionlint; \
	elif test '$(RECON_REQUIRE_ALL)' = 1; then \
	  echo 'RECON_REQUIRE_ALL=1, but actionlint needs Go to be built' >&2; exit 1; \
	else \
	  echo 'actionlint is skipped: it is built with Go, and there is none'; \
	fi

type: $(STAMP) ## mypy, strict
	$(BIN)/mypy

fmt: $(STAMP) ## format, and fix what fixes itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: lint type ## all that reads the code and runs none of it

golden: $(STAMP) ## rewrite the golden reports; review the difference
	$(BIN)/python -m pytest -q tests/report/test_golden.py tests/report/test_issue.py tests/live/test_scenarios.py --rewrite-golden
	git --no-pager diff --stat -- tests/report/golden tests/report/issues tests/live/golden

bench: $(STAMP) ## every benchmark in turn
	@for benchmark in $$(grep -l '^def main' benchmarks/*.py); do \
	  echo "== $$benchmark"; $(BIN)/python $$benchmark || exit 1; \
	done

soak: $(STAMP) ## the long runs; write what they say, and the commit, into benchmarks/SOAK.md and CHAOS.md
	RECON_PROOF_ROUNDS=60 RECON_PROOF_SEED=100 $(BIN)/python -m pytest -q tests/live/test_proof.py -k agree
	RECON_LOCAL_APPS=all RECON_LOCAL_ROUNDS=2 $(BIN)/python -m pytest -q --timeout 3600 tests/live/test_read_only.py
	RECON_SCHEMA_APPS=all RECON_SCHEMA_ROUNDS=20 $(BIN)/python -m pytest -q --timeout 3600 \
	  tests/live/cases/test_definition_schema.py
	RECON_VALIDATE_APPS=all $(BIN)/python -m pytest -q --timeout 3600 tests/live/test_validate_corpus.py
	RECON_MUTATIONS=5000 RECON_HOSTILE_MIB=16 $(BIN)/python -m pytest -q tests/hostile
	RECON_CHAOS_ROUNDS=200 RECON_CHAOS_TABLE=benchmarks/CHAOS.md $(BIN)/python -m pytest -q --timeout 7200 tests/chaos

image: ## the action's image (IMAGE=…, BASE=…): with docker where it runs, else with buildah
	@if docker info >/dev/null 2>&1; then \
	  docker build $(if $(BASE),--build-arg BASE=$(BASE)) --tag $(IMAGE) .; \
	else \
	  scripts/image.sh build $(IMAGE) $(BASE); \
	fi

docs: $(STAMP) ## write the generated parts of action.yml and README.md
	@$(BIN)/python scripts/docs.py

lock: $(STAMP) ## resolve the locks anew (UPGRADE=1: to the newest versions)
	$(BIN)/python scripts/lock.py $(if $(UPGRADE),--upgrade)
