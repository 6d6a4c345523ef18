package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/etag"
	"minicloud/shared/page"
)

type shared struct {
	Kind string `query:"kind" enum:"tea,cup,pot"`
}

type everything struct {
	shared
	Page  page.Request
	Match etag.Match
	Name  string     `path:"name"`
	ID    httpapi.ID `path:"id"`
	New   bool       `query:"new"`
	After int64      `query:"after" minimum:"1"`
	Size  int        `query:"size" minimum:"2" maximum:"9"`
	Owner *string    `query:"owner"`
	Fires *bool      `query:"fires"`
	Since *int64     `query:"since" minimum:"0"`
	Grade int        `query:"grade" minimum:"1" maximum:"6" default:"4"`

	Title string                   `json:"title"`
	Note  httpapi.Nullable[string] `json:"note"`
}

// TestCallReadsItsInput from path, query and body; errors name the invalid input.
func TestCallReadsItsInput(t *testing.T) {
	var got everything
	api := &httpapi.API{Routes: []httpapi.Route{{
		Method: http.MethodPut, Path: "/thing/{name}/{id}", Status: http.StatusAccepted,
		Call: httpapi.Call(func(ctx context.Context, in everything) (map[string]string, error) {
			got = in
			w, _ := httpapi.Exchange(ctx)
			w.Header().Set("X-Plan", "scan")
			return map[string]string{"title": in.Title}, nil
		}),
	}}}
	handler := api.Handler()
	send := func(target, body string) *httptest.ResponseRecorder {
		got = everything{}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPut, target, strings.NewReader(body)))
		return w
	}

	w := send("/thing/a%20b/7/?kind=cup&limit=3&new=1&after=5&size=9&owner=&fires=0&since=0", `{"title":"T","note":null,"Kind":"pot"}`)
	if w.Code != http.StatusAccepted || w.Body.String() != `{"title":"T"}` || w.Header().Get("X-Plan") != "scan" {
		t.Errorf("answered %d %s %v", w.Code, w.Body, w.Header())
	}
	if got.Name != "a b" || got.ID != 7 || got.Kind != "cup" || got.Page.Limit != 3 || !got.New || got.After != 5 || got.Size != 9 ||
		got.Owner == nil || *got.Owner != "" || got.Fires == nil || *got.Fires || got.Since == nil || got.Title != "T" || !got.Note.Given || got.Note.Value != nil {
		t.Errorf("read %+v", got)
	}
	if send("/thing/a/7?kind=&after=", "{}"); got.Owner != nil || got.After != 0 || got.Kind != "" || got.Note.Given || got.Page.Limit != 20 ||
		got.Grade != 4 {
		t.Errorf("of nothing: %+v", got)
	}

	if send("/thing/a/7?fires=&since=", "{}"); got.Fires != nil || got.Since != nil {
		t.Errorf("an empty parameter counts as given: %v %v", got.Fires, got.Since)
	}

	for _, c := range []struct {
		target, body string
		status       int
		says         string
	}{
		{"/thing/a/x", "{}", 404, `there is no id \"x\"`},
		{"/thing/a/0", "{}", 404, `there is no id \"0\"`},
		{"/thing/a/9007199254740993", "{}", 404, `there is no id`},
		{"/thing/a/7?kind=jug", "{}", 400, "kind must be tea, cup or pot"},
		{"/thing/a/7?new=yes", "{}", 400, "new must be 0 or 1"},
		{"/thing/a/7?after=0", "{}", 400, "after must be a positive integer"},
		{"/thing/a/7?after=1.5", "{}", 400, `after must be an integer, not \"1.5\"`},
		{"/thing/a/7?size=10", "{}", 400, "size must be from 2 to 9, not 10"},
		{"/thing/a/7?grade=7", "{}", 400, "grade must be from 1 to 6, not 7"},
		{"/thing/a/7?limit=0", "{}", 400, "limit must be between 1 and 1000"},
		{"/thing/a/7", `{"title":7}`, 400, "title must be a string, not a number"},
		{"/thing/a/7", `{"note":[]}`, 400, "note must be a string or null, not an array"},
		{"/thing/a/7", `{"title":"a","title":"b"}`, 400, "title is given twice"},
		{"/thing/a/7", ``, 400, "the request body is empty"},
	} {
		if w := send(c.target, c.body); w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s %s: %d %s", c.target, c.body, w.Code, w.Body)
		}
	}
}

type refill struct {
	Body *struct {
		Of httpapi.Object `json:"of"`
	} `body:"Refill"`
	Dry bool `query:"dry"`
}

type later struct {
	Of httpapi.Object `json:"of"`
}

func (later) Status() int { return http.StatusAccepted }

// TestCallAnswersEitherType with its status, and reads an optional body.
func TestCallAnswersEitherType(t *testing.T) {
	api := &httpapi.API{Routes: []httpapi.Route{{
		Method: http.MethodPost, Path: "/refill",
		Call: httpapi.Call(func(_ context.Context, in refill) (answer httpapi.Either[string, later], err error) {
			if dry := "dry"; in.Dry {
				answer.One = &dry
				return answer, nil
			}
			answer.Other = &later{}
			if in.Body != nil {
				answer.Other.Of = in.Body.Of
			}
			return answer, nil
		}),
	}}}
	handler := api.Handler()
	for _, c := range []struct {
		query, body string
		status      int
		want        string
	}{
		{"?dry=1", "", 200, `"dry"`},
		{"", "", 202, `{"of":null}`},
		{"", `{"of":null}`, 202, `{"of":null}`},
		{"", `{"of":{"n":1.50}}`, 202, `{"of":{"n":1.50}}`},
		{"", `{"of":{"n":1,"n":2}}`, 400, `\"n\" is given twice`},
		{"", `{"of":5}`, 400, "of must be an object, not a number"},
		{"", `[]`, 400, "the request body must be an object, not an array"},
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/refill"+c.query, strings.NewReader(c.body)))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: %d %s, want %d %s", c.query, c.body, w.Code, w.Body, c.status, c.want)
		}
	}
}

// TestCallRefusesFieldsWithoutASource when the program starts, before any request.
func TestCallRefusesFieldsWithoutASource(t *testing.T) {
	for name, make := range map[string]func(){
		"no tag": func() { httpapi.Call(func(context.Context, struct{ A string }) (n httpapi.None, err error) { return }) },
		"a float": func() {
			httpapi.Call(func(context.Context, struct {
				A float64 `query:"a"`
			}) (n httpapi.None, err error) {
				return
			})
		},
		"a bound": func() {
			httpapi.Call(func(context.Context, struct {
				A int `query:"a" minimum:"x"`
			}) (n httpapi.None, err error) {
				return
			})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			make()
		}()
	}
}
