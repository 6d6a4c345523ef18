package sandboxtest

import (
	"testing"

	"minicloud/shared/sandbox"
)

// Check checks OpCheck: compile only, and say where it fails.
func Check(t *testing.T, runner sandbox.Runner) {
	cases := []struct {
		name, code   string
		line, column int
		excerpt      string
	}{
		{"script", `exports.main = async () => 1`, 0, 0, ""},
		{"module", `import x from 'crypto'; export function main() {}`, 0, 0, ""},
		{"never run", `for (;;);`, 0, 0, ""},
		{"token", "exports.main = async () => {\n  const x = ;\n}", 2, 13, "  const x = ;\n            ^"},
		{"first line", "exports.main = async () => @", 1, 28, "exports.main = async () => @\n                           ^"},
		{"not closed", "exports.main = async () => {\n  if (x) {\n}", 3, 2, "}\n ^"},
		{"in a module", "export function main() {\n\treturn 1 +\n}", 3, 1, "}\n^"},
		{"closed too often", "exports.main = async () => 1;\n})\n", 2, 1, "})\n^"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			req := Request(c.code)
			req.Op = sandbox.OpCheck
			r := run(t, runner, req)
			if c.line == 0 {
				if len(r.Diagnostics) != 0 {
					t.Errorf("found %+v", r.Diagnostics)
				}
				return
			}
			if len(r.Diagnostics) != 1 {
				t.Fatalf("found %+v", r.Diagnostics)
			}
			d := r.Diagnostics[0]
			if d.Line != c.line || d.Column != c.column || d.Excerpt != c.excerpt || d.Message == "" {
				t.Errorf("found %d:%d %s\n%s", d.Line, d.Column, d.Message, d.Excerpt)
			}
		})
	}
}
