package api_test

import (
	"fmt"
	"strings"
	"testing"

	"minicloud/shared/tenant"
)

// endpoints returns all requests of this program that have an id in the path.
func endpoints(id string) []struct{ request, body string } {
	var list []struct{ request, body string }
	add := func(request, body string) { list = append(list, struct{ request, body string }{request, body}) }
	for _, base := range []string{"/userve", "/oserve"} {
		add("GET "+base+"/v2.2/miniapp/user_profile/"+id+"/", "")
		add("PUT "+base+"/v2.6/miniapp/user_profile/"+id+"/", `{"level":1}`)
	}
	add("PUT "+accounts+id+"/", `{"username":"x"}`)
	add("PUT /oserve/v2.1/miniapp/user/account/"+id+"/", `{"email":"x@example.com"}`)
	return list
}

// lists are the requests without an id in the path.
var lists = []struct{ request, body string }{
	{"GET " + profiles, ""},
	{"GET /oserve/v2.2/miniapp/user_profile/", ""},
	{"POST " + profiles + "query/", `{}`},
	{"POST /oserve/v2.2/miniapp/user_profile/query/", `{}`},
	{"GET /userve/v1/user-profile/", ""},
	{"PUT " + updates, `{"level":1}`},
	{"PUT /oserve/v2.6/miniapp/user_profile/", `{"level":1}`},
	{"GET " + groups, ""},
	{"POST " + groups, `{"name":"x"}`},
	{"PATCH " + members, `[]`},
	{"GET " + operation + "1/", ""},
	{"GET " + groups + "1/", ""},
	{"PUT " + groups + "1/", `{"name":"x"}`},
	{"DELETE " + groups + "1/", ""},
}

func TestEveryEndpointNeedsAToken(t *testing.T) {
	p := newPlatform(t)
	for _, e := range append(endpoints("1"), lists...) {
		for _, header := range []string{
			"", "Bearer", "Bearer x", "Basic shop", "Service-r1 shop", "Run x", "Bearer shop x",
		} {
			p.refuse(t, e.request, e.body, 401, "", "Authorization", header)
		}
		p.refuse(t, e.request, e.body, 400, "X-Service-Env-ID", "X-Service-Env-ID", "ffffffffffffffffffff")
		p.refuse(
			t, e.request, e.body, 400, "X-Service-Env-ID", "X-Service-Env-ID", string(testEnv), "Authorization", "Bearer bank",
		)
	}
}

func TestTenantsAreIsolated(t *testing.T) {
	p := newPlatform(t)
	mine := p.newUser(t, 7, tenant.Production, map[string]any{"nickname": "Ann", "level": 1})
	for _, header := range [][]string{{"Authorization", "Bearer bank"}, {"X-Service-Env-ID", string(testEnv)}} {
		for _, e := range endpoints(fmt.Sprint(mine)) {
			p.refuse(t, e.request, e.body, 404, fmt.Sprintf("user %d not found", mine), header...)
		}
		p.want(
			t, "GET "+profiles+"?return_total_count=true", "", 200,
			`{"meta":{"limit":20,"offset":0,"next":null,"previous":null,"total_count":0},"objects":[]}`, header...,
		)
		p.want(
			t, fmt.Sprintf("PUT %s?id=%d", updates, mine), `{"level":7}`, 200,
			`{"operation_result":[],"succeed":0,"offset":0,"limit":20,"next":null}`, header...,
		)
	}
	if got := p.send(t, fmt.Sprintf("GET %s%d/", profiles, mine), ""); !strings.Contains(got.body, `"level":1,`) {
		t.Errorf("after all that: %s", got.body)
	}
}

func TestUnknownUsers(t *testing.T) {
	p := newPlatform(t)
	for _, id := range []string{
		"1", "0", "-1", "x", "1.5", "1e3", "9007199254740992", "99999999999999999999", "%2e%2e", "%00", "134597836800000",
	} {
		for _, e := range endpoints(id) {
			p.refuse(t, e.request, e.body, 404, "")
		}
	}
	p.refuse(t, "GET "+profiles+"1/2/", "", 404, "there is no")
	p.refuse(t, "GET /oserve/v1/nothing/", "", 404, "there is no")
	p.refuse(t, "PUT "+profiles+"1/", `{"level":1}`, 405, "PUT is not allowed")
	p.refuse(t, "POST "+profiles, `{}`, 405, "POST is not allowed")
}

func TestBadInputNamesTheField(t *testing.T) {
	p := newPlatform(t)
	id := fmt.Sprint(p.newUser(t, 7, tenant.Production, map[string]any{"nickname": "Ann"}))
	other := fmt.Sprint(p.newUser(t, 7, tenant.Production, nil))
	p.want(t, "PUT "+accounts+other+"/", `{"username":"taken","email":"taken@example.com"}`, 200,
		`{"username":"taken","email":"taken@example.com","email_verified":false,"phone":null,"phone_verified":false}`)
	for _, c := range []struct{ request, body, says string }{
		{"GET " + profiles + "?limit=0", "", "limit"},
		{"GET " + profiles + "?limit=1001", "", "limit"},
		{"GET " + profiles + "?limit=many", "", "limit"},
		{"GET " + profiles + "?limit=1e2", "", "limit"},
		{"GET " + profiles + "?offset=-1", "", "offset"},
		{"GET " + profiles + "?offset=99999999999999999999", "", "offset"},
		{"GET " + profiles + "?return_total_count=yes", "", "return_total_count"},
		{"GET " + profiles + "?cursor=%21", "", "cursor"},
		{"GET " + profiles + "?cursor=AAAA", "", "cursor"},
		{"GET " + profiles + "?order_by=gender", "", "gender"},
		{"GET " + profiles + "?order_by=-city", "", "city"},
		{"GET " + profiles + "?where=x", "", "where"},
		{"GET " + profiles + "?where=%7B%22a%22%3A1%7D", "", `\"a\"`},
		{"GET " + profiles + "?where=" + strings.Repeat("%20", 20000), "", "where"},
		{"GET " + profiles + "?gender__contains=1", "", "gender"},
		{"GET " + profiles + "?gender=female", "", "gender"},
		{"GET " + profiles + "?keys=nobody", "", "keys"},
		{"GET " + profiles + id + "/?keys=nobody", "", "keys"},
		{"GET " + profiles + "?expand=user_group", "", "expand=user_group cannot be served"},
		{"GET " + profiles + "?level__gt=1&level__gt=2", "", "level__gt is given twice"},
		{"GET " + profiles + "?where=%7B%7D&where=%7B%22level%22%3A1%7D", "", "where is given twice"},
		{"PUT " + updates + "?limit=1&limit=", `{"level":1}`, "limit is given twice"},
		{"PUT " + updates + "?limit=0", `{"level":1}`, "limit"},
		{"PUT " + updates + "?enable_trigger=no", `{"level":1}`, "enable_trigger"},
		{"PUT " + updates + "?where=x", `{"level":1}`, "where"},
		{"PUT " + updates, `{"nickname":"x"}`, "nickname"},
		{"PUT " + updates, `{"level":"x"}`, "level"},
		{"PUT " + updates, ``, "body"},
		{"PUT " + updates, `null`, "body"},
		{"PUT " + updates, `[]`, "body"},
		{"PUT " + updates, `{"level":1`, "JSON"},
		{"PUT " + updates + id, `{"nickname":"x"}`, "nickname"},
		{"PUT " + updates + id, `{"user_id":1}`, `field \"user_id\" is built in and cannot be updated`},
		{"PUT " + updates + id, `{"nobody":"x"}`, "nobody"},
		{"PUT " + updates + id, `{"level":true}`, "level"},
		{"PUT " + updates + id, `{"level":{"$incr_by":1,"$set":2}}`, "level"},
		{"PUT " + updates + id, `{"__proto__":{}}`, "__proto__"},
		{"PUT " + updates + id, strings.Repeat("[", 1<<20), "JSON"},
		{"PUT " + accounts + id, `{"username":1}`, "username must be a string"},
		{"PUT " + accounts + id, `{"username":["a"]}`, "username must be a string"},
		{"PUT " + accounts + id, `{"username":""}`, "username"},
		{"PUT " + accounts + id, `{"username":"TAKEN"}`, `username \"TAKEN\" is already taken`},
		{"PUT " + accounts + id, `{"email":"Taken@Example.com"}`, `email \"Taken@Example.com\" is already taken`},
		{"PUT " + accounts + id, `{"email":"x"}`, "email"},
		{"PUT " + accounts + id, `{"email":{}}`, "email must be a string"},
		{"PUT " + accounts + id, `{"phone":13800138000}`, "phone must be a string"},
		{"PUT " + accounts + id, `{"phone":"1"}`, "phone"},
		{"PUT " + accounts + id, `{"new_password":"12345"}`, "new_password"},
		{"PUT " + accounts + id, `{"new_password":null}`, "new_password"},
		{"PUT " + accounts + id, `{"new_password":123456}`, "new_password must be a string"},
		{"PUT " + accounts + id, `[]`, "object"},
		{"PUT " + accounts + id, ``, "body"},
	} {
		p.refuse(t, c.request, c.body, 400, strings.ReplaceAll(c.says, `\"`, `"`))
	}
	p.refuse(t, "PUT "+updates+id, "level=1", 415, "JSON", "Content-Type", "application/x-www-form-urlencoded")
	p.refuse(t, "PUT "+accounts+id, "<a/>", 415, "JSON", "Content-Type", "text/xml")
	p.refuse(t, "PUT "+updates+id, `{"test":"`+strings.Repeat("x", 5<<20)+`"}`, 413, "5 MB")
	if got := p.send(t, "GET "+profiles+id, ""); !strings.Contains(got.body, `"level":null,"nickname":"Ann"`) {
		t.Errorf("after all that: %s", got.body)
	}
}

func TestRepeatedKeyUpdatesOnce(t *testing.T) {
	p := newPlatform(t)
	id := fmt.Sprint(p.newUser(t, 7, tenant.Production, nil))
	first := p.send(t, "PUT "+updates+id, `{"level":{"$incr_by":1}}`, "Idempotency-Key", "k")
	again := p.send(t, "PUT "+updates+id, `{"level":{"$incr_by":1}}`, "Idempotency-Key", "k")
	if first.status != 200 || again.body != first.body || !strings.Contains(again.body, `"level":1,`) {
		t.Errorf("%s\n%s", first.body, again.body)
	}
	p.refuse(t, "PUT "+updates+id, `{"level":{"$incr_by":2}}`, 422, "Idempotency-Key", "Idempotency-Key", "k")
}
