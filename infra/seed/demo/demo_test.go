package demo_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/infra/seed/demo"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

func newSeed(t *testing.T) demo.Seed {
	return demo.Seed{
		Client: dynamotest.Start(t, "ApplicationsTable", "FunctionsTable"), Functions: true,
		Clock: clock.Fixed(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)),
	}
}

func plant(t *testing.T, s demo.Seed, earlier demo.Credentials) demo.Credentials {
	t.Helper()
	c, err := s.Plant(t.Context(), earlier)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func functionNames(t *testing.T, s demo.Seed, scope tenant.Scope) []string {
	t.Helper()
	store := &functiondb.Functions{Client: s.Client, Table: "FunctionsTable"}
	got, err := store.List(t.Context(), scope, cloudfunction.Filter{}, page.Request{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range got.Objects {
		names = append(names, string(f.Name))
	}
	return names
}

func TestFirstPlantCreatesAll(t *testing.T) {
	s := newSeed(t)
	c := plant(t, s, demo.Credentials{})
	apps := &app.Service{Store: &appdb.Applications{Client: s.Client, Table: "ApplicationsTable"}}
	a, err := apps.Get(t.Context(), c.Miniapp)
	if err != nil || !a.Holds(app.ClientID(c.ClientID), c.ClientSecret) {
		t.Fatalf("the credentials do not open %+v: %v", a, err)
	}
	if name, ok := a.Environment(c.Environments["test"]); !ok || name != "test" {
		t.Errorf("environments %v, application has %v", c.Environments, a.Environments)
	}
	if a.Owner.Email == "" || a.Owner.Nickname == "" {
		t.Errorf("owner %+v", a.Owner)
	}
	if diff := cmp.Diff(
		[]string{"sum", "hello"}, functionNames(t, s, tenant.Scope{App: c.Miniapp, Env: tenant.Production}),
	); diff != "" {
		t.Errorf("functions: %s", diff)
	}
	if names := functionNames(t, s, tenant.Scope{App: c.Miniapp, Env: c.Environments["test"]}); names != nil {
		t.Errorf("functions in the test environment: %v", names)
	}
}

func TestSecondPlantKeepsData(t *testing.T) {
	s := newSeed(t)
	c := plant(t, s, demo.Credentials{})
	scope := tenant.Scope{App: c.Miniapp, Env: tenant.Production}
	functions := &cloudfunction.Service{
		Store: &functiondb.Functions{Client: s.Client, Table: "FunctionsTable"}, IDs: &id.Source{},
	}
	if err := functions.Delete(t.Context(), scope, "hello"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, plant(t, s, c)); diff != "" {
		t.Errorf("credentials changed: %s", diff)
	}
	if diff := cmp.Diff([]string{"sum"}, functionNames(t, s, scope)); diff != "" {
		t.Errorf("functions: %s", diff)
	}
}

// TestRefusesInvalidCredentials: if an application exists, a new one would hide it.
func TestRefusesInvalidCredentials(t *testing.T) {
	s := newSeed(t)
	c := plant(t, s, demo.Credentials{})
	wrongSecret, otherApp, otherEnv, nonsense := c, c, c, c
	wrongSecret.ClientSecret = "0123456789abcdef0123456789abcdef01234567"
	otherApp.Miniapp++
	otherEnv.Environments = map[string]tenant.EnvID{"test": "0123456789abcdef0123"}
	nonsense.ClientID = "x"
	for name, earlier := range map[string]demo.Credentials{
		"wrong secret": wrongSecret, "other application": otherApp, "other environment": otherEnv, "nonsense": nonsense,
	} {
		if got, err := s.Plant(t.Context(), earlier); !errors.Is(err, demo.ErrDoNotOpen) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	another := newSeed(t) // its database has no application
	if got := plant(t, another, c); got.ClientID == c.ClientID || len(got.ClientSecret) != 40 {
		t.Errorf("in another database: %+v", got)
	}
}
