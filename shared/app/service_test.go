package app_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/tenant"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func newService(t *testing.T) *app.Service {
	return &app.Service{
		Store: &appdb.Applications{Client: dynamotest.Start(t, "ApplicationsTable"), Table: "ApplicationsTable"},
		IDs:   &id.Source{},
		Clock: clock.Fixed(now),
	}
}

func TestFindsApplicationByIDAndClient(t *testing.T) {
	s := newService(t)
	owner := app.Owner{UserID: 7, Nickname: "Ada", Email: "ada@example.com", AvatarLink: "https://example.com/a.png"}
	want, secret, err := s.Create(t.Context(), "demo", owner)
	if err != nil {
		t.Fatal(err)
	}
	if !want.ClientID.Valid() || len(secret) != 40 || want.Generation != 1 || !want.CreatedAt.Equal(now) {
		t.Errorf("created %+v with a secret of %d digits", want, len(secret))
	}
	byID, err := s.Get(t.Context(), want.ID)
	if diff := cmp.Diff(want, byID); err != nil || diff != "" {
		t.Errorf("Get: %v %s", err, diff)
	}
	byClient, err := app.ByClient(t.Context(), s.Store, want.ClientID)
	if diff := cmp.Diff(want, byClient); err != nil || diff != "" {
		t.Errorf("ByClient: %v %s", err, diff)
	}
	if byID.Owner != owner {
		t.Errorf("owner %+v", byID.Owner)
	}

	for name, credentials := range map[string]struct {
		client app.ClientID
		secret string
		holds  bool
	}{
		"both right":     {want.ClientID, secret, true},
		"wrong secret":   {want.ClientID, strings.Repeat("0", 40), false},
		"empty secret":   {want.ClientID, "", false},
		"digest as such": {want.ClientID, string(want.SecretDigest), false},
		"other client":   {app.ClientID(strings.Repeat("a", 20)), secret, false},
	} {
		if byID.Holds(credentials.client, credentials.secret) != credentials.holds {
			t.Errorf("%s: Holds = %v", name, !credentials.holds)
		}
	}
}

func TestUnknownApplicationsAreNotFound(t *testing.T) {
	s := newService(t)
	created, _, err := s.Create(t.Context(), "demo", app.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	sameHandle := created.ClientID[:app.HandleLen] + "0123456789"

	for name, err := range map[string]error{
		"id":                         second(s.Get(t.Context(), created.ID+1)),
		"client":                     second(app.ByClient(t.Context(), s.Store, "0123456789abcdef0123")),
		"client with a known handle": second(app.ByClient(t.Context(), s.Store, sameHandle)),
		"malformed client":           second(app.ByClient(t.Context(), s.Store, "x")),
		"environment of":             second(s.AddEnvironment(t.Context(), created.ID+1, "test")),
		"secret of":                  second(s.ResetSecret(t.Context(), created.ID+1)),
	} {
		if !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%s: %v, want not found", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestRefusesInvalidNames(t *testing.T) {
	s := newService(t)
	a, _, err := s.Create(t.Context(), strings.Repeat("界", app.MaxName), app.Owner{})
	if err != nil {
		t.Fatalf("a name of 64 characters: %v", err)
	}
	for _, name := range []string{"", "  ", strings.Repeat("a", app.MaxName+1), "\xff"} {
		if _, _, err := s.Create(t.Context(), name, app.Owner{}); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("Create(%q): %v, want invalid", name, err)
		}
		if _, err := s.AddEnvironment(t.Context(), a.ID, name); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("AddEnvironment(%q): %v, want invalid", name, err)
		}
	}
	if _, err := s.AddEnvironment(t.Context(), a.ID, "production"); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("a second production: %v, want invalid", err)
	}
}

func TestConcurrentAddsKeepEnvironmentLimit(t *testing.T) {
	s := newService(t)
	a, _, err := s.Create(t.Context(), "demo", app.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	results := make([]error, app.MaxEnvironments+5)
	for i := range results {
		wg.Go(func() { _, results[i] = s.AddEnvironment(t.Context(), a.ID, fmt.Sprintf("test %d", i)) })
	}
	wg.Wait()

	refused := 0
	for _, err := range results {
		if err != nil {
			refused++
			if !errs.Is(err, errs.KindInvalid) {
				t.Error(err)
			}
		}
	}

	a, err = s.Get(t.Context(), a.ID)
	if err != nil || refused != 5 || len(a.Environments) != app.MaxEnvironments {
		t.Errorf("%d refused, %d there, %v", refused, len(a.Environments), err)
	}
	for env, name := range a.Environments {
		if got, ok := a.Environment(env); !ok || got != name || !env.Valid() || !strings.HasPrefix(name, "test ") {
			t.Errorf("environment %q: %q %v", env, got, ok)
		}
	}

	if name, ok := a.Environment(tenant.Production); !ok || name != "production" {
		t.Errorf("production: %q %v", name, ok)
	}
	if _, ok := a.Environment("0123456789abcdef0123"); ok {
		t.Error("an unknown environment is known")
	}
}

func TestResetSecretRaisesGeneration(t *testing.T) {
	s := newService(t)
	before, old, err := s.Create(t.Context(), "demo", app.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	secret, err := s.ResetSecret(t.Context(), before.ID)
	if err != nil {
		t.Fatal(err)
	}
	after, err := s.Get(t.Context(), before.ID)
	if err != nil {
		t.Fatal(err)
	}
	if after.Generation != before.Generation+1 || !after.Holds(after.ClientID, secret) ||
		after.Holds(after.ClientID, old) {
		t.Errorf("generation %d → %d", before.Generation, after.Generation)
	}
}

// TestManagesApplications lists, renames, revokes and removes, and checks the errors for unknown ids.
func TestManagesApplications(t *testing.T) {
	s := newService(t)
	shop, _, err := s.Create(t.Context(), "shop", app.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := s.Create(t.Context(), "other", app.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	env, err := s.AddEnvironment(t.Context(), shop.ID, "staging")
	if err != nil {
		t.Fatal(err)
	}

	steps := []struct {
		what string
		do   func() error
		want errs.Kind
	}{
		{"a second staging", func() error { _, err := s.AddEnvironment(t.Context(), shop.ID, "staging"); return err }, errs.KindDuplicate},
		{"rename", func() error { _, err := s.Rename(t.Context(), shop.ID, "store"); return err }, ""},
		{"rename to nothing", func() error { _, err := s.Rename(t.Context(), shop.ID, ""); return err }, errs.KindInvalid},
		{"rename none", func() error { _, err := s.Rename(t.Context(), 1, "x"); return err }, errs.KindNotFound},
		{"revoke", func() error { return s.RevokeTokens(t.Context(), shop.ID) }, ""},
		{"rename staging", func() error { return s.RenameEnvironment(t.Context(), shop.ID, env, "test") }, ""},
		{"call it production", func() error { return s.RenameEnvironment(t.Context(), shop.ID, env, "production") }, errs.KindDuplicate},
		{"rename another's", func() error { return s.RenameEnvironment(t.Context(), other.ID, env, "x") }, errs.KindNotFound},
		{"rename production", func() error { return s.RenameEnvironment(t.Context(), shop.ID, "production", "x") }, errs.KindInvalid},
		{"remove another's", func() error { return s.RemoveEnvironment(t.Context(), other.ID, env, "test") }, errs.KindNotFound},
		{"remove by a wrong name", func() error { return s.RemoveEnvironment(t.Context(), shop.ID, env, "staging") }, errs.KindInvalid},
		{"remove", func() error { return s.RemoveEnvironment(t.Context(), shop.ID, env, "test") }, ""},
		{"remove again", func() error { return s.RemoveEnvironment(t.Context(), shop.ID, env, "test") }, errs.KindNotFound},
	}

	for _, step := range steps {
		if err := step.do(); errs.KindOf(err) != step.want {
			t.Errorf("%s: %v, want %q", step.what, err, step.want)
		}
	}

	all, err := s.All(t.Context())
	if err != nil || len(all) != 2 || all[0].Name != "store" || all[0].Generation != 2 || all[1].ID != other.ID ||
		len(all[0].Environments) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestRepeatedCreateMakesOneApplication repeats a request with its write token: the ids are the same, and the new
// secret replaces the old one. Meanwhile others added as many environments as there may be.
func TestRepeatedCreateMakesOneApplication(t *testing.T) {
	s := newService(t)
	try := func() (app.Application, string, tenant.EnvID) {
		ctx := writetoken.NewContext(t.Context(), &writetoken.Request{At: now, Seed: "random"})
		a, secret, err := s.Create(ctx, "shop", app.Owner{})
		if err != nil {
			t.Fatal(err)
		}
		env, err := s.AddEnvironment(writetoken.Step(ctx, "environment"), a.ID, "test")
		if err != nil {
			t.Fatal(err)
		}
		return a, secret, env
	}

	first, old, firstEnv := try()
	for i := range app.MaxEnvironments - 1 {
		if _, err := s.AddEnvironment(t.Context(), first.ID, fmt.Sprint("other ", i)); err != nil {
			t.Fatal(err)
		}
	}
	again, secret, env := try()
	all, err := s.All(t.Context())
	if err != nil || len(all) != 1 || first.ID != again.ID || env != firstEnv ||
		len(all[0].Environments) != app.MaxEnvironments {
		t.Errorf("%d applications, %v", len(all), err)
	}
	if a := all[0]; !a.Holds(a.ClientID, secret) || a.Holds(a.ClientID, old) {
		t.Error("the second try's secret does not open it, or the first one's still does")
	}
}

func TestTakenHandleIsDuplicate(t *testing.T) {
	s := newService(t)
	a, _, err := s.Create(t.Context(), "demo", app.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	sameClient, sameID := a, a
	sameClient.ID++
	sameID.ClientID = "0123456789abcdef0123"
	for name, again := range map[string]app.Application{"client": sameClient, "id": sameID} {
		if err := s.Store.InsertApplication(t.Context(), again); !errs.Is(err, errs.KindDuplicate) {
			t.Errorf("same %s: %v, want duplicate", name, err)
		}
	}
}

func TestDigestsStayOutOfLogs(t *testing.T) {
	var buf bytes.Buffer
	d := app.DigestOf("secret")
	slog.New(slog.NewJSONHandler(&buf, nil)).Info("x", "digest", d)
	if strings.Contains(buf.String(), string(d)) {
		t.Errorf("logged %s", buf.String())
	}
}
