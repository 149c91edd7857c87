# Silica: `make demo` shows it at work, `make test` checks everything. Both install what they need.

SHELL := /bin/bash
BIN := bin
CLANG := clang++-19

.PHONY: demo test setup yardsticks build check unit race validate accuracy clients bench bench-smoke clean

demo: build
	$(BIN)/silica profile examples/matmul.cu

# setup brings clang, the one tool beside Go that Silica uses; on systems without apt install it by hand.
setup:
	@command -v go >/dev/null || { echo "Silica needs Go 1.26 or later: https://go.dev/dl" >&2; exit 1; }
	@command -v cc >/dev/null && command -v $(CLANG) >/dev/null || { \
		command -v apt-get >/dev/null || { echo "install a C compiler and clang 19 (the program $(CLANG))" >&2; exit 1; }; \
		sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
		$$sudo apt-get update -qq && $$sudo apt-get install -y -qq gcc libc6-dev libstdc++-12-dev clang-19; }

# yardsticks brings what the benchmarks compare with: PoCL and OpenBLAS.
yardsticks:
	@command -v apt-get >/dev/null && ! dpkg -s pocl-opencl-icd ocl-icd-opencl-dev opencl-headers libopenblas-dev >/dev/null 2>&1 && { \
		sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
		$$sudo apt-get update -qq && $$sudo apt-get install -y -qq pocl-opencl-icd ocl-icd-opencl-dev opencl-headers libopenblas-dev; } || true

build: setup
	go build -o $(BIN)/silica ./cmd/silica
	go build -buildmode=c-shared -o $(BIN)/libsilica.so ./cmd/libsilica

check:
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not gofmt'ed: $$unformatted" >&2; exit 1; }
	go vet ./...
	go tool staticcheck ./...

unit: build yardsticks
	go test ./...

# The engines run blocks on several goroutines; the race detector watches the packages that do.
race: setup
	go test -race ./internal/mem ./internal/exec ./internal/exec/ref ./driver ./profile
	go test -race -run 'EngineContract' ./internal/exec/simd

test: check unit race validate

# validate runs the recorded instructions on both engines, random programs (some the same every day, some new) and every
# recorded kernel, from the recorded PTX and from its CUDA source, and compares outputs and counters.
validate: build
	$(BIN)/silica conform ../shared/conformance --engine ref
	$(BIN)/silica conform ../shared/conformance --engine simd
	$(BIN)/silica conform --random 300
	$(BIN)/silica conform --random 300 --seed $$(date +%Y%m%d)000000
	$(BIN)/silica validate ../shared/truth/h200
	$(BIN)/silica validate ../shared/truth/h200 --source

# accuracy times every recorded kernel with the model of the machine and writes docs/accuracy.md.
accuracy: build
	$(BIN)/silica validate ../shared/truth/h200 --accuracy > docs/accuracy.md
	$(BIN)/silica validate ../shared/truth/h200 --sass --accuracy >> docs/accuracy.md
	$(BIN)/silica validate internal/validate/programs --accuracy >> docs/accuracy.md

# clients installs frameworks and programs that use CUDA from their packages and runs their suites; docs/clients.md names them.
clients: build
	@python3 -c 'import venv, ensurepip' || { \
		command -v apt-get >/dev/null || { echo "install Python 3.10 or later with its module venv" >&2; exit 1; }; \
		sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
		$$sudo apt-get update -qq && $$sudo apt-get install -y -qq python3-venv; }
	go run ./clients

# bench measures everything beside its yardsticks and writes docs/performance.md; bench-smoke only shows that this works.
bench: build yardsticks
	go run ./bench/measure

bench-smoke: build yardsticks
	go test -run '^$$' -bench . -benchtime 1x -short ./bench
	go run ./bench/measure --short --passes 1

clean:
	rm -rf $(BIN)
