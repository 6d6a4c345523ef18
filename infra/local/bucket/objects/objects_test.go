package objects

import (
	"bytes"
	"io"
	"os"
	"testing"

	"minicloud/shared/clock"
)

// TestWritesBehindAKill: what a killed process was writing is gone when the store opens again, and nothing else.
func TestWritesBehindAKill(t *testing.T) {
	dir := t.TempDir()
	store, err := Open(dir, []string{name}, clock.System)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Put(name, "a", []byte("whole")); err != nil {
		t.Fatal(err)
	}
	reading, writing := io.Pipe()
	go store.Write(name, Object{Key: "a"}, reading, nil)
	if _, err := writing.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
		t.Fatal(err)
	}

	again, err := Open(dir, []string{name}, clock.System)
	if err != nil {
		t.Fatal(err)
	}
	object, err := again.Open(name, "a")
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	if body, err := io.ReadAll(object); err != nil || string(body) != "whole" {
		t.Errorf("%q, %v", body, err)
	}
	if left, err := os.ReadDir(again.unfinished()); err != nil || len(left) != 0 {
		t.Errorf("%v are left, %v", left, err)
	}
	writing.CloseWithError(io.ErrClosedPipe)
}
