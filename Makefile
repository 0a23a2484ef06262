# The programs that are built go to bin/. Everything needs Go and git only; race
# needs a C compiler as well.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME   ?= 1m

# Of make conformance: the number of programs (0 is all) and the time it may take
# (0 is as long as it needs).
SLICE  ?= 0
BUDGET ?= 0

# Of make conformance: -mixed to leave every second function plain.
MODE ?=

# Of make programs: the first seed, and where the programs that differ go. BUDGET
# says for how long, 10 minutes if it is 0.
FIRST ?= 1000
OUT   ?= out/programs

# Of make torture: how long each variant may take (10 minutes if it is 0), and the only
# engine to try.
ENGINE ?=

# Of make sim: how many seeds each simulation runs, from FIRST on.
SEEDS ?= 10000

.PHONY: demo test race lint generate golden bench fuzz build conformance programs torture sim soak handoff confined

# demo serves real clients from examples/echo and examples/httpd, on both
# drivers, and prints what it measured.
demo:
	go generate ./examples/...
	$(MAKE) --no-print-directory build
	bin/demo bin

build:
	go build -o bin/ ./cmd/cogen ./examples/echo ./examples/httpd ./internal/demo

test:
	go test ./...

race:
	go test -race -short ./...

lint:
	@unformatted=$$(git ls-files '*.go' | grep -v /testdata/ | xargs gofmt -l); \
		if [ -n "$$unformatted" ]; then echo "not gofmt-clean:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go run $(STATICCHECK) ./...
	go test ./internal/golden -count=1 -run TestStaticcheck -staticcheck $(STATICCHECK)
	cd bench && go vet ./...

# generate brings every generated file up to date; golden, those of the golden
# cases together with their wanted diagnostics and outputs.
generate:
	go generate ./...
	cd bench && go generate ./...

golden:
	go test ./internal/golden -run 'TestGenerated|TestOutput/plain$$' -update

# bench measures side by side with what Go has, and writes bench/RESULTS.md.
bench:
	cd bench && go run .

fuzz:
	go test ./transform -run '^$$' -fuzz . -fuzztime $(FUZZTIME)

# programs compares random programs with what they do as plain Go, from seed FIRST on
# for the time BUDGET. Those that differ are put into OUT.
programs:
	@mkdir -p $(OUT)
	go test ./internal/differential -count=1 -timeout 0 -run TestSeeds -v -first $(FIRST) -seeds 1000000000 -batch 40 \
		-budget $(if $(filter 0,$(BUDGET)),10m,$(BUDGET)) -keep $(abspath $(OUT)) -seen $(abspath $(OUT))/seen

# conformance runs Go's own test programs as state machines and compares them with
# what they do as plain Go. A whole run writes docs/conformance.md.
conformance:
	@mkdir -p out
	go run ./internal/conformance -slice $(SLICE) -budget $(BUDGET) $(MODE) \
		-results out/conformance.jsonl -document docs/conformance.md

# sim runs the runtime's simulations with many seeds, see docs/rttest.md.
sim:
	COGEN_SEEDS=$(FIRST):$(SEEDS) go test ./rt/rttest -count=1 -timeout 0 -v -run Sim

# torture tries what the switching of stacks has to survive, see docs/stackful.md: in
# each variant of GODEBUG, for the time BUDGET on each engine.
TORTURES = gctrace=0 gcstoptheworld=1 gcstoptheworld=2 gcshrinkstackoff=1 clobberfree=1 gccheckmark=1 asyncpreemptoff=1 \
	tracefpunwindoff=1 adaptivestackstart=1 traceadvanceperiod=5000000,tracecheckstackownership=1

torture:
	go test -c -o bin/stackful.test ./rt/stackful
	for variant in $(TORTURES); do \
		echo "GODEBUG=$$variant"; \
		GODEBUG=$$variant bin/stackful.test -test.run 'TestTorture$$' -test.v -test.timeout 0 \
			-torture $(if $(filter 0,$(BUDGET)),10m,$(BUDGET)) $(if $(ENGINE),-engine $(ENGINE)) || exit 1; \
	done

# soak has sockets, files, cancellation and shutting down go on at once, with the runtime's
# invariants compiled in, for the time BUDGET (1 minute if it is 0) on each of DRIVERS.
DRIVERS ?= uring epoll

soak:
	go build -tags cogen_invariants -o bin/soak ./internal/soak
	for driver in $(DRIVERS); do \
		bin/soak -driver $$driver -for $(if $(filter 0,$(BUDGET)),1m,$(BUDGET)) || exit 1; \
	done

# handoff runs the runtime's tests with workers that are handed over all the time.
handoff:
	COGEN_HANDOFF=200us go test -race -short ./rt

# confined runs the tests of the runtime as an ordinary user, who may use io_uring, and as one
# who may not.
confined:
	go build -o bin/confine ./internal/confine
	go test -c -o bin/rt.test ./rt
	bin/confine -user 65534 bin/rt.test -test.short
	bin/confine -user 65534 -no-uring bin/rt.test -test.short
