package oauth_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/oauth"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

type clients map[app.Handle]app.Application

func (c clients) ByHandle(_ context.Context, h app.Handle) (app.Application, error) {
	if a, ok := c[h]; ok {
		return a, nil
	}
	return app.Application{}, errs.NotFound("application not found")
}

func TestVerifiesRunTokens(t *testing.T) {
	ours := app.Application{
		ID: 7, ClientID: "0123456789aaaaaaaaaa", SigningKey: []byte("our key"),
		Environments: map[tenant.EnvID]string{"bbbbbbbbbbbbbbbbbbbb": "test"},
	}
	theirs := app.Application{ID: 8, ClientID: "9876543210aaaaaaaaaa", SigningKey: []byte("their key")}
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	verifier := &oauth.RunVerifier{
		Store: clients{ours.ClientID.Handle(): ours, theirs.ClientID.Handle(): theirs},
		Clock: func() time.Time { return now },
	}
	issue := func(a app.Application, scope tenant.Scope) string {
		token, err := oauth.RunToken(
			a, oauth.Run{
				Scope: scope, JobID: "12", Depth: 3, Root: 11, Deadline: now.Add(5 * time.Second),
				Trace: trace.Link{ID: "JK=", Cause: "5/12"},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}

	scope := tenant.Scope{App: 7, Env: "bbbbbbbbbbbbbbbbbbbb"}
	token := issue(ours, scope)
	run, a, err := verifier.VerifyRun(t.Context(), token)
	if err != nil || run.Scope != scope || run.JobID != "12" || run.Depth != 3 || run.Root != 11 || a.ID != 7 ||
		run.Trace != (trace.Link{ID: "JK=", Cause: "5/12"}) {
		t.Fatalf("got %+v of %d, %v", run, a.ID, err)
	}

	parts := strings.Split(token, ".")

	for name, bad := range map[string]string{
		"empty":                     "",
		"no parts":                  "0123456789",
		"another application's key": "9876543210." + parts[1] + "." + parts[2],
		"changed claims":            parts[0] + "." + parts[1] + "x." + parts[2],
		"changed signature":         parts[0] + "." + parts[1] + ".x" + parts[2],
		"unknown application":       "ffffffffff." + parts[1] + "." + parts[2],
		"not hex":                   "zzzzzzzzzz." + parts[1] + "." + parts[2],
		"another application's id":  issue(theirs, tenant.Scope{App: 7, Env: tenant.Production}),
		"unknown environment":       issue(ours, tenant.Scope{App: 7, Env: "cccccccccccccccccccc"}),
	} {
		if _, _, err := verifier.VerifyRun(t.Context(), bad); !errs.Is(err, errs.KindUnauthenticated) {
			t.Errorf("%s: %v", name, err)
		}
	}

	now = now.Add(12 * time.Second)
	if _, _, err := verifier.VerifyRun(t.Context(), token); !errs.Is(err, errs.KindUnauthenticated) {
		t.Errorf("after its time: %v", err)
	}
}
