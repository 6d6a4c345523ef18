package outbox

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"minicloud/shared/clock"
)

func TestSending(t *testing.T) {
	box, err := Open(filepath.Join(t.TempDir(), "outbox.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	api := &API{Box: box, Clock: clock.System, Count: func(string) {}}
	form := func(fields ...string) *http.Request {
		values := url.Values{}
		for i := 0; i < len(fields); i += 2 {
			values.Set(fields[i], fields[i+1])
		}
		r := httptest.NewRequest("POST", "/", strings.NewReader(values.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return r
	}
	tests := []struct {
		name    string
		request *http.Request
		status  int
		answer  string
		kept    string // "" means no message
	}{
		{
			"sms", form("Action", "Publish", "PhoneNumber", "+8613800000000", "Message", "hello"), 200, "<MessageId>",
			`"+8613800000000"`,
		},
		{"sms to no number", form("Action", "Publish", "PhoneNumber", "1", "Message", "hello"), 400, "InvalidParameter", ""},
		{"another action", form("Action", "<Subscribe>"), 400, "&lt;Subscribe&gt;", ""},
	}
	for _, tt := range tests {
		before := len(box.messages)
		if !Serves(tt.request) {
			t.Errorf("%s: not for us", tt.name)
		}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, tt.request)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.answer) {
			t.Errorf("%s: %d %s", tt.name, w.Code, w.Body)
		}
		kept := box.messages[before:]
		if (tt.kept == "") != (len(kept) == 0) || (tt.kept != "" && !strings.Contains(string(kept[0].Sent), tt.kept)) {
			t.Errorf("%s: kept %v", tt.name, kept)
		}
	}
}
