// Package sandbox_test is the suite of the sandbox: the language as D16–D24 define it (language_test.go,
// conformance_test.go), and programs that try to harm the sandbox (abuse_test.go). It runs against the compiled program
// behind the Invoke API; with the tag portable, which that program is not built with, against process supervisors.
package sandbox_test

import (
	"strings"
	"testing"

	"minicloud/shared/compress"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

func TestSandbox(t *testing.T) {
	runner := open(t)
	t.Run("language", func(t *testing.T) { testLanguage(t, runner) })
	t.Run("conformance", func(t *testing.T) { testConformance(t, runner) })
	t.Run("logs", func(t *testing.T) { testLogs(t, runner) })
	t.Run("check", func(t *testing.T) { testCheck(t, runner) })
	t.Run("abuse", func(t *testing.T) { testAbuse(t, runner) })
}

// Scopes of the suite: the tested programs run as strangers, beside neighbour, whose runs they must not affect.
var (
	strangers = tenant.Scope{App: 1, Env: tenant.Production}
	neighbour = tenant.Scope{App: 2, Env: tenant.Production}
)

// logOf returns the log of a result, compressed or not.
func logOf(t testing.TB, r sandbox.Result) string {
	t.Helper()
	if r.LogGzip == nil {
		return r.Log
	}
	text, err := compress.Gunzip(r.LogGzip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// run runs the request and fails the test on an error of the sandbox itself.
func run(t testing.TB, runner sandbox.Runner, req sandbox.Request) sandbox.Result {
	t.Helper()
	r, err := runner.Run(t.Context(), strangers, sandbox.PlanFree, req)
	if err != nil {
		t.Fatalf("sandbox: %v", err)
	}
	return r
}

// failure returns the error of a result as "Type: message", or "" if there is none.
func failure(r sandbox.Result) string {
	if r.Error == nil {
		return ""
	}
	return strings.TrimSuffix(r.Error.Type+": "+r.Error.Message, ": ")
}
