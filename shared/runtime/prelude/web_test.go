package prelude

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// webSource runs a line of web.txt in the same way as golden.mjs.
const webSource = `(line) => {
	let out = "";
	const print = (...args) => { out += args.map((a) => (typeof a === "string" ? a : JSON.stringify(a))).join(" ") + "\n"; };
	try {
		new Function("print", "require", line)(print, require);
	} catch (error) {
		print(error.name, error.message, error.stack);
	}
	return out.slice(0, -1);
}`

func TestWebAndModulesMatchNode(t *testing.T) {
	want := goldenBlocks(t, "testdata/web.golden")
	for _, line := range strings.Split(strings.TrimSpace(readFile(t, "testdata/web.txt")), "\n") {
		t.Run(line[:min(60, len(line))], func(t *testing.T) {
			got := newRealm(t, nil).apply(webSource, line)
			if diff := cmp.Diff(want[line], got); diff != "" {
				t.Errorf("%s\nnode:\n%s\nprelude:\n%s", line, want[line], got)
			}
		})
	}
}
