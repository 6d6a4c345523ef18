package cloudfunction

import (
	"context"
	"errors"
	"strings"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

func TestParseName(t *testing.T) {
	for _, c := range []struct{ name, problem string }{
		{"a", ""}, {"helloWorld", ""}, {"a-b_c.d9", ""}, {"付款", ""}, {"été", ""}, {"काम", ""}, {"ж٣", ""},
		{strings.Repeat("é", 64), ""},
		{"", "name must not be empty"},
		{"  \t", "name must not be empty"},
		{strings.Repeat("é", 65), "name must be at most 64 characters"},
		{"a\xff", "name must be at most 64 characters"},
		{"9a", "name must start with a letter"},
		{"_a", "name must start with a letter"},
		{"\u0301a", "name must start with a letter"},
		{"a b", `name may hold letters, digits, "_", "-" and ".", not ' '`},
		{"a/b", `name may hold letters, digits, "_", "-" and ".", not '/'`},
		{"a#b", `name may hold letters, digits, "_", "-" and ".", not '#'`},
		{"a\x00", `name may hold letters, digits, "_", "-" and ".", not '\x00'`},
		{"a😀", `name may hold letters, digits, "_", "-" and ".", not '😀'`},
	} {
		got, err := ParseName(c.name)
		if c.problem == "" && (err != nil || string(got) != c.name) {
			t.Errorf("%q: %v", c.name, err)
		}
		if c.problem != "" && (err == nil || err.Error() != c.problem || !errs.Is(err, errs.KindInvalid)) {
			t.Errorf("%q: %v, want %q", c.name, err, c.problem)
		}
	}
}

// TestNormalizesNames checks that names which look the same are equal, composed or not.
func TestNormalizesNames(t *testing.T) {
	for sent, want := range map[string]Name{
		"e\u0301te\u0301": "\u00e9t\u00e9", "\u00e9t\u00e9": "\u00e9t\u00e9", "\u1112\u1161\u11ab": "\uD55C", "ﬁle": "ﬁle",
		strings.Repeat("e\u0301", 64): Name(strings.Repeat("\u00e9", 64)),
	} {
		if got, err := ParseName(sent); err != nil || got != want {
			t.Errorf("%+q is %+q, %v, not %+q", sent, got, err, want)
		}
	}
}

func TestPack(t *testing.T) {
	for _, c := range []struct{ what, source, problem string }{
		{"empty", "", "must not be empty"},
		{"blank", " \n", "must not be empty"},
		{"too long", strings.Repeat("a", MaxCode+1), "at most 1048576 bytes"},
		{"too long to be shown", strings.Repeat("\x01", 700_000), "at most 4194304 bytes as JSON"},
		{"not text", "a\xffb", "must be UTF-8"},
	} {
		if _, err := Pack(c.source); err == nil || !strings.HasPrefix(err.Error(), "function_code ") ||
			!strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	code, err := Pack("say(\"hé\")")
	if err != nil || code.Bytes != 10 || code.Wire != 14 {
		t.Fatalf("%+v, %v", code, err)
	}
	if text, err := code.Source(); err != nil || text != "say(\"hé\")" {
		t.Errorf("%q, %v", text, err)
	}
	again, _ := Pack("say(\"hé\")")
	if again.Digest != code.Digest || len(code.Digest) != 64 {
		t.Errorf("digest %q", code.Digest)
	}
}

type fakeRunner struct {
	found []sandbox.Diagnostic
	err   error
}

func (r fakeRunner) Run(context.Context, tenant.Scope, sandbox.Plan, sandbox.Request) (sandbox.Result, error) {
	return sandbox.Result{Diagnostics: r.found}, r.err
}

func TestCheckRefusesOnlySyntaxErrors(t *testing.T) {
	bad := []sandbox.Diagnostic{
		{Line: 3, Column: 9, Message: "SyntaxError: unexpected token", Excerpt: "let x = ;\n        ^"},
	}
	for _, c := range []struct {
		what   string
		runner sandbox.Runner
		want   string
	}{
		{"no sandbox", nil, ""},
		{"compiles", fakeRunner{}, ""},
		{"sandbox down", fakeRunner{err: errors.New("down")}, ""},
		{
			"syntax error", fakeRunner{found: bad},
			"function_code: SyntaxError: unexpected token (line 3, column 9)\nlet x = ;\n        ^",
		},
	} {
		s := &Service{Runner: c.runner}
		err := s.check(t.Context(), tenant.Scope{}, "pay", Code{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
	if _, err := (&Service{}).CheckOnly(t.Context(), tenant.Scope{}, "1"); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("check without a sandbox: %v", err)
	}
}
