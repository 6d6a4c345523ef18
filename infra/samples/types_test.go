package samples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"minicloud/shared/runtime/prelude"
)

// typescript is a file that make packages installs.
const typescript = "../packages/node_modules/typescript/package.json"

// problem is one error that TypeScript reports.
type problem struct {
	File string
	Line int
	Code int
	Text string
}

// checked is the output of types.mjs.
type checked struct {
	Problems []problem
	Declared json.RawMessage
}

// check runs TypeScript on all files once, because a run takes seconds.
var check = sync.OnceValues(func() (checked, error) {
	if _, err := os.Stat(typescript); err != nil {
		return checked{}, fmt.Errorf("TypeScript is not installed, `make packages` brings it: %w", err)
	}
	input, err := json.Marshal(map[string]any{"declarations": prelude.Declarations(), "files": toCheck})
	if err != nil {
		return checked{}, err
	}

	var said bytes.Buffer
	command := exec.Command("node", "types.mjs")
	command.Stdin, command.Stderr = bytes.NewReader(input), &said
	out, err := command.Output()
	if err != nil {
		return checked{}, fmt.Errorf("types.mjs: %w\n%s", err, said.String())
	}

	var c checked
	return c, json.Unmarshal(out, &c)
})

// toCheck maps names to the files of the one TypeScript run; compile fills it.
var toCheck = map[string]string{}

var fill sync.Once

// compile returns TypeScript's output for the declarations, all samples and the wrong uses.
func compile(t *testing.T) checked {
	t.Helper()
	fill.Do(func() {
		for name, s := range samples(t) {
			toCheck[name+".js"] = s.code
		}
		toCheck["wrong.js"] = read(t, "wrong.js")
		toCheck["right.ts"] = read(t, "right.ts")
		toCheck["right.js"] = read(t, "right.js")
	})
	c, err := check()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSamplesCompile compiles all samples with checkJs and strict.
func TestSamplesCompile(t *testing.T) {
	all := samples(t)
	for _, p := range compile(t).Problems {
		if p.File == "wrong.js" {
			continue
		}
		at := fmt.Sprintf("%s:%d", p.File, p.Line)
		if s, ok := all[strings.TrimSuffix(p.File, ".js")]; ok {
			at = fmt.Sprintf("%s:%d, sample %s", s.document, s.line+p.Line, s.name)
		}
		t.Errorf("%s: TS%d %s", at, p.Code, p.Text)
	}
}

var expected = regexp.MustCompile(`// wrong: (\d+)$`)

// TestWrongUsesDoNotCompile: each marked line of wrong.js causes the marked error, and no other line causes one.
func TestWrongUsesDoNotCompile(t *testing.T) {
	got := map[int][]int{}
	for _, p := range compile(t).Problems {
		if p.File == "wrong.js" {
			got[p.Line] = append(got[p.Line], p.Code)
		}
	}

	for i, line := range strings.Split(read(t, "wrong.js"), "\n") {
		var want []int
		if m := expected.FindStringSubmatch(line); m != nil {
			var code int
			fmt.Sscan(m[1], &code)
			want = []int{code}
		}
		if !slices.Equal(got[i+1], want) {
			t.Errorf("wrong.js:%d: errors %v, want %v: %s", i+1, got[i+1], want, line)
		}
	}
}

// TestDocumentedModuleFormsRun runs right.js, which has every form of importing a module and compiles.
func TestDocumentedModuleFormsRun(t *testing.T) {
	got := outcome((&platform{t: t}).run(read(t, "right.js"), event(map[string]any{}), nil))
	if want := `[7,3,true,"ABC!",true,6]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestDeclarationsMatchEngine compares the declarations with the engine in both directions.
func TestDeclarationsMatchEngine(t *testing.T) {
	report := (&platform{t: t}).run(read(t, "declared.js"), event(map[string]any{"declared": compile(t).Declared}), nil)
	if report.Error != nil {
		t.Fatalf("%s: %s\n%s", report.Error.Type, report.Error.Message, report.Error.Stack)
	}

	var problems []string
	if err := json.Unmarshal(report.Data, &problems); err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}
