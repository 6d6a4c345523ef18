package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReplaceIsAtomic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	for _, content := range []string{"one", "two, which is longer", "3"} {
		if err := Replace(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != content {
			t.Errorf("%q, want %q", got, content)
		}
	}
	if about, err := os.Stat(path); err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", about.Mode(), err)
	}
	// A file cannot replace a folder; the temporary file must be removed.
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.MkdirAll(filepath.Join(folder, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(folder, []byte("x")); err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("a folder is replaced: %v", err)
	}
	if _, err := os.Stat(folder + ".next"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was begun is left: %v", err)
	}
}

func TestLogIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	log, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	log.most = 100
	for n := range 100 {
		fmt.Fprintf(log, "line %03d\n", n)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) != 1+generations {
		t.Fatalf("files %v, %v", files, err)
	}
	all := read(t, path+".2") + read(t, path+".1") + read(t, path)
	if lines := strings.Count(all, "\n"); lines < 20 || len(all) > 300 || !strings.HasSuffix(all, "line 099\n") {
		t.Errorf("%d lines:\n%s", lines, all)
	}
	if want := fmt.Sprintf("line %03d\n", 100-strings.Count(all, "\n")); !strings.HasPrefix(all, want) {
		t.Errorf("begins with %.9q, want %q: lines are missing in between", all, want)
	}
}

// TestLogIsContinued: the log continues after a restart, and if its rotation fails.
func TestLogIsContinued(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	for range 3 {
		log, err := OpenLog(path)
		if err != nil {
			t.Fatal(err)
		}
		log.most = 10
		fmt.Fprintln(log, "four")
		log.Close()
	}
	if got := read(t, path+".1") + read(t, path); got != "four\nfour\nfour\n" {
		t.Errorf("kept %q", got)
	}
	for _, name := range []string{path + ".1", path + ".2"} {
		_ = os.Remove(name)
		if err := os.MkdirAll(filepath.Join(name, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	log, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	log.most = 10
	for range 10 {
		if _, err := fmt.Fprintln(log, "more"); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(read(t, path), "more"); got != 10 {
		t.Errorf("%d lines of 10", got)
	}
}
