package prelude

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// urlSource prints every property of the URL in a line of url.txt.
const urlSource = `(line) => {
	const fields = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
	const [input, base] = line.replaceAll("\\\\", "\\").split(" | ");
	try {
		const url = new URL(input, base);
		return fields.map((f) => url[f]).join("\n");
	} catch (error) {
		return error.code ?? error + error.stack;
	}
}`

func TestParsesURLsLikeNode(t *testing.T) {
	want := goldenBlocks(t, "testdata/url.golden")
	r := newRealm(t, nil)
	for _, line := range strings.Split(strings.TrimSuffix(readFile(t, "testdata/url.txt"), "\n"), "\n") {
		if diff := cmp.Diff(want[line], r.apply(urlSource, line)); diff != "" {
			t.Errorf("%s: -node +prelude\n%s", line, diff)
		}
	}
}

// goldenBlocks reads "> line\ntext" blocks, as golden.mjs writes them.
func goldenBlocks(t testing.TB, name string) map[string]string {
	t.Helper()
	blocks := map[string]string{}
	for _, block := range strings.Split("\n"+strings.TrimSuffix(readFile(t, name), "\n"), "\n> ")[1:] {
		line, text, _ := strings.Cut(block, "\n")
		blocks[line] = text
	}
	return blocks
}
