package compile

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// module creates a repository with programs of the given sources.
func module(t *testing.T, sources map[string]string) string {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "go.mod"), "module example\n\ngo 1.26\n")
	for name, source := range sources {
		write(t, filepath.Join(root, folder(name), "main.go"), source)
	}
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func saying(word string) string {
	return "package main\n\nfunc main() { println(\"" + word + "\") }\n"
}

func output(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command(path).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestProgramsShareABinary: programs on this machine share a binary, which selects the program by its path.
func TestProgramsShareABinary(t *testing.T) {
	root := module(t, map[string]string{"a": "", "b": "", "user": "", "sandbox": saying("sandbox")})
	for _, name := range []string{"plain", "phones"} {
		write(t, filepath.Join(root, "infra", "local", "bootstrap", name, "main.go"),
			"package main\n\nimport \"os\"\n\nfunc main() { println(\""+name+"\", os.Args[0]) }\n")
	}
	bin, names := t.TempDir(), []string{"a", "b", "user", "sandbox"}
	if err := Programs(t.Context(), root, bin, names, func(string) {}); err != nil {
		t.Fatal(err)
	}

	for name, want := range map[string]string{
		"a": "plain " + Bootstrap(bin, "a"), "b": "plain " + Bootstrap(bin, "b"),
		"user": "phones " + Bootstrap(bin, "user"), "sandbox": "sandbox",
	} {
		if got := output(t, Bootstrap(bin, name)); got != want {
			t.Errorf("%s says %q", name, got)
		}
	}
	a, errA := os.Stat(Bootstrap(bin, "a"))
	b, errB := os.Stat(Bootstrap(bin, "b"))
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		t.Errorf("a and b are two files, %v %v", errA, errB)
	}
}

func TestRebuildsChangedPrograms(t *testing.T) {
	root := module(t, map[string]string{"a": saying("one"), "b": saying("two")})
	bin := t.TempDir()
	build := func() {
		t.Helper()
		if err := Each(t.Context(), root, bin, []string{"a", "b", "a"}, func(string) {}); err != nil {
			t.Fatal(err)
		}
	}
	build()
	if got := output(t, Bootstrap(bin, "a")); got != "one" {
		t.Errorf("a says %q", got)
	}
	before, err := os.Stat(Bootstrap(bin, "b"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "functions", "a", "main.go"), saying("three"))
	build()
	if got := output(t, Bootstrap(bin, "a")); got != "three" {
		t.Errorf("a says %q after the change", got)
	}
	if after, err := os.Stat(Bootstrap(bin, "b")); err != nil || !os.SameFile(before, after) {
		t.Errorf("b was built again, %v", err)
	}
}

// git runs git in root with a fixed identity. Without git it does nothing: no commit ID can be stamped, so the test
// has nothing to check.
func git(t *testing.T, root string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		return
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.com"}, args...)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", args[0], err, out)
	}
}

// samBuild builds the program oauth as infra/build/Makefile does for sam.
func samBuild(t *testing.T, root string) []byte {
	t.Helper()
	artifacts := t.TempDir()
	cmd := exec.Command("make", "-s", "-f", "../Makefile", "build-OauthFunction", "ARTIFACTS_DIR="+artifacts)
	cmd.Dir = filepath.Join(root, "infra", "build", "x86_64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make: %v\n%s", err, out)
	}
	built, err := os.ReadFile(filepath.Join(artifacts, "bootstrap"))
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// TestArtifactsDoNotDependOnCommit: a commit or an uncommitted change outside the code changes no artifact, neither of
// `make build` nor of `sam build`.
func TestArtifactsDoNotDependOnCommit(t *testing.T) {
	root := module(t, map[string]string{"oauth": saying("one")})
	if err := os.CopyFS(filepath.Join(root, "infra", "build"), os.DirFS("../../build")); err != nil {
		t.Fatal(err)
	}
	build := func() [2]string {
		bin := t.TempDir()
		if err := Each(t.Context(), root, bin, []string{"oauth"}, func(string) {}); err != nil {
			t.Fatal(err)
		}
		own, err := os.ReadFile(Bootstrap(bin, "oauth"))
		if err != nil {
			t.Fatal(err)
		}
		return [2]string{string(own), string(samBuild(t, root))}
	}
	git(t, root, "init", "-q")
	git(t, root, "add", ".")
	git(t, root, "commit", "-q", "-m", "code")
	committed := build()

	write(t, filepath.Join(root, "README"), "words")
	if build() != committed {
		t.Error("a change that is not committed changed a program")
	}
	git(t, root, "add", ".")
	git(t, root, "commit", "-q", "-m", "words")
	if build() != committed {
		t.Error("a commit of words changed a program")
	}
}

func TestReportsBuildErrorOnce(t *testing.T) {
	root := module(t, map[string]string{"broken": "package main\n\nfunc main() { nope() }\n"})
	for name, want := range map[string]string{
		"broken": "undefined: nope",
		"gone":   "template.yaml names the program functions/gone, which has no main.go",
	} {
		err := Each(t.Context(), root, t.TempDir(), []string{name}, func(string) {})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv("PATH", "")
	if err := Each(t.Context(), root, t.TempDir(), []string{"broken"}, func(string) {}); err == nil ||
		!strings.Contains(err.Error(), "not installed") {
		t.Errorf("without the Go tool: %v", err)
	}
}

func TestReportsProgressWhileToolIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		output, tool := io.Pipe()
		go func() {
			time.Sleep(3 * time.Second)
			io.WriteString(tool, "example/shared\nexample/functions/a\na.go:1:1: wrong\n")
			time.Sleep(4 * time.Second)
			tool.Close()
		}()
		var told []string
		complaints := follow(output, func(line string) { told = append(told, line) })
		want := []string{
			"building for 2 s: 0 packages compiled", "building for 4 s: 2 packages compiled, now example/functions/a",
			"building for 6 s: 2 packages compiled, linking",
		}
		if !slices.Equal(told, want) || complaints != "a.go:1:1: wrong\n" {
			t.Errorf("told %q\ncomplaints %q", told, complaints)
		}
	})
}
