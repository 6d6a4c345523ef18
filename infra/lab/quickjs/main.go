// Command quickjs translates a WebAssembly module to Go; build.sh makes the JavaScript engine of
// shared/runtime/quickjs with it:
//
//	go run ./infra/lab/quickjs engine.wasm >generated.go
//
//	QuickJS-ng + c/*.patch + c/*.c ─► clang ─► wasm ─► parse ─► translate ─► gofmt
//
// The C files are those in the source distribution of the Python package quickjs-ng. The result is checked in: nobody
// needs a C compiler to build minicloud. generated.sum has the digests of the sources and of the result, so that a test
// notices a change of either without the other.
//
// The public translator, wasm2go, does not serve: its code checks the bounds of every access and has no way to stop a
// loop. Here the memory is a reserved stretch of address space, and every loop checks whether to stop.
package main

import (
	"fmt"
	"go/format"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: quickjs engine.wasm >generated.go, as make quickjs does")
		os.Exit(2)
	}
	if err := build(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func build(file string) error {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	m, err := parse(wasm)
	if err != nil {
		return err
	}
	code, err := format.Source([]byte(translate(m)))
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(code)
	return err
}
