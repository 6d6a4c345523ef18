package app_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"minicloud/shared/app"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func TestSignatureIsBoundToPurposeAndParts(t *testing.T) {
	a := app.Application{SigningKey: []byte("0123456789abcdef0123456789abcdef")}
	signature := a.Sign("log", "7.production", "12")
	if !a.Signed(noon, signature, "log", "7.production", "12") {
		t.Fatal("a signature does not verify")
	}

	for _, c := range []struct {
		app       app.Application
		signature string
		purpose   string
		parts     []string
	}{
		{a, signature, "run", []string{"7.production", "12"}},
		{a, signature, "log", []string{"7.production", "13"}},
		{a, signature, "log", []string{"7.production1", "2"}},
		{a, signature, "log", []string{"7.production", "12", ""}},
		{a, signature[1:], "log", []string{"7.production", "12"}},
		{a, "", "log", []string{"7.production", "12"}},
		{a, "%%%", "log", []string{"7.production", "12"}},
		{app.Application{SigningKey: []byte("another")}, signature, "log", []string{"7.production", "12"}},
		{app.Application{}, app.Application{}.Sign("log"), "log", nil},
	} {
		if c.app.Signed(noon, c.signature, c.purpose, c.parts...) {
			t.Errorf("%q verifies for %s %q", c.signature, c.purpose, c.parts)
		}
	}
}

// TestPreviousKeyVerifiesForItsTime: after a rotation, what the key before has signed is valid until then.
func TestPreviousKeyVerifiesForItsTime(t *testing.T) {
	before := app.Application{SigningKey: []byte("before")}
	signature := before.Sign("log", "12")
	after := app.Application{SigningKey: []byte("after"), PreviousKey: before.SigningKey, PreviousUntil: noon}
	for at, want := range map[time.Time]bool{noon.Add(-time.Second): true, noon: false, noon.Add(time.Hour): false} {
		if got := after.Signed(at, signature, "log", "12"); got != want {
			t.Errorf("%s: a signature of the key before is valid: %v, want %v", at, got, want)
		}
		if !after.Signed(at, after.Sign("log", "12"), "log", "12") {
			t.Errorf("%s: a signature of the key is not valid", at)
		}
	}
	if (app.Application{SigningKey: []byte("after"), PreviousUntil: noon}).Signed(noon.Add(-1), app.Application{}.Sign("log"), "log") {
		t.Error("an empty key verifies a signature")
	}
}

func TestKeysStayOutOfLogs(t *testing.T) {
	var out strings.Builder
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "key", app.SigningKey("hidden"))
	if strings.Contains(out.String(), "hidden") || strings.Contains(out.String(), fmt.Sprintf("%x", "hidden")) {
		t.Errorf("log line %q", out.String())
	}
}
