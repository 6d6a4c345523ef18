package check

import (
	"testing"

	"minicloud/infra/local/template"
)

func TestLinks(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"file":               {"see [a](other.md) and [b](../d/other.md#a-mac-and-arm64)", nil},
		"folder":             {"[d](../d)", nil},
		"heading here":       {"# Top\n\n[top](#top)", nil},
		"another site":       {"[x](https://example.com/no.md#no)", nil},
		"no such file":       {"[a](none.md)", []string{"none.md, which is not there"}},
		"from the root":      {"[a](/d/other.md)", []string{"/d/other.md, which is not there"}},
		"no such heading":    {"[a](other.md#a-pc)", []string{"d/other.md, which has no heading #a-pc"}},
		"no heading here":    {"[a](#top)", []string{"no heading #top"}},
		"half a folder name": {"[a](../functio)", []string{"not there"}},
	} {
		t.Run(name, func(t *testing.T) {
			const other = "# Other\n\n## A Mac, and arm64\n"
			files := map[string]string{"d/page.md": c.text, "d/other.md": other, "functions/a.md": ""}
			expect(t, Links(tree(t, files)), c.want...)
		})
	}
}

func TestCommands(t *testing.T) {
	const source = "Resources:\n  RowsTable:\n    Type: T\n\nOutputs:\n  ApiUrl:\n    Value: x\n"
	files := map[string]string{"infra/docs/a.md": "`$(output ApiUrl)` `resource RowsTable` TABLES=\"Rows RowsTable\" an output that"}
	expect(t, Commands(tree(t, files), source))

	files["infra/docs/a.md"] = "`$(output RowsTable)` `<output None>` `resource ApiUrl` TABLES=\"Orders\""
	expect(t, Commands(tree(t, files), source), "no output RowsTable", "no output None", "no resource ApiUrl",
		"no resource OrdersTable")
}

func TestLimits(t *testing.T) {
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
			expect(t, Limits(tree(t, files), stack), c.want...)
		})
	}
}
