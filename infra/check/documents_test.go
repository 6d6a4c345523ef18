package check

import (
	"testing"
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
	files := map[string]string{"infra/docs/a.md": "`$(output ApiUrl)` `resource RowsTable` TABLES=\"Rows RowsTable\" " +
		`an output that "arn:aws:sqs:*:*:a*"`}
	expect(t, Commands(tree(t, files), source))

	files["infra/docs/a.md"] = "`$(output RowsTable)` `<output None>` `resource ApiUrl` TABLES=\"Orders\" " +
		`"arn:aws:*:*:*:a*"`
	expect(t, Commands(tree(t, files), source), "no output RowsTable", "no output None", "no resource ApiUrl",
		"no resource OrdersTable", "arn:aws:*:*:*:a* names no service")
}
