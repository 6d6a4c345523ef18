// Command quickjs makes shared/sandbox/quickjs/generated.go, the JavaScript
// engine in Go, from the C source of QuickJS-ng:
//
//	make quickjs
//
// The archive is the source distribution of the Python package quickjs-ng,
// which holds the engine's C files; its checksum is below. build.sh brings it
// and Debian's clang, lld and wasi-libc, each by the digest in tools.sum.
//
//	C + c/glue.c ─► patches ─► clang ─► wasm ─► parse ─► translate ─► gofmt
//
// The result is checked in: nobody needs a C compiler to build minicloud.
// generated.sum has the digests of what it was made from and of itself, so that
// a test notices a change of either without the other.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"go/format"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// sourceSum is the checksum of quickjs_ng-0.17.0.2.tar.gz.
const sourceSum = "43d2e48272208721a7aaea8e3f02d4b9318f12ef20cc4f5421b59d9a470706ef"

const target = "shared/sandbox/quickjs/generated.go"

//go:embed c/glue.c
var glue string

//go:embed c/words.c
var wordsSource string

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: quickjs quickjs_ng-0.17.0.2.tar.gz, in the top folder, as make quickjs does")
		os.Exit(2)
	}
	if err := build(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func build(archive string) error {
	dir, err := os.MkdirTemp("", "quickjs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := errors.Join(
		unpack(archive, dir), os.WriteFile(filepath.Join(dir, "glue.c"), []byte(glue), 0o644),
		os.WriteFile(filepath.Join(dir, "words.c"), []byte(wordsSource), 0o644),
	); err != nil {
		return err
	}
	if err := change(dir); err != nil {
		return err
	}

	wasm, err := compile(dir)
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

	if err := os.WriteFile(target, code, 0o644); err != nil {
		return err
	}
	sums, err := digests(".")
	if err != nil {
		return err
	}
	return os.WriteFile(sumFile, []byte(sums), 0o644)
}

// sumFile keeps the digests of the engine and of what it was made from.
const sumFile = "infra/lab/quickjs/generated.sum"

// digests are those of the sources of this command, tests aside, and of the engine that is checked in below root.
func digests(root string) (string, error) {
	here := filepath.Join(root, "infra", "lab", "quickjs")
	var sources []string
	for _, pattern := range []string{"*.go", "*.sh", "tools.sum", "c/*.c"} {
		names, err := filepath.Glob(filepath.Join(here, pattern))
		if err != nil {
			return "", err
		}
		sources = append(sources, names...)
	}

	all := sha256.New()
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%s %d\n%s", filepath.Base(name), len(data), data)
	}
	engine, err := os.ReadFile(filepath.Join(root, target))
	if err != nil {
		return "", err
	}

	return fmt.Sprintf("%x  the sources\n%x  %s\n", all.Sum(nil), sha256.Sum256(engine), target), nil
}

// unpack writes the C files of the archive into dir.
func unpack(archive, dir string) error {
	data, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != sourceSum {
		return fmt.Errorf("%s is not the source that this was made for", archive)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}

	for files := tar.NewReader(unzipped); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if path.Base(path.Dir(file.Name)) != "upstream-quickjs" {
			continue
		}
		content, err := io.ReadAll(files)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, path.Base(file.Name)), content, 0o644)
		}
		if err != nil {
			return err
		}
	}
}

func compile(dir string) ([]byte, error) {
	clang := exec.Command("clang", "--target=wasm32-wasi", "-O2", "-mbulk-memory", "-msign-ext", "-mnontrapping-fptoint",
		"-D_GNU_SOURCE", "-DNDEBUG", "-w", "-mexec-model=reactor", "-Wl,--stack-first,-z,stack-size=2097152",
		"-Wl,--gc-sections", "-o", "engine.wasm", "glue.c", "dtoa.c", "libregexp.c", "libunicode.c")
	clang.Dir = dir
	if out, err := clang.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("clang: %w\n%s", err, out)
	}
	return os.ReadFile(filepath.Join(dir, "engine.wasm"))
}

// patch is a change of quickjs.c. What is before must be there exactly once.
type patch struct{ why, before, after string }

// change applies patches and words to the C files.
func change(dir string) error {
	engine, expressions := filepath.Join(dir, "quickjs.c"), filepath.Join(dir, "libregexp.c")
	first, err := os.ReadFile(engine)
	second, err2 := os.ReadFile(expressions)
	if err := errors.Join(err, err2); err != nil {
		return err
	}

	text := string(first)
	for _, p := range slices.Concat(patches, messages, context, depth, runtime) {
		if n := strings.Count(text, p.before); n != 1 {
			return fmt.Errorf("quickjs.c has %d places for the patch %q", n, p.why)
		}
		text = strings.Replace(text, p.before, p.after, 1)
	}

	other := string(second)
	for _, w := range words {
		if !strings.Contains(text, w.before) && !strings.Contains(other, w.before) {
			return fmt.Errorf("the C files do not have the words %s", w.before)
		}
		text, other = strings.ReplaceAll(text, w.before, w.after), strings.ReplaceAll(other, w.before, w.after)
	}

	return errors.Join(
		os.WriteFile(engine, []byte(text), 0o644), os.WriteFile(expressions, []byte(other), 0o644),
	)
}
