package rowdb

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"minicloud/shared/table"
)

// TestPermOf compares what is read with what was written, and with encoding/json for any other text.
func TestPermOf(t *testing.T) {
	entry := rapid.OneOf(rapid.StringMatching(`(user|gid):[0-9*]{1,5}`), rapid.StringMatching(`[a-z"\\,\]é<]{0,4}`))
	list := rapid.OneOf(rapid.SliceOfN(entry, 0, 3), rapid.Just([]string(nil)))
	rapid.Check(t, func(t *rapid.T) {
		want := table.RowPerm{Read: list.Draw(t, "read"), Write: list.Draw(t, "write")}
		text, err := permText(table.Row{Perm: want})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, permOf(text)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	})
	for _, text := range []string{
		`[["a"],["b"]]`, `[["a","b"],[]]`, `[null,null]`, ` [["a"] , ["b"]]`, `[["a"]]`, `[["a"],["b"],["c"]]`, `[["a`, `[`, ``, `[]`,
		`[["a"],["b"]`, `[["a"],["b"]]]`, `[["a"]["b"]]`, `[[,"a"],[]]`, `[["\u0061"],["\""]]`,
	} {
		var lists [2][]string
		if err := json.Unmarshal([]byte(text), &lists); err != nil {
			lists = [2][]string{}
			if _, plain := plainPerm(text); plain {
				t.Errorf("%s is taken", text)
			}
			continue
		}
		if diff := cmp.Diff(table.RowPerm{Read: lists[0], Write: lists[1]}, permOf(text)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}
