package prelude

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inspectSource prints every line of inspect.txt in the same way as golden.mjs.
const inspectSource = `(line) => {
	const at = line.lastIndexOf("; ");
	const declares = /^(class|function|const|let) /.test(line);
	const [before, args] = declares && at > 0 ? [line.slice(0, at + 1), line.slice(at + 2)] : ["", line];
	console.log(...(0, eval)("(() => { " + before + " return [" + args + "]; })()"));
}`

func TestConsoleWritesLikeNode(t *testing.T) {
	want := goldenBlocks(t, "testdata/inspect.golden")
	for _, line := range strings.Split(strings.TrimSpace(readFile(t, "testdata/inspect.txt")), "\n") {
		t.Run(line, func(t *testing.T) {
			r := newRealm(t, nil)
			r.apply(inspectSource, line)
			got := strings.TrimSuffix(strings.TrimPrefix(r.log.String(), "LOG "), "\n")
			if diff := cmp.Diff(want[line], got); diff != "" {
				t.Errorf("-node +prelude\n%s\nnode:\n%s\nprelude:\n%s", diff, want[line], got)
			}
		})
	}
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
