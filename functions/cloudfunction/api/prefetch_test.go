package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/functions/cloudfunction/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/httpapi"
	"minicloud/shared/oauth"
)

// authenticated stores real access tokens: one of shop, and an expired one.
func authenticated(t *testing.T, p *platform) (token, expired string) {
	t.Helper()
	client := p.counted(dynamotest.Start(t, "ApplicationsTable", "FunctionsTable"))
	tokens := &appdb.Tokens{Client: client, Table: "ApplicationsTable"}
	if err := (&appdb.Applications{
		Client: client, Table: "ApplicationsTable",
	}).InsertApplication(t.Context(), shop); err != nil {
		t.Fatal(err)
	}
	h := shop.ClientID.Handle()
	token, expired = string(h)+strings.Repeat("a", 30), string(h)+strings.Repeat("b", 30)
	for text, lasting := range map[string]time.Duration{token: time.Hour, expired: -time.Second} {
		record := oauth.Record{
			Kind: oauth.KindAccess, Digest: app.DigestOf(text), ExpiresAt: p.time().Add(lasting), Generation: shop.Generation,
		}
		if err := tokens.Insert(t.Context(), h, record); err != nil {
			t.Fatal(err)
		}
	}

	store := &functiondb.Functions{Client: client, Table: "FunctionsTable"}
	p.functions.Store = store
	callers := &oauth.Authenticator{Store: tokens, Clock: p.time}
	group := &api.Group{Functions: p.functions, Jobs: p.jobs, Clock: p.time, Prefetch: store.Prefetch}
	p.Handler = (&httpapi.API{
		Routes: group.Routes(), Authenticator: callers, Likely: callers.Likely, Clock: p.time,
	}).Handler()
	return token, expired
}

// TestWarmRunTakesFourCalls: from the second request of a process on, the function is read in its current state
// together with the token. Without a valid token, or in another environment, the function is not visible.
func TestWarmRunTakesFourCalls(t *testing.T) {
	p := newPlatform(t)
	token, expired := authenticated(t, p)
	bearer := "Authorization: Bearer " + token
	run := step{
		method: "POST", path: functions + "pay/job/", header: bearer, body: `{"data":{}}`, status: 200, want: `~"code":0`,
	}
	p.play(
		t, step{method: "POST", path: functions, header: bearer, body: `{"name":"pay","function_code":"1"}`, status: 201},
	)
	p.play(t, run)
	if diff := cmp.Diff(
		[]string{"BatchGetItem", "PutItem", "PutItem", "DeleteItem"}, p.counting(func() { p.play(t, run) }),
	); diff != "" {
		t.Errorf("calls of a run:\n%s", diff)
	}
	list := step{method: "GET", path: functions + "pay/job/", header: bearer, status: 200, want: `~"total_count":2`}
	p.play(t, list)
	if diff := cmp.Diff(
		[]string{"BatchGetItem", "Query", "Query", "Query"}, p.counting(func() { p.play(t, list) }),
	); diff != "" {
		t.Errorf("calls of a list:\n%s", diff)
	}

	p.play(t, step{method: "PATCH", path: functions + "pay/", header: bearer, body: `{"remark":"new"}`, status: 202})
	p.play(t, step{method: "GET", path: functions + "pay/", header: bearer, status: 200, want: `~"remark":"new"`})
	p.play(t, step{method: "GET", path: functions + "nobody/", header: bearer, status: 404})
	for what, header := range map[string]string{
		"expired": "Authorization: Bearer " + expired,
		"unknown": "Authorization: Bearer " + string(shop.ClientID.Handle()) + strings.Repeat("c", 30),
	} {
		if body := p.play(t, step{what: what, method: "GET", path: functions +
			"pay/", header: header, status: 401}); strings.Contains(body, "new") {
			t.Errorf("%s: %s", what, body)
		}
	}
	p.play(
		t,
		step{
			method: "GET", path: functions + "pay/", header: bearer + "\nX-Service-Env-ID: ffffffffffffffffffff", status: 400,
		},
	)
	run.status, run.header, run.want = 404, bearer+"\nX-Service-Env-ID: "+string(testEnv), ""
	p.play(t, run)
}
