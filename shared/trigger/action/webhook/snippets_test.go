package webhook_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/delivery"
	"minicloud/shared/trigger"
)

// languages has the snippets of infra/docs/webhooks.md and how to run each. A driver reads cases, and prints for each
// its claims, or null for a rejected one.
var languages = []struct {
	name, program, file, driver string
	arguments                   []string
}{
	{"go", "go", "verify.go", `package main

import (
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	var cases []struct {
		Headers   map[string]string
		Body, Key string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	all := make([]map[string]any, len(cases))
	for i, c := range cases {
		header := http.Header{}
		for name, text := range c.Headers {
			header.Set(name, text)
		}
		if claims, err := verify(header, c.Body, c.Key); err == nil {
			all[i] = claims
		}
	}
	json.NewEncoder(os.Stdout).Encode(all)
}
`, []string{"run", "verify.go", "main.go"}},
	{"js receiver elsewhere", "node", "verify.js", `
const answer = ({ headers, body, key }) => { try { return verify(headers, body, key); } catch { return null; } };
console.log(JSON.stringify(JSON.parse(require("node:fs").readFileSync(0)).map(answer)));
`, []string{"verify.js"}},
	{"python", "python3", "verify.py", `
import sys
def answer(case):
    try:
        return verify(case["headers"], case["body"], case["key"])
    except ValueError:
        return None
print(json.dumps([answer(case) for case in json.load(sys.stdin)]))
`, []string{"verify.py"}},
}

// TestDocumentedSnippetsVerify runs the snippets of the documentation. Go is always installed; CI also has the other
// languages.
func TestDocumentedSnippetsVerify(t *testing.T) {
	document, err := os.ReadFile("../../../../infra/docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	cases, want := snippetCases(t)
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			_, after, found := strings.Cut(string(document), "```"+l.name+"\n")
			snippet, _, ended := strings.Cut(after, "```\n")
			if !found || !ended {
				t.Fatal("infra/docs/webhooks.md has no such snippet")
			}
			program, err := exec.LookPath(l.program)
			if err != nil {
				if os.Getenv("CI") != "" {
					t.Fatal(err)
				}
				t.Logf("NOT RUN: %v", err)
				return
			}
			compare(t, program, l.file, l.driver, snippet, l.arguments, cases, want)
		})
	}
}

func compare(
	t *testing.T, program, file, driver, snippet string, arguments []string, cases []byte, want []map[string]any,
) {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{file: snippet + driver}
	if strings.HasSuffix(file, ".go") { // each Go file has its own imports
		files = map[string]string{file: snippet, "main.go": driver}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Dir, command.Stdin, command.Stderr = dir, strings.NewReader(string(cases)), os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// snippetCases returns valid and invalid deliveries as the doer sends them, with the expected results.
func snippetCases(t *testing.T) (cases []byte, want []map[string]any) {
	t.Helper()
	type one struct {
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
		Key     string            `json:"key"`
	}
	var all []one
	claims := map[string]any{"title": "Emma", "out": -4860604800.0, "_version": 2.0}
	add := func(want2 map[string]any, key string, age time.Duration, next []byte, change func(*delivery.Request)) {
		d := newDesk()
		d.now = time.Now().Add(-age)
		w := d.work(4, "https://books.example/")
		if next != nil {
			w.Trigger.Secrets.Keys[4] = trigger.Key{
				Current: []byte(oldKey), Next: next, NextAt: d.now.Add(time.Hour).Unix(),
			}
		}
		if _, f := d.do(t, w); f != nil {
			t.Fatal(f)
		}

		r := d.sent[0]
		if change != nil {
			change(&r)
		}
		all, want = append(all, one{r.Headers, r.Body, key}), append(want, want2)
	}

	add(claims, oldKey, 0, nil, nil)
	add(nil, newKey, 0, nil, nil)
	add(claims, oldKey, 0, []byte(newKey), nil) // both keys sign
	add(claims, newKey, 0, []byte(newKey), nil)
	// Receivers accept a clock difference of five minutes. The programs may start minutes later, after a compiler on a
	// busy machine.
	add(claims, oldKey, time.Minute, nil, nil)
	add(nil, oldKey, 6*time.Minute, nil, nil)
	add(nil, oldKey, -time.Hour, nil, nil)
	add(nil, oldKey, 0, nil, func(r *delivery.Request) { r.Body = strings.Replace(r.Body, ".", ".e", 1) })
	add(nil, oldKey, 0, nil, func(r *delivery.Request) { r.Headers["webhook-id"] = "another" })
	add(nil, oldKey, 6*time.Minute, nil, func(r *delivery.Request) {
		r.Headers["webhook-timestamp"] = strconv.FormatInt(time.Now().Unix(), 10)
	})
	add(nil, oldKey, 0, nil, func(r *delivery.Request) { r.Headers["webhook-signature"] = "v1,AAAA v2,AAAA" })

	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return text, want
}
