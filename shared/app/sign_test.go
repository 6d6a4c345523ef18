package app_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"minicloud/shared/app"
)

func TestSignatureIsBoundToPurposeAndParts(t *testing.T) {
	a := app.Application{SigningKey: []byte("0123456789abcdef0123456789abcdef")}
	signature := a.Sign("log", "7.production", "12")
	if !a.Signed(signature, "log", "7.production", "12") {
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
		if c.app.Signed(c.signature, c.purpose, c.parts...) {
			t.Errorf("%q verifies for %s %q", c.signature, c.purpose, c.parts)
		}
	}
}

func TestKeysStayOutOfLogs(t *testing.T) {
	var out strings.Builder
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "key", app.SigningKey("hidden"))
	if strings.Contains(out.String(), "hidden") || strings.Contains(out.String(), fmt.Sprintf("%x", "hidden")) {
		t.Errorf("log line %q", out.String())
	}
}
