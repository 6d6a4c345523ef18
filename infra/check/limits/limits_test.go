package limits

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"minicloud/infra/check"
	"minicloud/infra/local/template"
)

// TestPageOfLimits: what the page says is what the code has.
func TestPageOfLimits(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	tree, err := check.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	stack, err := template.ReadFile(filepath.Join(root, "template.yaml"), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range Check(tree, stack) {
		t.Error(problem)
	}
}

// TestCheck: a row is true, or says what is wrong.
func TestCheck(t *testing.T) {
	const source = "package job\n\nimport \"time\"\n\nconst (\n\tTime = 5 * time.Second\n\tSize = 4 << 20\n\tpart = 3\n)\n\n" +
		"var Variable = 7\n"
	initial := "1000"
	stack := &template.Template{Parameters: map[string]template.Parameter{"PerSecond": {Default: &initial}, "Name": {}}}
	for name, c := range map[string]struct {
		row  string
		want []string
	}{
		"duration":             {"| time | 5 s | `shared/job.Time` |", nil},
		"duration in minutes":  {"| time | 0.5 min | `shared/job.Time * 6` |", nil},
		"size":                 {"| size | 4 MB of JSON | `job.Size` |", nil},
		"division":             {"| rate | 1,398,101 | `job.Size / job.part` |", nil},
		"parameter":            {"| requests | 1,000 | `template.PerSecond` |", nil},
		"a wrong value":        {"| size | 5 MB | `job.Size` |", []string{`says "5 MB", job.Size is 4194304`}},
		"a wrong duration":     {"| time | 6 s | `job.Time` |", []string{"job.Time is 5"}},
		"a longer word":        {"| time | 5 sec | `job.Time` |", []string{"no quantity"}},
		"no number":            {"| time | five | `job.Time` |", []string{"no quantity"}},
		"no such constant":     {"| time | 5 s | `job.Timer` |", []string{"job.Timer is no constant"}},
		"a variable":           {"| v | 7 | `job.Variable` |", []string{"is no constant"}},
		"no such package":      {"| time | 5 s | `tob.Time` |", []string{"tob.Time is no constant"}},
		"no such parameter":    {"| r | 1 | `template.Missing` |", []string{"no parameter Missing"}},
		"parameter, no value":  {"| r | 1 | `template.Name` |", []string{"no parameter Name"}},
		"division by zero":     {"| r | 1 | `job.Size / 0` |", []string{"no constant expression"}},
		"two packages":         {"| r | 3 | `other.C` |", []string{"both a/other and b/other match"}},
		"nothing that is held": {"| time | 5 s | unlimited |", []string{"names no constant"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				limitsPage: "| limit | value | constant |\n|---|---|---|\n" + c.row + "\n", "shared/job/job.go": source,
				"a/other/o.go": "package other\n\nconst C = 3\n", "b/other/o.go": "package other\n\nconst C = 4\n",
			}
			fsys := fstest.MapFS{}
			for name, text := range files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			tree, err := check.Read(fsys)
			if err != nil {
				t.Fatal(err)
			}
			got := Check(tree, stack)
			if len(got) != len(c.want) {
				t.Errorf("problems %q, want %q", got, c.want)
			}
			for i := range min(len(got), len(c.want)) {
				if !strings.Contains(got[i], c.want[i]) {
					t.Errorf("problem %q, want %q", got[i], c.want[i])
				}
			}
		})
	}
}
