package httpapi_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/app/clientrate"
	"minicloud/shared/clock"
	"minicloud/shared/httpapi"
	"minicloud/shared/permission"
	"minicloud/shared/user/session"
	"minicloud/shared/user/session/sessiontest"
)

// alone is the store of a process without others.
type alone map[string]int

func (a alone) Reserve(_ context.Context, key string, _ time.Time, calls int) (int, error) {
	a[key] += calls
	return a[key], nil
}

// TestClientRate: a user over the limit gets 429 with Retry-After, which a page can read. A call with an invalid token
// counts for the application. Access tokens and other routes have no limit (C43).
func TestClientRate(t *testing.T) {
	ok := func(w http.ResponseWriter, _ *http.Request) error {
		httpapi.NoContent(w)
		return nil
	}
	shop := app.Application{ID: 7, ClientID: "00000000000000000007", Settings: app.Settings{
		ClientRate: &app.ClientRate{User: 2, Application: 4},
	}}
	now := clock.Fixed(time.Date(2026, 11, 21, 12, 0, 50, 0, time.UTC))
	ada, ben := string(session.NewToken(1)), string(session.NewToken(2))
	h := (&httpapi.API{
		Clients: sessiontest.Clients{shop.ClientID: shop}, Authenticator: tokens{}, Clock: now,
		EndUsers: sessiontest.Users{
			ada: {Subject: permission.Subject{User: 1}}, ben: {Subject: permission.Subject{User: 2}},
		},
		Rates: &clientrate.Limiter{Store: alone{}, Clock: now},
		Routes: []httpapi.Route{
			{Method: "GET", Path: "/hserve/v1/thing", Access: httpapi.Client, Needs: httpapi.LoggedIn, Handle: ok},
			{Method: "GET", Path: "/oserve/v1/thing", Access: httpapi.Bearer, Handle: ok},
		},
	}).Handler()
	call := func(token string) int {
		w := ask(h, "GET", "/hserve/v1/thing/", "", "Authorization: Service-r1 "+token, "X-Service-Client-ID: "+string(shop.ClientID),
			"Origin: https://page.example")
		limited := w.Code == http.StatusTooManyRequests
		if header := w.Header(); limited && header.Get("Retry-After") != "10" || header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%d %v", w.Code, header)
		}
		return w.Code
	}

	for i, step := range []struct {
		token string
		want  int
	}{
		{ada, 204}, {ada, 204}, {ada, 204}, {ada, 429}, {ada, 429}, {ben, 204}, // 1.5 x the limit in one process
		{"invalid", 401}, {ben, 204}, {"invalid", 429}, {ben, 429}, // the application's 6 are used up
	} {
		if got := call(step.token); got != step.want {
			t.Errorf("call %d: %d, want %d", i, got, step.want)
		}
	}
	for range 10 {
		if w := ask(h, "GET", "/oserve/v1/thing/", "", auth); w.Code != 204 {
			t.Errorf("the open API answers %d", w.Code)
		}
	}
}
