// Package packages bundles the seventy packages that must work in a function with the command of the documentation,
// runs a small program for each in the engine, and compares the results with those of Node (golden.json, written by
// golden.mjs).
package packages

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"minicloud/shared/runtime/engine"
	"minicloud/shared/runtime/process"
)

// esbuild is installed beside this file by npm ci.
const esbuild = "node_modules/.bin/esbuild"

// maxCode is the maximum size of a function's code in bytes (D15).
const maxCode = 1 << 20

// moreFlags matches the line of a program that adds flags to the documented command.
var moreFlags = regexp.MustCompile(`(?m)^// esbuild: (.*)$`)

var warm = flag.Bool("warm", false, "run each package again, to print what a warm run takes")

// report is the result of one package.
type report struct {
	name        string
	bytes       int
	first, warm time.Duration
	peak        int64
	wrong       string // difference from Node's result; "" if there is none
}

func TestPackagesGiveResultOfNode(t *testing.T) {
	install(t)
	want := map[string]json.RawMessage{}
	golden, err := os.ReadFile("golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(golden, &want); err != nil {
		t.Fatal(err)
	}

	e, err := process.NewEngine(256 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	programs, err := filepath.Glob("programs/*.js")
	if err != nil {
		t.Fatal(err)
	}

	code, good := bundles(t, programs), 0
	for _, path := range programs {
		name := strings.TrimSuffix(filepath.Base(path), ".js")
		r := runPackage(e, name, code[path], want[name])
		if r.wrong == "" {
			good++
		} else {
			t.Errorf("%s: %s", name, r.wrong)
		}
		fmt.Println(r)
	}

	fmt.Printf("%d of %d packages give Node's result\n", good, len(programs))
	if len(programs) < 70 {
		t.Errorf("there are %d programs, want 70", len(programs))
	}
}

func (r report) String() string {
	verdict := "as Node"
	if r.wrong != "" {
		verdict = "DIFFERS"
	}
	return fmt.Sprintf("%-18s %4d KB %9.1f ms first %7.1f ms again %5.1f MB  %s",
		r.name, r.bytes>>10, r.first.Seconds()*1000, r.warm.Seconds()*1000, float64(r.peak)/(1<<20), verdict)
}

// install installs the packages unless they are present, as make packages does.
func install(t *testing.T) {
	if _, err := os.Stat(esbuild); err == nil {
		return
	}
	if out, err := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund").CombinedOutput(); err != nil {
		t.Fatalf("npm ci in infra/packages: %v\n%s", err, out)
	}
}

// bundles returns each program bundled with its packages by the command of command.txt. Programs with the same flags
// are bundled together, which produces the same files with one start of the bundler.
func bundles(t *testing.T, programs []string) map[string][]byte {
	t.Helper()
	command, err := os.ReadFile("command.txt")
	if err != nil {
		t.Fatal(err)
	}
	together := map[string][]string{} // by their flags
	for _, program := range programs {
		source, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		more := append(moreFlags.FindSubmatch(source), nil, nil)[1]
		together[string(more)] = append(together[string(more)], program)
	}

	code := map[string][]byte{}
	for more, programs := range together {
		out := t.TempDir()
		line := strings.NewReplacer("main.js", strings.Join(programs, " "), "--outfile=function.js", "--outdir="+out)
		arguments := strings.Fields(line.Replace(string(command)))[2:] // without "npx esbuild"
		arguments = append(append(arguments, strings.Fields(more)...), "--log-level=error")
		if said, err := exec.Command(esbuild, arguments...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", programs, err, said)
		}
		for _, program := range programs {
			if code[program], err = os.ReadFile(filepath.Join(out, filepath.Base(program))); err != nil {
				t.Fatal(err)
			}
		}
	}
	return code
}

func runPackage(e *engine.Engine, name string, code []byte, want json.RawMessage) report {
	sum := sha256.Sum256(code)
	job := engine.Job{
		Function: "f", Digest: hex.EncodeToString(sum[:]), Source: func() ([]byte, error) { return code, nil },
		Event: json.RawMessage(`{"data":{"n":1}}`), Timeout: 60 * time.Second, Memory: 128 << 20,
	}
	run := func() (engine.Report, time.Duration) {
		started := time.Now()
		got := e.Run(job, &host{})
		e.Reset()
		return got, time.Since(started)
	}

	r := report{name: name, bytes: len(code)}
	got, first := run()
	r.first, r.peak = first, got.Peak
	if *warm {
		_, r.warm = run()
	}
	switch {
	case len(code) > maxCode:
		r.wrong = fmt.Sprintf("the bundle has %d bytes, a function at most %d", len(code), maxCode)
	case got.Error != nil:
		r.wrong = fmt.Sprintf("%s: %s\n%s", got.Error.Type, got.Error.Message, got.Error.Stack)
	default:
		r.wrong = difference(got.Data, want)
	}

	return r
}

// difference describes the first element of the result that differs from Node's.
func difference(got, want json.RawMessage) string {
	var gots, wants []json.RawMessage
	if json.Unmarshal(got, &gots) != nil || json.Unmarshal(want, &wants) != nil || len(gots) != len(wants) {
		return fmt.Sprintf("gave %s, want %s", got, want)
	}
	for i := range wants {
		var a, b bytes.Buffer
		if json.Compact(&a, gots[i]) != nil || json.Compact(&b, wants[i]) != nil || a.String() != b.String() {
			return fmt.Sprintf("result %d is\n%s, want\n%s", i, a.String(), b.String())
		}
	}
	return ""
}

// host is an engine host that accepts no calls.
type host struct{}

func (*host) Log(_, _ string)              {}
func (*host) Settled(engine.Settlement)    {}
func (*host) Call(int32, string, string)   {}
func (*host) Replies() <-chan engine.Reply { return nil }
