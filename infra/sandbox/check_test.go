package sandbox_test

import (
	"strings"
	"testing"

	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
)

// testCheck checks OpCheck: it compiles the code without running it, and reports the position of a syntax error.
func testCheck(t *testing.T, runner sandbox.Runner) {
	cases := []struct {
		name, code   string
		line, column int
		excerpt      string
		message      string // text that it must contain
	}{
		{"script", `exports.main = async () => 1`, 0, 0, "", ""},
		{"module", `import x from 'crypto'; export function main() {}`, 0, 0, "", ""},
		{"never run", `for (;;);`, 0, 0, "", ""},
		{"token", "exports.main = async () => {\n  const x = ;\n}", 2, 13, "  const x = ;\n            ^", "';'"},
		{
			"first line", "exports.main = async () => @", 1, 28, "exports.main = async () => @\n                           ^",
			"'@'",
		},
		{"not closed", "exports.main = async () => {\n  if (x) {\n}", 3, 2, "}\n ^", "unexpected end of code"},
		{
			"not closed on one line", "exports.main = async () => { return 1", 1, 38,
			"exports.main = async () => { return 1\n                                     ^", "unexpected end of code",
		},
		{"in a module", "export function main() {\n\treturn 1 +\n}", 3, 1, "}\n^", "'}'"},
		{"closed too often", "exports.main = async () => 1;\n})\n", 2, 1, "})\n^", "'}'"},
		{
			"template", "exports.main = async () => {\n  return `hello ${1 + }`\n}", 2, 23,
			"  return `hello ${1 + }`\n                      ^", "'}'",
		},
		{
			"tabs and CRLF after a byte order mark", "\ufeffexports.main = async () => {\r\n\tconst = 6;\r\n}\r\n", 2, 8,
			"\tconst = 6;\n\t      ^", "name expected",
		},
		{
			"other scripts", "exports.main = async () => {\n  const 名前 = '😀'; const = 1\n}", 2, 25,
			"  const 名前 = '😀'; const = 1\n                        ^", "name expected",
		},
		{
			"await in a plain function", "exports.main = function () {\n  await other()\n}", 2, 3, "  await other()\n  ^",
			"await is only valid in async functions",
		},
		{
			"import of another file", "const a = 1\nimport { b } from './parts.js'\nexport const main = async () => b", 2, 19,
			"import { b } from './parts.js'\n                  ^", "bundle it with npx esbuild",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			req := sandboxtest.Request(c.code)
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
			if d.Line != c.line || d.Column != c.column || d.Excerpt != c.excerpt || !strings.Contains(d.Message, c.message) {
				t.Errorf("found %d:%d %s\n%s", d.Line, d.Column, d.Message, d.Excerpt)
			}
		})
	}
}
