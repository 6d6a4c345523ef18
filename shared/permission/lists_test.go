package permission

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestParseLists compares what is read with what was written, and with encoding/json for any other text.
func TestParseLists(t *testing.T) {
	entry := rapid.OneOf(rapid.StringMatching(`(user|gid):[0-9*]{1,5}`), rapid.StringMatching(`[a-z"\\,\]é<]{0,4}`))
	list := rapid.OneOf(rapid.SliceOfN(entry, 0, 3), rapid.Just([]string(nil)))
	rapid.Check(t, func(t *rapid.T) {
		want := [2][]string{list.Draw(t, "read"), list.Draw(t, "write")}
		text := Lists(want[0], want[1])
		read, write := ParseLists(text)
		if diff := cmp.Diff(want, [2][]string{read, write}); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	})
	for _, text := range []string{
		`[["a"],["b"]]`, `[["a","b"],[]]`, `[null,null]`, ` [["a"] , ["b"]]`, `[["a"]]`, `[["a"],["b"],["c"]]`, `[["a`, `[`, ``, `[]`,
		`[["a"],["b"]`, `[["a"],["b"]]]`, `[["a"]["b"]]`, `[[,"a"],[]]`, `[["\u0061"],["\""]]`,
	} {
		var want [2][]string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			if _, _, plain := plainLists(text); plain {
				t.Errorf("%s is taken", text)
			}
			continue
		}
		read, write := ParseLists(text)
		if diff := cmp.Diff(want, [2][]string{read, write}); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}
