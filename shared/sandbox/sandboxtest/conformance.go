package sandboxtest

import (
	"testing"

	"minicloud/shared/sandbox"
)

// Conformance runs the language table.
func Conformance(t *testing.T, runner sandbox.Runner) {
	for _, c := range expressions {
		req := Request("exports.main = async () => { const r = await (" + c.code + "); return r === undefined ? 'undefined' : r }")
		if r := run(t, runner, req); string(r.Data) != c.data && !(c.data == "null" && r.Data == nil && r.Error == nil) {
			t.Errorf("%s\n gave %s %s, want %s", c.code, r.Data, failure(r), c.data)
		}
	}
}
