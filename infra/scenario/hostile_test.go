package scenario_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"minicloud/infra/openapi/routes"
	"minicloud/shared/httpapi"
)

// hostile are texts that are no valid id, name or number and that could break a store, a queue or a log: longer than
// the keys of DynamoDB (2,048 bytes, or 1,024 for a sort key), or with special characters.
var hostile = map[string]string{
	"1,100 bytes": strings.Repeat("x", 1100), "3,000 bytes": strings.Repeat("x", 3000),
	"700 Chinese characters": strings.Repeat("长", 700), "a slash": "a/b", "a hash": "a#b", "a null byte": "a\x00b",
	"a line feed": "a\nb", "no UTF-8": "a\xffb", "half a character": "a\xe9\x95", "dots": "..", "a quote": `a"b`,
	"a large number": "99999999999999999999", "a negative number": "-1", "2^53": "9007199254740992", "digits": "٣",
}

// texts are the query parameters and headers that accept a text.
var texts = struct{ query, header []string }{
	[]string{
		"action", "created_by", "cursor", "env", "from", "id", "id__in", "merchandise_record_id", "name", "name__contains",
		"nickname", "order_by", "subject_id", "table", "template_id", "ticket", "to", "trade_no", "transaction_no", "type",
	},
	[]string{
		"Authorization", "Idempotency-Key", "X-Service-Client-ID", "X-Service-Env-ID", "X-Service-Trace-Id",
		"X-Service-Trigger-Depth", "X-Request-Id",
	},
}

// atOnce is how many long parameters one request has, by the limit on the length of its first line.
const atOnce = 3

// hostileTexts puts hostile texts into every path, and into the query parameters and headers that accept a text: the
// response says what is wrong and is never an internal error. A twin (C35) has the handler of its original.
func hostileTexts(t *testing.T, owner caller, has owned) {
	described := map[string][]string{}
	for _, o := range allOperations(t) {
		for _, p := range o.parameters {
			described[o.method+" "+o.path] = append(described[o.method+" "+o.path], p.Name)
		}
	}
	for _, route := range routes.All() {
		who, parts := owner.as(route.Access), wildcard.FindAllString(route.Path, -1)
		if route.Access == httpapi.Session || route.Access == httpapi.Public && len(parts) == 0 || route.TwinOf != "" {
			continue
		}
		ask := func(what, path string) reply {
			t.Helper()
			answer := who.ask(t, route.Method, path, wildcard.ReplaceAllString(attemptOf(route).body, "1"))
			if answer.status >= http.StatusInternalServerError {
				t.Errorf("%s with %s: %d %s", key(route), what, answer.status, answer.body)
			}
			return answer
		}

		for _, part := range parts {
			for name, text := range hostile {
				before, _, _ := strings.Cut(part, "/")
				path := has.fillKnown(strings.Replace(route.Path, part, before+"/"+url.PathEscape(text), 1)) + "/"
				answer := ask(name+" as "+part, path)
				if len(text) > 1000 && answer.status < http.StatusBadRequest {
					t.Errorf("%s of %s: %d", key(route), name, answer.status)
				}
			}
		}
		if route.Method == http.MethodGet {
			// Any other parameter is ignored, so that several share a request.
			var others []string
			for _, parameter := range texts.query {
				if slices.Contains(described[key(route)+"/"], parameter) {
					ask("a long "+parameter, has.fillKnown(route.Path)+"/?"+parameter+"="+hostile["3,000 bytes"])
				} else {
					others = append(others, parameter+"="+hostile["3,000 bytes"])
				}
			}
			for some := range slices.Chunk(others, atOnce) {
				ask("long parameters without a meaning", has.fillKnown(route.Path)+"/?"+strings.Join(some, "&"))
			}
		}
	}

	for _, name := range texts.header {
		for _, text := range []string{hostile["3,000 bytes"], hostile["700 Chinese characters"], hostile["no UTF-8"], "-1"} {
			answer := owner.with(name, text).ask(t, "POST", "/oserve/v2.4/table/owned/record/", `{"text":"hostile"}`)
			if answer.status >= http.StatusInternalServerError {
				t.Errorf("%s of %d bytes: %d %s", name, len(text), answer.status, answer.body)
			}
		}
	}
}
