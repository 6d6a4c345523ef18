package scenario_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"minicloud/infra/openapi/routes"
	"minicloud/shared/httpapi"
)

// everyList pages through every list (D6) with the query strings that clients really send (D43). A list is a response
// with an envelope.
func everyList(t *testing.T, owner caller, has owned) {
	lists := 0
	for _, route := range routes.All() {
		if route.Method != http.MethodGet || route.Access == httpapi.Public || route.Access == httpapi.Session {
			continue
		}
		owner, path := owner, has.fill(t, route.Path)+"/"
		if route.Access == httpapi.RunToken || route.Access == httpapi.Client {
			owner = owner.as(route.Access)
		}
		whole := owner.ask(t, "GET", path, "")
		if !strings.HasPrefix(whole.body, `{"meta":`) {
			continue
		}
		lists++
		for _, query := range []string{"limit=0", "limit=1001", "limit=-1", "limit=ten", "limit=1.5", "offset=-1", "offset=x", "cursor=x", "limit=1%", "limit=99999999999999999999",
			"limit=1&limit=1", "offset=0&limit=1&offset=0", "where={}&where={}", "unknown=1&unknown=2", "expand=created_by",
			"keys=nowhere",
		} {
			if route.Expand && strings.HasPrefix(query, "expand") {
				continue
			}
			if answer := owner.ask(t, "GET", path+"?"+query, ""); answer.status != http.StatusBadRequest || !answer.isError() {
				t.Errorf("%s?%s: %d %s", path, query, answer.status, answer.body)
			}
		}
		for _, query := range []string{
			"where={}&expand=&keys=&limit=&offset=", "&offset=0", "limit=1000", "unknown=1", "cursor=", "where=",
		} {
			if answer := owner.ask(t, "GET", path+"?"+query, ""); answer.status != http.StatusOK ||
				metaOf(t, answer).Offset != 0 {
				t.Errorf("%s?%s: %d %s", path, query, answer.status, answer.body)
			}
		}
		if got := metaOf(t, whole); got.Limit != 20 || got.Previous != nil {
			t.Errorf("%s: %+v without limit", path, got)
		}
		if head := owner.ask(t, "HEAD", path, ""); head.status != http.StatusOK || head.body != "" ||
			head.header.Get(
				"Content-Length",
			) != strconv.Itoa(len(whole.body)) || head.header.Get("Content-Type") != "application/json" {
			t.Errorf("HEAD %s: %d %v %s, GET has %d bytes", path, head.status, head.header, head.body, len(whole.body))
		}
		pages(t, owner, path)
	}
	if lists < 8 {
		t.Errorf("%d lists found", lists)
	}
}

type meta struct {
	Limit, Offset  int
	Next, Previous *string
}

func metaOf(t *testing.T, r reply) meta {
	t.Helper()
	var envelope struct{ Meta meta }
	if err := json.Unmarshal([]byte(r.body), &envelope); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
	return envelope.Meta
}

// pages follows a list one record at a time, by meta.next and by offset: both show the same records, and the previous
// links lead back to the first.
func pages(t *testing.T, owner caller, path string) {
	t.Helper()
	next := path + "?limit=1&unknown=a+b"
	for offset := range 3 {
		followed := owner.ask(t, "GET", next, "")
		here := metaOf(t, followed)
		if here.Limit != 1 || here.Offset != offset || (here.Previous == nil) != (offset == 0) {
			t.Errorf("%s: %+v, want page %d", next, here, offset)
		}
		jumped := owner.ask(t, "GET", path+"?limit=1&offset="+string(rune('0'+offset)), "")
		if a, b := objects(t, followed), objects(t, jumped); a != b {
			t.Errorf("%s: record %d is %s by following, %s by offset", path, offset, a, b)
		}
		if here.Next == nil {
			return
		}
		link, err := url.Parse(*here.Next)
		if err != nil || link.Host != "" || link.Path != path || link.Query().Get("unknown") != "a b" ||
			link.Query().Get("cursor") == "" {
			t.Fatalf("%s: next is %s", path, *here.Next)
		}
		at, own := link.Query(), link.Query().Get("offset")
		at.Set("offset", own+"0")
		if answer := owner.ask(t, "GET", path+"?"+at.Encode(), ""); answer.status != http.StatusBadRequest ||
			!strings.Contains(answer.body, "offset "+own+"0") {
			t.Errorf("%s: a cursor beside another offset: %d %s", path, answer.status, answer.body)
		}
		at.Del("offset")
		if answer := owner.ask(t, "GET", path+"?"+at.Encode(), ""); strconv.Itoa(metaOf(t, answer).Offset) != own {
			t.Errorf("%s: a cursor alone: %d %s", path, answer.status, answer.body)
		}
		next = link.String()
	}
}

func objects(t *testing.T, r reply) string {
	t.Helper()
	var envelope struct{ Objects json.RawMessage }
	if err := json.Unmarshal([]byte(r.body), &envelope); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
	return signature.ReplaceAllString(string(envelope.Objects), "")
}
