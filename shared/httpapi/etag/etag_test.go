package etag_test

import (
	"net/http/httptest"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi/etag"
)

func TestIfMatch(t *testing.T) {
	now := etag.Of("function", 7, 3)
	if now == etag.Of("function", 7, 4) || now != etag.Of("function", 7, 3) {
		t.Errorf("tags do not follow the content: %s", now)
	}
	old := string(etag.Of("function", 7, 2))
	for header, want := range map[string]errs.Kind{
		"": "", "*": "", string(now): "", "W/" + string(now): "", old + ", " + string(now): "",
		old: errs.KindStale, `"x"`: errs.KindStale,
		"3": errs.KindInvalid, `"`: errs.KindInvalid, `""`: errs.KindInvalid, `"a",`: errs.KindInvalid, "*, *": errs.KindInvalid,
	} {
		r := httptest.NewRequest("PUT", "/", nil)
		if header != "" {
			r.Header.Set("If-Match", header)
		}
		match, err := etag.IfMatch(r)
		if err == nil {
			err = match.Allows("the function", now)
		}
		if errs.KindOf(err) != want {
			t.Errorf("If-Match: %s: %v, want %q", header, err, want)
		}
	}
}
