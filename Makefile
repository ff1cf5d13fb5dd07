# Parley needs Go and nothing else to build and run. `make run` is the place to begin.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The linter, deadcode and the test runner, each at the version that .ci/tools.mod names.
TOOL := go tool -modfile=.ci/tools.mod

# Kill loops are about a process that the race detector does not see.
FAULTS := ./internal/testkit/faults/...
# Where nothing runs side by side there is nothing to race with; benchmarks and the measuring of answers would take too long under the
# detector, commands start the server that other packages test with it, and of the index the tests in SEARCHES run with it.
PLAIN := . ./bench/... ./cmd/parley ./internal/eval ./internal/memory ./internal/vault \
  ./internal/ingest/extract ./internal/ingest/extract/draft ./internal/ingest/extract/html \
  ./internal/ingest/extract/office ./internal/ingest/extract/pdf ./internal/model/prompt ./internal/model/quote ./internal/retrieval \
  ./internal/synonym ./internal/text/... ./internal/voice/vad
# Tests of the index that something can race with: searches side by side, and indexes that are loaded, rebuilt and dropped meanwhile.
SEARCHES := ^Test(SearchWhile|Concurrent|Fragmented|IndexFollows|LeastRecently|FailureIsNotCached)
# Voice sessions take place in real time, 20 ms after 20 ms: they have the machine for themselves.
ALONE = ./internal/server $$(go list ./internal/voice/... | grep -v voice/vad | tr "\n" " ")
# Packages that read the front end or the manual. All others are tested without them, so that their results stay when a page changes.
PAGED := go list -f '{{.ImportPath}}: {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}} ' ./... | \
  sed -n '/ parley\/\(docs\|web\|internal\/manual\) /s/: .*//p'
PAGES = $$($(PAGED) | grep -vxFf <(go list $(FAULTS) $(PLAIN) $(ALONE)) | tr '\n' ' ')
OTHERS = $$(go list ./... | grep -vxFf <(go list $(FAULTS) $(PLAIN) $(ALONE); $(PAGED)) | tr '\n' ' ')
WITHOUT_PAGES := -tags parley_noweb,parley_nomanual
# What counts the processor's time, allocations or memory would count those of the race detector.
COUNTS := Test(Work(Of[A-Za-z]*)?|MemoryIsBounded)
COUNTING = $$(grep -rlE '^func $(COUNTS)\(' internal --include='*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|' | tr '\n' ' ')
# The race detector needs a C compiler. Without one the tests still run, and say so. SQLite's own code, a machine's translation from C,
# is left out of it: watching it takes most of the time, and whoever calls it is watched all the same.
RACE := $(shell [ "$$(go env CGO_ENABLED)" = 1 ] && command -v "$$(go env CC)" >/dev/null && echo "-race -gcflags=modernc.org/...=-race=false")
# PostgreSQL's programs, where they are installed: the tests start a server of their own.
POSTGRES := $(shell command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null)

# Node's package manager, where it is installed: clients of others are tested with it.
NPM := $(shell command -v npm)
# The packages of the front end.
WEB := web/voice web/console web/widget

define newline


endef

.PHONY: help run build packages test test-npm test-long flaky fuzz clients-check lint bench golden golden-go golden-npm node-version web web-dev

help:
	@echo "make run        build Parley and start it with an agent that has read the manual"
	@echo "make build      build ./bin/parley (VOICE=0, also of make run: without voice sessions, which compiles in half the time)"
	@echo "make packages   build what people download, for all systems, into ./dist (TARGETS=linux/amd64 for one)"
	@echo "make test       every test but the long ones; no network"
	@echo "make test-long  the long ones: kill, volume and fault loops (PART=kills runs one part)"
	@echo "make flaky      runs packages many times beside busy processes and lists what failed (PKG=./internal/chat N=10)"
	@echo "make fuzz       each fuzz target for a while; goes on where it stopped"
	@echo "make clients-check  generate clients with the usual tools and talk to a server"
	@echo "make lint       formatting, vet, golangci-lint and deadcode"
	@echo "make bench      speed beside a baseline measured in the same run"
	@echo "make golden     rewrite what is promised: OpenAPI and other golden files"
	@echo "make web        build the front end"
	@echo "make web-dev    build the console at every change, in front of a running server (SERVER=http://localhost:8080)"

# What make run and make build leave out: VOICE=0 leaves out voice sessions, and with them half of the packages to compile.
TAGS := $(if $(filter 0,$(VOICE)),-tags novoice)

# ARGS are handed on: make run ARGS="--listen 127.0.0.1:9000"
run: build
	@exec ./bin/parley demo $(ARGS)

# The program needs no C compiler. Only on a Mac the media server of voice sessions reads the processor's load through C: it is left out
# there when no compiler is found.
CGO := $(shell [ "$$(go env GOOS)" = darwin ] || echo CGO_ENABLED=0)

build:
	@echo "Building parley (the first build compiles the database driver and takes a minute or two) …"
	@$(CGO) go build -v $(TAGS) -o bin/parley ./cmd/parley 2>&1 | awk '\
	  /^[A-Za-z0-9.\/_-]+$$/ { printf "\r%d packages compiled", ++n; fflush(); next } \
	  { if (n) print ""; n = 0; print; fflush() } END { if (n) print "" }' >&2

# Archives, deb and rpm packages, lists of what is in them and checksums.
packages:
	@TARGETS="$(TARGETS)" .ci/packages

# Each part runs, also after one that failed; the summary tells what failed and fails then.
test:
	@[ -n "$(RACE)" ] || echo "No C compiler: running without the race detector."
	@[ -n "$(POSTGRES)" ] || echo "No PostgreSQL programs found: nothing is tested on PostgreSQL."
	@[ -n "$(NPM)" ] || echo "No npm found: the clients' tests are left out."
	@[ -n "$(PARLEY_CHECKS)" ] || rm -rf bin/checks
	@.ci/part "Go: without the race detector" .ci/gotest "$(PLAIN)" -skip '^$(COUNTS)$$'
	@.ci/part "Go: race detector" .ci/gotest "$(OTHERS)" -skip '^$(COUNTS)$$' $(RACE) $(WITHOUT_PAGES)
	@.ci/part "Go: pages, with the race detector" .ci/gotest "$(PAGES)" -skip '^$(COUNTS)$$' $(RACE)
	@.ci/part "Go: searches, with the race detector" .ci/gotest ./internal/retrieval -run '$(SEARCHES)' $(RACE)
	@.ci/part "Go: kill loops and other faults" .ci/gotest "$(FAULTS)" -p 1
	@.ci/part "Go: counted work" .ci/gotest "$(COUNTING)" -run '^$(COUNTS)$$'
	@.ci/part "Go: the client" go -C clients/go test -count=1 ./...
	@.ci/part "Go: generated clients" go -C clients/check test -count=1 -timeout 15m .
	@$(if $(NPM),$(foreach dir,clients/ts web/console web/widget,.ci/part $(dir) $(MAKE) test-npm DIR=$(dir);))
	@.ci/part "Go: voice and server, alone" .ci/gotest "$(ALONE)" -p 1 $(RACE)
	@$(if $(NPM),.ci/part web/voice $(MAKE) test-npm DIR=web/voice)
	@.ci/summary

# The programs that browsers and clients are tested with are built once.
test-npm: $(DIR)/node_modules/.package-lock.json
	@go build -o bin/test/ ./cmd/parley ./internal/testkit/voiceroom
	@cd $(DIR) && PARLEY_PROGRAM=$(CURDIR)/bin/test/parley PARLEY_VOICEROOM=$(CURDIR)/bin/test/voiceroom npm test

# npm writes this file when all of a folder's packages are there.
%/node_modules/.package-lock.json: %/package-lock.json | node-version
	@cd $* && npm ci --silent

# The bundler asks for this version: a distribution may have an older one.
node-version:
	@node -p 'const [major, minor] = process.versions.node.split("."); major > 20 || (major == 20 && minor >= 19)' | grep -q true || \
		{ echo "Node 20.19 or newer is needed, and this is $$(node --version)."; exit 1; }

# The long tests, in parts of at most an hour each: make test-long PART=kills
PARTS := kills postgres training disconnects files answers texts archives budget web widget reloads
LONG_kills := -run TestKillServer ./internal/testkit/faults
LONG_postgres := -run TestKillPostgres ./internal/testkit/faults
LONG_training := -run TestKillTraining ./internal/testkit/faults
LONG_disconnects := -run 'TestDisconnect|Provider|Anthropic' ./internal/testkit/faults
LONG_files := -run 'TestHostileUploads|TestDiskFull|TestExport|TestPageOfManyTags' ./internal/testkit/faults ./internal/ingest/extract
LONG_answers := ./internal/eval ./internal/voice/vad
# 100,000 messages; every mutation of every record; 10,000 edits of the audit log; 500 markers of a person.
LONG_archives := -run 'TestLongRoundTrip|TestMutatedRecords|TestEveryEditOfTheAuditLog|TestNoByteIsLeft' \
  ./internal/archive ./internal/store ./internal/person
# A thousand visitors empty the budget of an agent.
LONG_budget := -run TestVisitorsStopAtTheAgentsDailyLimit ./internal/api/chatapi
# The packages run one after the other: each counts the processor's time.
LONG_texts = -p 1 -run 'Work|Nested' $(COUNTING) ./internal/testkit/hostile
# Every look of every screen, every hostile string in every place, and the live view over a longer time; in a browser.
LONG_web := cd web/console && npm ci --silent && timeout 60m npm run --silent test:long
# Every state of the chat in every look, and every hostile string in every place of it.
LONG_widget := cd web/widget && npm ci --silent && timeout 60m npm run --silent test:long
# Answers that are lost at 1,000 random points.
LONG_reloads := cd web/widget && npm ci --silent && timeout 60m npm run --silent test:reloads

test-long:
	@$(foreach part,$(or $(PART),$(PARTS)),$(if $(LONG_$(part)),,$(error There is no part "$(part)": $(PARTS))))
	$(foreach part,$(or $(PART),$(PARTS)),PARLEY_LONG=1; export PARLEY_LONG; $(if $(filter web widget reloads,$(part)),,go test -v -count=1 -timeout 60m )$(LONG_$(part))$(newline)	)

# How often tests fail beside two busy processes: make flaky PKG="./internal/chat ./internal/jobs" N=10
flaky:
	@.ci/flaky "$(PKG)" "$(or $(N),10)" $(RACE)

# Each fuzz target for 30 seconds, those in files changed since SINCE for 2 minutes; it goes on where it stopped.
fuzz:
	@.ci/fuzz

# The clients for Go are part of every test; those for TypeScript take tools of their own.
clients-check:
	go -C clients/check test -count=1 -v -timeout 15m .
	@[ -n "$(NPM)" ] || { echo "No npm found: clients for TypeScript are not generated."; exit 1; }
	@cd clients/check && npm ci --silent && npm test

lint:
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }
	@# It vets as well. A cache of this checkout's own: a shared one answers with the paths of other checkouts, which the exclusions do not match.
	GOLANGCI_LINT_CACHE=$(CURDIR)/bin/lint-cache $(TOOL) golangci-lint run ./...
	@unreachable=$$($(TOOL) deadcode -test ./...); [ -z "$$unreachable" ] || { echo "Nothing calls:"; echo "$$unreachable"; exit 1; }
	@$(TOOL) deadcode ./... | sed -nE '/^internal\/testkit\//d; s/:[0-9]+:[0-9]+: unreachable func: / /p' | LC_ALL=C sort | \
		diff <(sed '/^#/d; /^$$/d' .deadcode | LC_ALL=C sort) - || { echo "Only tests call what is marked >; what is marked < is called and leaves .deadcode."; exit 1; }

# ARGS are handed on: make bench ARGS="-quick"
bench:
	go run ./bench $(ARGS)

golden: golden-go golden-npm

golden-go:
	go test -count=1 . ./internal/api/v2 ./internal/api/v1 ./internal/api/admin ./internal/api/chatapi ./internal/console \
		./internal/manual -run Golden -update

golden-npm: clients/ts/node_modules/.package-lock.json web/console/node_modules/.package-lock.json
	@for dir in clients/ts web/console; do (cd $$dir && npm run --silent generate) || exit 1; done

# What it builds is committed (web/built), so that building the server takes nothing but Go.
web: $(WEB:%=%/node_modules/.package-lock.json)
	@for dir in $(WEB); do (cd $$dir && npm run --silent build) || exit 1; done

# The console while it is worked on: SERVER is a running "parley demo" or "parley serve".
web-dev:
	@cd web/console && { [ -d node_modules ] || npm ci --silent; } && node dev.js $(SERVER)
