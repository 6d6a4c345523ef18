# `make` prints what there is. Everything a target needs it gets itself.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

# Programs run in Lambda's own Linux: no C library, no path of this machine.
# Tests are compiled as the programs are, so that nothing is compiled twice.
export CGO_ENABLED := 0
export GOFLAGS := $(GOFLAGS) -trimpath
BUILD := go build
# The product is one Go module, infra/lab another: LAB names both, for the targets that need the second.
LAB := $(CURDIR)/infra/lab/go.work
ALL := ./... ./infra/lab/...
test lint ports quickjs bench versus fault mutate race fuzz sim seed conformance scenarios smoke day: export GOWORK := $(LAB)
# The console's page is made of these; without npm its program says how to build it.
WEB := functions/console/web
PAGE := $(WEB)/dist/index.html
PAGE_SOURCES := shared/httpapi/openapi/openapi.json functions/cloudfunction/api/event_samples.json $(wildcard $(addprefix $(WEB)/,index.html *.json *.ts build/*.ts) shared/runtime/prelude/declarations/*.ts) $(shell find $(WEB)/src $(WEB)/public -type f -not -name schema.d.ts)
HAVE_NPM := $(shell command -v npm)
PROGRAMS := $(notdir $(patsubst %/main.go,%,$(wildcard functions/*/main.go)))
DATA_DIR ?= .local
USERS ?= 10000
export DATA_DIR
# Of what `go build -v` says: complaints as they are, packages on one line that a terminal renews, and one line in a hundred elsewhere.
PROGRESS := awk -v live=$$([ -t 2 ] && echo 1 || echo 0) '/[ :\t]/ { print; next } { n++ } \
  live { printf "\r\033[K%d packages compiled, now %s", n, $$1; fflush() } !live && n % 100 == 0 { print n " packages compiled"; fflush() } \
  END { if (n) printf "%s%d packages compiled\n", live ? "\r\033[K" : "", n }'
# The local DynamoDB is brought by npm only where it has one and the machine has none.
HAVE_ENGINE := $(or $(DYNAMODB_BIN),$(AWS_ENDPOINT_URL_DYNAMODB),$(shell command -v dynoxide 2>/dev/null),\
  $(wildcard $(or $(CARGO_HOME),$(HOME)/.cargo)/bin/dynoxide),$(filter-out Linux-x86_64,$(shell uname -sm | tr ' ' '-')))
ifeq ($(strip $(HAVE_ENGINE)),)
NPM_ENGINE := infra/node_modules/.package-lock.json
endif
# What must compile besides this machine's own, and the tests of what only Linux has in full.
PLATFORMS := darwin/arm64 linux/arm64
# Other systems can only miss what packages ask of the system themselves; vetting all of ours for each would take minutes.
SYSTEM_PACKAGES = grep -rlE --include='*.go' '"(syscall|golang.org/x/sys/unix)"|^//go:build' functions shared infra \
  | xargs -n1 dirname | grep -v node_modules | sort -u | sed 's|^|./|'
PORTABLE := ./shared/runtime/process ./infra/sandbox ./infra/local/child
# JavaScript itself and node:crypto are the same on every system.
PORTABLE_SKIP := TestCrypto|TestSandbox/(conformance|language)
need_go = command -v go >/dev/null || { echo "Go is not installed: version 1.26 or later builds everything here"; exit 1; }
ZIPPED_LIMIT_KB := 12288
# The longest tests begin first, and packages whose tests mostly wait run side by
# side: otherwise the last one keeps a core idle.
LONG_TESTS := ./infra/scenario ./infra/lab/fault ./shared/runtime/prelude ./shared/table/manage ./functions/cloudfunction/api \
  ./functions/console/api ./infra/packages
# Tests allocate much and keep little: with less garbage collection they take a third less processor time.
LESS_GC := GOGC=400
# Databases of tests wait for the disk at each write, unless they are in a file system in memory that runs programs.
IN_MEMORY = if dir=$$(mktemp -d -p /dev/shm 2>/dev/null); then trap "rm -rf $$dir" EXIT; \
  if cp /bin/true $$dir/true && $$dir/true && [ $$(df -Pk $$dir | awk 'END { print $$4 }') -gt 2000000 ]; then \
  export TMPDIR=$$dir; fi; fi
# The Go tool links every test binary in each run, 100 s of processor time: infra/linkcache keeps them (3 GB), in the file system
# of the Go tool's work.
LINKED := $(CURDIR)/.local/test-bin/linked
LINK_CHANGED = mkdir -p $(LINKED)/work; go build -o $(LINKED)/linkcache ./infra/linkcache; export LINKCACHE=$(LINKED) GOTMPDIR=$(LINKED)/work

.DEFAULT_GOAL := help
.PHONY: help run compiled test engine quickjs console packages stories pictures lint ports check house openapi clients fuzz bench versus fault mutate race sim seed conformance scenarios smoke day recount redrive migrate replay sam-local build aws-cli validate fmt clean

help: ## print this list
	@echo "minicloud: a backend platform for mini-programs. Start with 'make run'."
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# npm downloads and bundles while Go compiles; the local cloud then only links the programs, most of them into one.
run: ## build everything and serve it on this machine (PORT=8080 DATA_DIR=.local)
	@$(need_go)
	@$(if $(HAVE_NPM),:,echo "npm is not installed: everything is there but the console's page")
	@$(MAKE) --no-print-directory -j2 compiled engine $(if $(HAVE_NPM),$(PAGE))
	@exec .local/bin/local

# Everything but the wiring, which is compiled later: the console's embeds the page.
compiled:
	@set -o pipefail; { $(BUILD) -v -tags lambda.norpc ./shared/... $(addprefix ./,$(wildcard functions/*/api functions/*/consumer)) && \
	  $(BUILD) -v -o .local/bin/local ./infra/local; } 2>&1 | $(PROGRESS)

test: engine $(PAGE) infra/packages/node_modules/.package-lock.json ## make lint, make ports and every test
	@$(need_go)
	@$(MAKE) --no-print-directory -j2 -O lint ports # side by side: the one computes, the other waits; go test need not vet again
	@$(LINK_CHANGED); $(IN_MEMORY); $(LESS_GC) go tool gotestsum --format pkgname -- -toolexec $(LINKED)/linkcache -vet=off -count=1 -p 5 \
	  -timeout 60m $(LONG_TESTS) $(ALL)

# staticcheck comes by the tool line of go.mod. It keeps what it found out: about a minute of processor time the first time,
# two seconds after that. The generated JavaScript engine is left out: it has 300,000 lines that nobody wrote.
lint: ## gofmt, go vet and staticcheck
	@$(need_go)
	@unformatted="$$(gofmt -l functions shared infra)"; \
	  if [ -n "$$unformatted" ]; then echo "not formatted, run 'make fmt':"; echo "$$unformatted"; exit 1; fi
	GOWORK=off go list -deps -test ./... >/dev/null # the product's go.mod alone has all that it imports
	go vet $(ALL)
	go tool staticcheck $$(go list $(ALL) | grep -v '/shared/runtime/quickjs$$')

ports: ## vet for a Mac and for arm64, and test on Linux the ways such kernels take
	@$(need_go)
	@for platform in $(PLATFORMS); do \
	  echo "go vet for $$platform"; \
	  GOOS=$${platform%/*} GOARCH=$${platform#*/} go vet $$($(SYSTEM_PACKAGES)) || exit 1; \
	  GOOS=$${platform%/*} GOARCH=$${platform#*/} go build -ldflags='-s -w' -o .local/test-bin/$$platform/ ./functions/sandbox ./infra/local || exit 1; \
	done
	go test -count=1 -vet=off -tags portable -skip '$(PORTABLE_SKIP)' $(PORTABLE)

engine: $(NPM_ENGINE) ## say which DynamoDB serves here, or which command brings one
	@$(need_go)
	@go run ./infra/engine $(if $(filter engine,$(MAKECMDGOALS)),,-quiet)

console: $(PAGE) ## build the console's page into its program

packages: infra/packages/node_modules/.package-lock.json ## bundle the seventy packages, and compare what they give with Node
	@$(need_go)
	@go test -count=1 -v ./infra/packages -args -warm | grep -v -e '^=== ' -e '^--- '

stories: engine $(PAGE) ## play every story of the console in Chromium; screenshots in .local/screenshots
	@$(need_go)
	@go test -count=1 -v -timeout 20m ./infra/browser -args -all
	@go test -count=1 -v -timeout 20m -run 'TestGrownApplication$$' ./infra/scenario -args -chromium

pictures: engine $(PAGE) ## take the pictures of the console for the README
	@$(need_go)
	@go test -count=1 -timeout 5m ./infra/browser -args -only pictures
	@mkdir -p infra/docs/images
	@for name in overview why trace editor; do cp .local/screenshots/pictures-$$name.png infra/docs/images/console-$$name.png; done

house: ## print the figures of the structure: lines, packages, rooms and floors, comments
	@$(need_go)
	@go run ./infra/check/house

check: ## the tests about the repository itself: imports, template and code, fixtures
	@$(need_go)
	go test -count=1 ./infra/check/...

openapi: ## write shared/httpapi/openapi/openapi.json from what stands beside the routes
	@$(need_go)
	go test -count=1 -run 'TestDocument$$' ./infra/openapi -update

CLIENTS := infra/openapi/clients
clients: engine $(PAGE) $(CLIENTS)/typescript/node_modules/.package-lock.json ## lint the description, generate a Go and a TypeScript client, play a story with each
	@$(need_go)
	@cd $(CLIENTS)/typescript && npx --no-install spectral lint -F warn $(CURDIR)/shared/httpapi/openapi/openapi.json
	@cd $(CLIENTS)/typescript && npx --no-install redocly lint $(CURDIR)/shared/httpapi/openapi/openapi.json
	@go test -count=1 -v -timeout 20m ./$(CLIENTS) -args -play

$(CLIENTS)/typescript/node_modules/.package-lock.json: $(CLIENTS)/typescript/package-lock.json
	@command -v npm >/dev/null || { echo "npm is not installed: it brings the linters and the TypeScript generator"; exit 1; }
	@cd $(CLIENTS)/typescript && npm ci --ignore-scripts --loglevel=error
	@touch $@

quickjs: ## rebuild the JavaScript engine from its C source, with the compiler that infra/lab/quickjs/tools.sum pins
	@$(need_go)
	@infra/lab/quickjs/build.sh $(DATA_DIR)/quickjs

bench: engine ## measure speed and cost on this machine (ONLY=Jobs, ROWS=20000, JOBS=50000)
	@$(need_go)
	@go test -run '^$$' -bench '$(or $(ONLY),.)' -timeout 120m ./infra/lab/bench

versus: engine ## compare logins and lists of own rows with PocketBase, which is built from its module, at 8 clients (ROWS=20000)
	@$(need_go)
	@go test -run '^$$' -bench . -benchtime 1x -timeout 60m ./infra/lab/bench/pocketbase

fault: engine ## kill everything at random while the API is used, and audit what is there (ROUNDS=24, SEED=…, or only EVENTS=20000)
	@$(need_go)
	@go test -count=1 -v -timeout 120m -run '$(if $(EVENTS),,TestManyRounds|)TestEveryEventFiresOnce' ./infra/lab/fault \
	  -args $(if $(EVENTS),,-rounds $(or $(ROUNDS),24)) -events $(or $(EVENTS),2000) -seed $(or $(SEED),0)

mutate: engine ## change PACKAGE=./shared/job in small ways, and list the changes that its tests do not notice (ONLY=file.go:12, TIME=5 minutes)
	@$(need_go)
	@if [ -z "$(PACKAGE)" ]; then echo "which package? make mutate PACKAGE=./shared/job"; exit 2; fi
	@go run ./infra/lab/mutate -only "$(ONLY)" -minutes $(or $(TIME),0) $(PACKAGE)

# The race detector needs a C compiler, and makes a program ten times as slow: tests that try something many times try
# it less often. The sandbox is left out: its child limits its own memory, which the detector's would count against,
# and the generated engine is one goroutine.
race: engine ## run the tests of shared and functions under the race detector (PACKAGE=./shared/... for some of them)
	@$(need_go)
	@command -v $$(go env CC) >/dev/null || { echo "a C compiler is not installed: the race detector needs one"; exit 1; }
	CGO_ENABLED=1 go test -count=1 -race -short -p 2 -timeout 30m $(or $(PACKAGE),$$(go list ./shared/... ./functions/... | grep -vE '/shared/runtime/(engine|prelude|process)$$'))

# The tool comes from PyPI into a folder of its own.
FUZZ := $(abspath $(DATA_DIR))/fuzz
fuzz: engine ## send CASES=20000 random requests made from the description, as one of two tenants (SEED=1, ONLY=operationId or ONLY=/console/api/)
	@$(need_go)
	@command -v python3 >/dev/null || { echo "python3 is not installed: it runs schemathesis"; exit 1; }
	@[ -x $(FUZZ)/bin/schemathesis ] || { python3 -m venv $(FUZZ) && $(FUZZ)/bin/pip install -q -r infra/lab/fuzz/requirements.txt; }
	@go run ./infra/lab/fuzz -schemathesis $(FUZZ)/bin/schemathesis -cases $(or $(CASES),20000) -seed $(or $(SEED),1) -only "$(ONLY)"

# One seed alone leaves a line for each call in a log in DATA_DIR.
sim: $(if $(COMPARE),engine) ## play seeds of everything on a virtual clock (SECONDS=60, SEED=… alone again, PLANTED=1 and ONLY=name, COMPARE=100000)
	@$(need_go)
	@mkdir -p $(DATA_DIR)
	@go test -count=1 -v -timeout 600m \
	  $(if $(COMPARE),-run TestAgainstTheEngine ./infra/lab/sim/memdb -args -operations $(COMPARE) -seed $(or $(SEED),1),\
	  $(if $(PLANTED),-overlay $$(go run ./infra/lab/sim/planted/overlay $(DATA_DIR)/planted) -vet=off \
	  -run TestPlantedBugs ./infra/lab/sim/plays -args -planted -bug "$(ONLY)",\
	  -run 'TestTriggers|TestRequests' ./infra/lab/sim/plays -args -seed $(or $(SEED),1) \
	  $(if $(SEED)$(SECONDS),$(if $(SECONDS),-seconds $(SECONDS),-seeds 1 -requests 1 -log $(abspath $(DATA_DIR))),-seconds 60))) \
	  | grep -v -e '^=== ' -e '^ *--- PASS'

# Both come from their registries into a folder of their own.
CONFORMANCE := $(abspath $(DATA_DIR))/conformance
JARS := $(CONFORMANCE)/dynamodb-local/.complete
MOTO := $(CONFORMANCE)/moto/.complete
conformance: engine $(JARS) $(MOTO) ## compare our DynamoDB and SQS with DynamoDB Local and moto, call by call; every difference needs a reason
	@$(need_go)
	@go test -count=1 -v -run 'TestOurs|TestTheirs' ./infra/lab/conformance -args -list -dynamodb-local $(dir $(JARS)) \
	  -moto $(dir $(MOTO))bin/moto_server | grep -v -e '^=== ' -e '^--- '

$(JARS): infra/lab/conformance/pom.xml
	@for tool in mvn java; do command -v $$tool >/dev/null || { echo "$$tool is not installed: DynamoDB Local needs Maven and Java 17"; exit 1; }; done
	@mvn -q -B -f $< dependency:copy-dependencies -DoutputDirectory=$(dir $@) && touch $@

$(MOTO): infra/lab/conformance/requirements.txt
	@command -v python3 >/dev/null || { echo "python3 is not installed: it runs moto"; exit 1; }
	@python3 -m venv $(dir $@) && $(dir $@)bin/pip install -q -r $< && touch $@

scenarios: engine $(PAGE) $(if $(filter dynamodb-local,$(ENGINE)),$(JARS)) ## play the stories of infra/scenario (ENGINE=dynamodb-local)
	@$(need_go)
	@$(if $(filter dynamodb-local,$(ENGINE)),go test -count=1 -v -timeout 30m -run TestScenarios ./infra/lab/conformance -args -scenarios \
	  -dynamodb-local $(dir $(JARS)),go test -count=1 -timeout 30m ./infra/scenario)

day: ## play a day of 200 million runs against the limits of AWS: what throttles first, waits, costs (RUNS=200000000, SEED=1)
	@$(need_go)
	@cd infra/lab && go run ./day -runs $(or $(RUNS),200000000) -seed $(or $(SEED),1)

smoke: ## try a deployment from outside in a minute (BASE_URL=https://… CLIENT_ID=… CLIENT_SECRET=… TEST_ENV=…)
	@$(need_go)
	@BASE_URL="$(or $(BASE_URL),http://127.0.0.1:$(or $(PORT),8080))" go run ./infra/lab/smoke

recount: ## compare the counters with the rows and jobs they count (REPAIR=1 repairs them)
	@$(need_go)
	@go run ./infra/recount $(if $(REPAIR),-repair)

redrive: ## give records of streams that were given up to their programs again (LOST_RECORDS_BUCKET=… for a stack)
	@$(need_go)
	@go run ./infra/redrive

migrate: ## count the stored items in an earlier form (WRITE=1 changes them, RATE=500 items per second)
	@$(need_go)
	@go run ./infra/migrate $(if $(WRITE),-write) $(if $(RATE),-rate $(RATE))

seed: engine ## give the demo application users (USERS=10000), while make run is stopped
	@$(need_go)
	@go run ./infra/lab/seed/users -n $(USERS)

replay: engine ## give an event to its program: make replay EVENT=events/apigateway/04-run-function.json
	@$(need_go)
	@if [ -z "$(EVENT)" ]; then echo "which event? make replay EVENT=…, one of:"; ls events/*/*.json; exit 2; fi
	@go run ./infra/replay "$(EVENT)"

sam-local: ## the API by sam local in Docker, beside make run (SAM_PORT=3000)
	@$(need_go)
	@infra/samlocal/samlocal.sh $(SAM_FLAGS)

build: $(PAGE) ## build every program as for Lambda, print its zipped size, compare its calls of AWS with its policy
	@$(need_go)
	@go run ./infra/local -only-build
	@for program in $(PROGRAMS); do \
	  size=$$(( $$(gzip -6 -c $(DATA_DIR)/build/$$program/bootstrap | wc -c) / 1024 )); \
	  printf '%-16s %6d KB zipped\n' $$program $$size; \
	  if [ $$size -gt $(ZIPPED_LIMIT_KB) ]; then echo "$$program is over $(ZIPPED_LIMIT_KB) KB"; exit 1; fi; \
	done
	@go run ./infra/operations $(DATA_DIR)/build

AWSCLI := $(abspath $(DATA_DIR))/awscli
aws-cli: $(AWSCLI)/.complete ## play what people do with `aws s3` against the S3 of the local cloud
	@$(need_go)
	@go test -count=1 -v -run TestAWSCLI ./infra/local/bucket -args -aws $(AWSCLI)/bin/aws

$(AWSCLI)/.complete: infra/local/bucket/awscli.txt
	@command -v python3 >/dev/null || { echo "python3 is not installed: it runs the AWS CLI"; exit 1; }
	@python3 -m venv $(AWSCLI) && $(AWSCLI)/bin/pip install -q -r $< && touch $@

validate: ## prove template.yaml: strict reader, cfn-lint, sam build for x86_64 and arm64 (FULL=1 FROM=commit: rehearse an upgrade)
	@$(need_go)
	@infra/validate/validate.sh

fmt: ## format every Go file
	@$(need_go)
	gofmt -w functions shared infra

clean: ## remove what was built; the data in .local stays
	rm -rf .aws-sam .local/bin .local/build .local/test-bin infra/node_modules infra/packages/node_modules $(WEB)/node_modules $(WEB)/dist/*
	go clean -testcache

infra/packages/node_modules/.package-lock.json: infra/packages/package-lock.json
	@command -v npm >/dev/null || { echo "npm is not installed: it brings the packages whose bundles are tested"; exit 1; }
	@cd infra/packages && npm ci --ignore-scripts --loglevel=error
	@touch $@

$(WEB)/node_modules/.package-lock.json: $(WEB)/package-lock.json
	@command -v npm >/dev/null || { echo "npm is not installed: it builds the console's page"; exit 1; }
	@cd $(WEB) && npm ci --loglevel=error
	@touch $@

# Types first: a page that does not fit the API is not built.
$(PAGE): $(WEB)/node_modules/.package-lock.json $(PAGE_SOURCES)
	@echo "building the console's page"
	@cd $(WEB) && node_modules/.bin/openapi-typescript $(CURDIR)/shared/httpapi/openapi/openapi.json -o src/api/schema.d.ts >/dev/null
	@cd $(WEB) && node_modules/.bin/tsc --noEmit && node_modules/.bin/vite build --logLevel warn

# npm writes this file last.
infra/node_modules/.package-lock.json: infra/package-lock.json
	@for tool in npm node; do command -v $$tool >/dev/null || { go run ./infra/engine; exit 1; }; done
	@cd infra && npm ci --loglevel=error
	@touch $@
