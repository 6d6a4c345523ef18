# `make` prints what there is. Everything a target needs it gets itself.

# Programs run in Lambda's own Linux: no C library, no path of this machine.
export CGO_ENABLED := 0
BUILD := go build -trimpath -ldflags='-s -w'
PROGRAMS := $(notdir $(patsubst %/main.go,%,$(wildcard functions/*/main.go)))
DATA_DIR ?= .local
export DATA_DIR
TOOLS := infra/node_modules/.package-lock.json
ZIPPED_LIMIT_KB := 12288

.DEFAULT_GOAL := help
.PHONY: help run test check bench replay build validate fmt clean

help: ## print this list
	@echo "minicloud: a backend platform for mini-programs. Start with 'make run'."
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(TOOLS) ## build everything and serve it on this machine (PORT=8080 DATA_DIR=.local)
	@mkdir -p .local/bin
	@$(BUILD) -o .local/bin/local ./infra/local
	@exec .local/bin/local

test: $(TOOLS) ## gofmt, go vet and every test
	@unformatted="$$(gofmt -l functions shared infra)"; \
	  if [ -n "$$unformatted" ]; then echo "not formatted, run 'make fmt':"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go test -count=1 -timeout 5m ./...

check: ## the tests about the repository itself: imports, template and code, fixtures
	go test -count=1 ./infra/check/...

bench: $(TOOLS) ## measure speed and cost on this machine
	@go run ./infra/bench

replay: $(TOOLS) ## give an event to its program: make replay EVENT=events/apigateway/04-run-function.json
	@if [ -z "$(EVENT)" ]; then echo "which event? make replay EVENT=…, one of:"; ls events/*/*.json; exit 2; fi
	@go run ./infra/replay "$(EVENT)"

build: $(PROGRAMS:%=.local/bin/%/bootstrap) ## build every program for Lambda and print its zipped size
	@for program in $(PROGRAMS); do \
	  size=$$(( $$(gzip -6 -c .local/bin/$$program/bootstrap | wc -c) / 1024 )); \
	  printf '%-16s %6d KB zipped\n' $$program $$size; \
	  if [ $$size -gt $(ZIPPED_LIMIT_KB) ]; then echo "$$program is over $(ZIPPED_LIMIT_KB) KB"; exit 1; fi; \
	done

validate: ## prove template.yaml: strict reader, cfn-lint, sam build for x86_64 and arm64
	@infra/validate/validate.sh

fmt: ## format every Go file
	gofmt -w functions shared infra

clean: ## remove what was built; the data in .local stays
	rm -rf .aws-sam .local/bin infra/node_modules
	go clean -testcache

# The Go tool knows what changed, so these always run.
.PHONY: FORCE
$(PROGRAMS:%=.local/bin/%/bootstrap): .local/bin/%/bootstrap: FORCE
	@$(BUILD) -o $@ ./functions/$*

# npm writes this file last. Set DYNAMODB_BIN where npm has no binary for the machine.
$(TOOLS): infra/package-lock.json
	@command -v npm >/dev/null || { echo "npm is not installed: it brings the local DynamoDB (or set DYNAMODB_BIN)"; exit 1; }
	@cd infra && npm ci --loglevel=error
	@touch $@
