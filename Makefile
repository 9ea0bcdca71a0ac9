# Everything a contributor runs. `make test` is what continuous integration runs.
PYTHON ?= python3
VENV := .venv
TARGET := $(or $(CARGO_TARGET_DIR),target)
BIN := $(TARGET)/release/featherank
FUZZ_SECONDS ?= 600

.PHONY: test lint rust-test python-test extension wheel docs reproduce bench fuzz clean

test: lint rust-test python-test

# The library must build with none of its features and with each of them alone: users choose.
# featherank-features keeps the dependencies as the whole workspace has them, so that they are not
# checked again.
FEATURES := compression experiments parquet shards
# What is published must package: include files that are read at build time, and no path without
# version.
PUBLISHED := featherank featherank-report featherank-cli
lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	for features in "" $(FEATURES:%=featherank/%); do \
		cargo clippy --quiet --locked --package featherank --package featherank-features \
			--no-default-features --features "$$features" -- -D warnings || exit 1; \
	done
	cargo package --quiet --no-verify --allow-dirty --locked --offline $(PUBLISHED:%=--package %)

# Tests, then the examples in the documentation. Everything is built with the features of the whole
# workspace, so that the tests, the command and the Python module share one build.
TESTS := --workspace --locked --tests
rust-test:
	cargo test $(TESTS)
	cargo test --workspace --locked --doc

# With the binary of the Rust tests.
python-test: $(VENV)/installed extension chromium
	cargo test $(TESTS) --no-run --quiet
	FEATHERANK_BIN=$(TARGET)/debug/featherank $(VENV)/bin/python -m pytest -q -n 2 --dist loadfile python/tests

# The browser that the report is tested in: any Chromium or Chrome that is there, otherwise
# Debian's.
BROWSERS := chromium chromium-browser google-chrome google-chrome-stable
SUDO := $(if $(filter-out 0,$(shell id -u)),sudo)
.PHONY: chromium
chromium:
	@if [ -n "$$CHROMIUM_BIN" ]; then exit 0; fi; \
	for browser in $(BROWSERS); do if command -v $$browser > /dev/null; then exit 0; fi; done; \
	if ! command -v apt-get > /dev/null; then \
		echo "the report is tested in a browser: install Chromium, or set CHROMIUM_BIN to one"; exit 1; \
	fi; \
	$(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends chromium || \
		{ echo "Chromium could not be installed: install one, or set CHROMIUM_BIN to it"; exit 1; }

# The Python package from its sources, with a module that is built as the tests are.
MATURIN := VIRTUAL_ENV=$(CURDIR)/$(VENV) $(VENV)/bin/maturin
extension: $(VENV)/installed
	$(MATURIN) develop --locked --quiet

# The Python package as users install it.
wheel: $(VENV)/installed
	$(MATURIN) build --release --locked

.PHONY: release
release:
	cargo build --release --locked

# The command with its manual pages and completions, under PREFIX; DESTDIR is for packagers.
# BIN=FILE installs a command that is already built.
PREFIX ?= /usr/local
SHARE := $(DESTDIR)$(PREFIX)/share
.PHONY: install
install: $(if $(filter command,$(word 1,$(origin BIN))),,release)
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/man/man1 $(SHARE)/bash-completion/completions \
		$(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/featherank
	$(BIN) --quiet man $(SHARE)/man/man1
	$(BIN) completions bash > $(SHARE)/bash-completion/completions/featherank
	$(BIN) completions zsh > $(SHARE)/zsh/site-functions/_featherank
	$(BIN) completions fish > $(SHARE)/fish/vendor_completions.d/featherank.fish

PIP := $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check
$(VENV)/installed: python/requirements-test.txt
	$(PYTHON) -m venv $(VENV) || \
		{ echo "Python's venv module is missing (Debian: apt-get install python3-venv)"; exit 1; }
	$(PIP) -r python/requirements-test.txt
	touch $@

# The generated part of the documentation; a test fails when it is out of date.
docs: release extension
	$(BIN) methods --markdown > docs/methods.md
	$(VENV)/bin/python python/generate.py
	$(PYTHON) docs/make_picture.py $(BIN)

# The pictures of the report in the README.
.PHONY: screenshots
screenshots: release $(VENV)/installed chromium
	browser=$$(for browser in $(BROWSERS); do command -v $$browser; done | head -n 1); \
		$(VENV)/bin/python docs/make_screenshots.py $(BIN) "$${CHROMIUM_BIN:-$$browser}"

# Rankers and selectors on real data beside published figures; DATA is a folder with OHSUMED and
# MQ2008.
DATA ?= $(or $(FEATHERANK_DATA),../shared/data)
# The first one explains the protocol, the last one takes an hour. Rows that are finished are kept
# in target/reproduction, so that an interrupted run goes on; `rm -r` it when the code has changed.
PLANS := cheng2018 costa2010 laporte2015 sun2009 sousa2016 auto mofsrank
reproduce:
	cargo build --release --locked --package featherank-cli --package featherank-lab
	$(TARGET)/release/reproduce $(DATA) $(TARGET)/reproduction $(PLANS:%=experiments/%.toml) \
		> docs/reproduction.md.new
	mv docs/reproduction.md.new docs/reproduction.md

# How often recommendations of `auto` lose more than the margin; resumable. WORDS restricts the
# runs: names of populations and rankers, numbers of queries, runs=N.
WORDS ?=
.PHONY: calibrate
calibrate:
	cargo build --release --locked --package featherank-cli --package featherank-lab
	FEATHERANK_DATA=$(DATA) $(TARGET)/release/calibrate $(TARGET)/calibration.jsonl $(WORDS)

# Side-by-side timings against peers, as ratios measured in one run, and how the cost of training
# grows. RankSVM is set beside liblinear where OHSUMED is in DATA, and CFS and Consistency beside
# WEKA where that is installed too.
OHSUMED ?= $(wildcard $(DATA)/OHSUMED/QueryLevelNorm)
WEKA ?= $(wildcard /usr/share/java/weka.jar)
bench: $(VENV)/installed
	$(PIP) -r bench/requirements.txt
	cargo build --release --locked --package featherank-cli --package featherank-lab
	$(VENV)/bin/python bench/read_text.py
	$(VENV)/bin/python bench/convex_rankers.py $(addprefix --ohsumed ,$(OHSUMED))
	FEATHERANK_BIN=$(BIN) FIT_RANKER_BIN=$(TARGET)/release/fit_ranker \
		$(VENV)/bin/python bench/tree_rankers.py
	FEATHERANK_BIN=$(BIN) TIME_SELECTORS_BIN=$(TARGET)/release/time_selectors \
		$(VENV)/bin/python bench/filters.py
	FEATHERANK_BIN=$(BIN) TIME_SELECTORS_BIN=$(TARGET)/release/time_selectors \
		$(VENV)/bin/python bench/embedded.py \
		$(addprefix --ohsumed ,$(OHSUMED)) $(addprefix --mq2008 ,$(wildcard $(DATA)/MQ2008))
	EVOLVE_BIN=$(TARGET)/release/evolve $(VENV)/bin/python bench/evolve.py
	FEATHERANK_BIN=$(BIN) TIME_SELECTORS_BIN=$(TARGET)/release/time_selectors \
		EVALUATE_SUBSETS_BIN=$(TARGET)/release/evaluate_subsets $(VENV)/bin/python bench/spea2.py
	$(if $(and $(WEKA),$(OHSUMED)),FEATHERANK_BIN=$(BIN) \
		$(VENV)/bin/python bench/weka.py $(OHSUMED) --jar $(WEKA))
	$(TARGET)/release/growth
	$(MATURIN) develop --release --locked --quiet
	SCALE_COSTS_BIN=$(TARGET)/release/scale_costs $(VENV)/bin/python bench/scale.py

# Everything that reads bytes against hostile input for so many seconds each; `make test` runs each
# for less than one. With the build of the tests, which checks arithmetic for overflow.
fuzz:
	cargo run --locked --package featherank-fuzz -- $(FUZZ_SECONDS)

# The same guided by coverage; a nightly toolchain and cargo-fuzz are needed.
.PHONY: libfuzzer
libfuzzer:
	for target in $(notdir $(basename $(wildcard fuzz/fuzz_targets/*.rs))); do \
		mkdir -p fuzz/corpus/$$target && \
		cargo +nightly fuzz run $$target fuzz/corpus/$$target fuzz/corpus-seeds/$$target -- \
			-max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024 -timeout=10 -max_len=4096 || exit 1; \
	done

# Licences, duplicates and sources of dependencies; advisories if the database can be fetched.
.PHONY: deny
deny:
	@command -v cargo-deny > /dev/null || \
		{ echo "cargo-deny is missing: cargo install --locked cargo-deny"; exit 1; }
	cargo deny --locked check licenses bans sources
	cargo deny --locked check advisories || \
		echo "advisories were not checked, or there are some: see above"

clean:
	rm -rf $(VENV) target bench/out
