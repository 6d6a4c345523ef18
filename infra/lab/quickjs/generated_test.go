package main

import (
	"os"
	"testing"
)

// TestEngineIsMadeFromItsSources holds the engine that is checked in against the digests that make quickjs wrote with it.
func TestEngineIsMadeFromItsSources(t *testing.T) {
	want, err := os.ReadFile("generated.sum")
	if err != nil {
		t.Fatal(err)
	}
	got, err := digests("../../..")
	if err != nil {
		t.Fatal(err)
	}

	if got != string(want) {
		t.Errorf("the engine or what it is made from changed alone; run make quickjs\ngot\n%swant\n%s", got, want)
	}
}
