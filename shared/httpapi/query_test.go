package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"minicloud/shared/httpapi"
	"minicloud/shared/idempotency"
	"minicloud/shared/page"
)

// queryFace returns an API with a list by body that echoes its query. A route that uses an Idempotency-Key fails,
// because there is no store.
func queryFace() http.Handler {
	type asked struct{ Page page.Request }
	list := httpapi.Call(func(ctx context.Context, in asked) (httpapi.Envelope[int], error) {
		w, r := httpapi.Exchange(ctx)
		w.Header().Set("X-Asked", r.URL.RawQuery)
		return httpapi.ListOf(ctx, in.Page, page.Page[int]{Objects: []int{1}, Total: -1, Next: "key"}, func(n int) int { return n }), nil
	})
	api := &httpapi.API{Authenticator: tokens{}, Replay: &idempotency.Service{}, Routes: []httpapi.Route{
		{Method: "POST", Path: "/v1/thing/query", Access: httpapi.Bearer, Call: httpapi.Query(list), Reads: true,
			Fresh: true, Keys: true},
	}}
	return api.Handler()
}

func TestQueryListsByItsBody(t *testing.T) {
	h := queryFace()
	for _, c := range []struct{ query, body, want string }{
		{"", `{}`, ``},
		{"?&", `{"where":{"a":{"$gte":1.50}},"limit":5}`, `{"limit":"5","where":"{\"a\":{\"$gte\":1.50}}"}`},
		{
			"", `{"where":"{\"a\":\"<&>\"}","order_by":["-a","b"],"keys":"a"}`,
			`{"keys":"a","order_by":"-a,b","where":"{\"a\":\"<&>\"}"}`,
		},
		{"", `{"where":{"a":"<&>"},"return_total_count":true}`, `{"return_total_count":"1","where":"{\"a\":\"<&>\"}"}`},
		{
			"", `{"vip":true,"level__in":[1,2],"tags":["a,b"],"none":null}`,
			`{"level__in":"1,2","none":"","tags":"[\"a,b\"]","vip":"true"}`,
		},
		{
			"?limit=7&offset=14&cursor=MTQ6a2V5", `{"limit":5,"offset":1,"name":"x"}`,
			`{"cursor":"MTQ6a2V5","limit":"7","name":"x","offset":"14"}`,
		},
	} {
		w := ask(h, "POST", "/v1/thing/query/"+c.query, c.body, auth, "Idempotency-Key: k")
		asked := map[string]string{}
		values, err := url.ParseQuery(w.Header().Get("X-Asked"))
		for name := range values {
			asked[name] = values.Get(name)
		}
		var want map[string]string
		if c.want != "" {
			err = json.Unmarshal([]byte(c.want), &want)
		}
		got, _ := json.Marshal(asked)
		if err != nil || w.Code != 200 || len(want) != len(asked) || len(want) > 0 &&
			string(got) != strings.ReplaceAll(c.want, "<&>", `\u003c\u0026\u003e`) {
			t.Errorf("%s %s: %d %s, want %s (%s)", c.query, c.body, w.Code, got, c.want, w.Body)
		}
	}
}

// TestNextPageOfQuery sends the same body to meta.next; the link contains none of the body's parameters.
func TestNextPageOfQuery(t *testing.T) {
	w := ask(queryFace(), "POST", "/v1/thing/query/", `{"where":{"a":1},"limit":5,"offset":5}`, auth)
	var got httpapi.Envelope[int]
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Meta.Next == nil || got.Meta.Previous == nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if *got.Meta.Next != "/v1/thing/query/?cursor=NjprZXk&limit=5&offset=6" ||
		*got.Meta.Previous != "/v1/thing/query/?limit=5&offset=0" {
		t.Errorf("next %s, previous %s", *got.Meta.Next, *got.Meta.Previous)
	}
}

func TestRefusesInvalidQueries(t *testing.T) {
	h := queryFace()
	for _, c := range []struct{ query, body, says string }{
		{"", ``, "the request body is empty"},
		{"", `[]`, "the request body must be an object, not an array"},
		{"", `{"where":{"a":1},"where":{}}`, `key \"where\" is given twice`},
		{"", `{"where":{"a":1,"a":2}}`, `key \"a\" is given twice`},
		{"", `{"limit":"many"}`, "limit must be an integer"},
		{"", `{"limit":1.5}`, "limit must be an integer"},
		{"", `{"name__in":["a,b"]}`, "name__in must be an array of values without commas"},
		{"", `{"expand":["a"]}`, "expand=a cannot be served"},
		{"?where={}", `{}`, "where of a query goes into the body"},
		{"?name=x", `{}`, "name of a query goes into the body"},
	} {
		w := ask(h, "POST", "/v1/thing/query/"+c.query, c.body, auth)
		if w.Code != 400 || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s %s: %d %s, want %q", c.query, c.body, w.Code, w.Body, c.says)
		}
	}
	if w := ask(h, "POST", "/v1/thing/query/", `{}`); w.Code != 401 {
		t.Errorf("without a token: %d", w.Code)
	}
}
