package query_test

import (
	"testing"

	"minicloud/shared/language/query"
)

func TestDidYouMean(t *testing.T) {
	known := []string{"where", "limit", "height", "id", "nickname"}
	for name, want := range map[string]string{
		"wher": "where", "whrere": "where", "wehre": "where", "hieght": "height", "nicknam": "nickname", "lmit": "limit",
		"width": "", "x": "", "": "", "w": "", "ix": "id", "limits_of_all": "",
	} {
		if want != "" {
			want = `, did you mean "` + want + `"?`
		}
		if got := query.DidYouMean(name, known); got != want {
			t.Errorf("%q%s, want%s", name, got, want)
		}
	}
}
