package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/sandbox"
)

const functions = "/oserve/v1.3/cloud-function/"

func failure(message string) string {
	return `{"status":"error","error_msg":"` + message + `"}`
}

func TestFunctionFromCreateToDelete(t *testing.T) {
	p := newPlatform(t)
	record := func(name, code, remark, plan string, version int) string {
		return fmt.Sprintf(`"name":%q,"function_code":%q,"remark":%q,"audit_status":"approved","plan_circle":%q,"version":%d,`+
			`"created_at":1795262400,"created_by":"Ada","updated_at":1795262400,"updated_by":"Ada"}`, name, code, remark, plan,
			version)
	}
	for _, s := range []step{
		{
			method: "GET", path: functions, status: 200,
			want: `{"meta":{"limit":20,"offset":0,"next":null,"previous":null,"total_count":0},"objects":[]}`,
		},
		{
			method: "POST", path: functions, body: `{"name":"pay","function_code":"<1>","remark":"r"}`, status: 201,
			want: "~" + record("pay", "<1>", "r", "P_FREE", 1),
		},
		{method: "GET", path: functions + "pay/", status: 200, want: "~" + record("pay", "<1>", "r", "P_FREE", 1)},
		{method: "GET", path: functions + "pay", status: 200, want: "~" + record("pay", "<1>", "r", "P_FREE", 1)},
		{
			method: "GET", path: functions + "?where={}&expand=&keys=&&offset=0", status: 200,
			want: "~" + record("pay", "<1>", "r", "P_FREE", 1),
		},
		{
			what: "a list without code", method: "GET", path: functions + "?keys=-function_code&name__contains=PA", status: 200,
			want: `~"name":"pay","remark":"r","audit_status":"approved"`,
		},
		{
			method: "GET", path: functions + "?name__contains=mail", status: 200,
			want: `{"meta":{"limit":20,"offset":0,"next":null,"previous":null,"total_count":0},"objects":[]}`,
		},
		{
			method: "GET", path: functions + "?keys=name", status: 400,
			want: failure("keys must be -function_code"),
		},
		{
			method: "PATCH", path: functions + "pay/", body: `{"function_code":"2","plan_circle":"P_PERSONAL","more":1}`,
			status: 202, want: "~" + record("pay", "2", "r", "P_PERSONAL", 2),
		},
		{
			what: "nothing changes", method: "PATCH", path: functions + "pay/", body: `{}`, status: 202,
			want: "~" + record("pay", "2", "r", "P_PERSONAL", 2),
		},
		{
			method: "PATCH", path: functions + "pay/", body: `{"name":"付款"}`, status: 202,
			want: "~" + record("付款", "2", "r", "P_PERSONAL", 3),
		},
		{method: "GET", path: functions + "pay/", status: 404, want: failure(`function \"pay\" does not exist`)},
		{
			method: "GET", path: functions + "%E4%BB%98%E6%AC%BE/", status: 200,
			want: "~" + record("付款", "2", "r", "P_PERSONAL", 3),
		},
		{
			method: "GET", path: functions + "%E4%BB%98%E6%AC%BE/version/", status: 200,
			want: `~"total_count":3},"objects":[{"version":3,"name":"付款","code_bytes":1,"remark":"r","plan_circle":"P_PERSONAL","created_at":1795262400,"created_by":"Ada","current":true},{"version":2,`,
		},
		{
			method: "GET", path: functions + "%E4%BB%98%E6%AC%BE/version/1/", status: 200,
			want: `{"version":1,"name":"pay","function_code":"<1>","code_bytes":3,"remark":"r","plan_circle":"P_FREE","created_at":1795262400,"created_by":"Ada","current":false}`,
		},
		{
			method: "POST", path: functions + "%E4%BB%98%E6%AC%BE/version/1/restore/", status: 202,
			want: "~" + record("付款", "<1>", "r", "P_FREE", 4),
		},
		{
			method: "POST", path: functions + "%E4%BB%98%E6%AC%BE/version/9/restore/", status: 404,
			want: failure("version 9 of this function does not exist"),
		},
		{method: "GET", path: functions + "%E4%BB%98%E6%AC%BE/version/x/", status: 404},
		{method: "DELETE", path: functions + "%E4%BB%98%E6%AC%BE/", body: `{}`, status: 204, want: ""},
		{method: "DELETE", path: functions + "%E4%BB%98%E6%AC%BE/", status: 404},
		{method: "GET", path: functions, status: 200, want: `~"total_count":0}`},
	} {
		p.play(t, s)
	}
}

// TestNamesAreNormalized: a name with a composed character equals the name with a letter and a combining mark.
func TestNamesAreNormalized(t *testing.T) {
	const composed, apart = "caf%C3%A9", "cafe%CC%81"
	p := newPlatform(t)
	p.play(
		t,
		step{
			method: "POST", path: functions, body: `{"name":"cafe\u0301","function_code":"1"}`, status: 201,
			want: "~\"name\":\"caf\u00e9\"",
		},
	)
	p.play(
		t,
		step{
			method: "POST", path: functions, body: `{"name":"caf\u00e9","function_code":"1"}`, status: 400, want: "~exists",
		},
	)
	for _, name := range []string{composed, apart} {
		p.play(t, step{method: "GET", path: functions + name + "/", status: 200, want: "~\"name\":\"caf\u00e9\""})
		p.play(
			t, step{method: "POST", path: functions + name + "/job/", body: `{"data":{}}`, status: 200, want: `~"code":0`},
		)
		p.play(t, step{method: "GET", path: functions + name + "/variable/", status: 200})
	}
	p.play(
		t,
		step{
			method: "POST", path: "/oserve/v1/cloud-function/job/", body: `{"function_name":"cafe\u0301","data":{}}`,
			status: 200, want: `~"code":0`,
		},
	)
	p.play(
		t,
		step{
			method: "PATCH", path: functions + apart + "/", body: `{"name":"e\u0301"}`, status: 202,
			want: "~\"name\":\"\u00e9\"",
		},
	)

	// A function stored with a name that is not normalized is found by that name and can be renamed.
	old := cloudfunction.Function{
		ID: 77, Name: "alte\u0301", Audit: cloudfunction.AuditApproved, Plan: sandbox.PlanFree, Version: 1, Revision: 1,
	}
	old.Code, _ = cloudfunction.Pack("1")
	if err := p.functions.Store.Create(t.Context(), shopScope, old); err != nil {
		t.Fatal(err)
	}
	p.play(t, step{method: "GET", path: functions + "alte%CC%81/", status: 200, want: `~"id":77,`})
	p.play(
		t, step{method: "POST", path: functions + "alte%CC%81/job/", body: `{"data":{}}`, status: 200, want: `~"code":0`},
	)
	p.play(
		t,
		step{
			method: "PATCH", path: functions + "alte%CC%81/", body: `{"name":"alte\u0301"}`, status: 202, want: `~"id":77,`,
		},
	)
	p.play(t, step{method: "GET", path: functions + "alt%C3%A9/", status: 200, want: `~"id":77,`})
	p.play(t, step{method: "DELETE", path: functions + "alte%CC%81/", status: 204, want: ""})
}

func TestFunctionBadInput(t *testing.T) {
	p := newPlatform(t)
	p.play(t, step{method: "POST", path: functions, body: `{"name":"pay","function_code":"1"}`, status: 201})
	p.play(t, step{method: "POST", path: functions, body: `{"name":"other","function_code":"1"}`, status: 201})
	long := strings.Repeat("é", 65)
	big := strings.Repeat("a", cloudfunction.MaxCode+1)
	for _, s := range []step{
		{what: "no name", body: `{"function_code":"1"}`, want: failure("name must not be empty")},
		{what: "empty name", body: `{"name":"","function_code":"1"}`, want: failure("name must not be empty")},
		{what: "null name", body: `{"name":null,"function_code":"1"}`, want: failure("name must not be empty")},
		{
			what: "number for a name", body: `{"name":7,"function_code":"1"}`,
			want: failure("name must be a string, not a number"),
		},
		{
			what: "long name", body: `{"name":"` + long + `","function_code":"1"}`,
			want: failure("name must be at most 64 characters"),
		},
		{what: "name with a slash", body: `{"name":"a/b","function_code":"1"}`, want: `~name may hold letters`},
		{what: "no code", body: `{"name":"a"}`, want: failure("function_code must not be empty")},
		{what: "blank code", body: `{"name":"a","function_code":" "}`, want: failure("function_code must not be empty")},
		{
			what: "array for code", body: `{"name":"a","function_code":[]}`,
			want: failure("function_code must be a string, not an array"),
		},
		{
			what: "code over 1 MB", body: `{"name":"a","function_code":"` + big + `"}`,
			want: failure("function_code must be at most 1048576 bytes, it has 1048577; bundle it smaller with " + cloudfunction.Bundle +
				" " + cloudfunction.BundleBrowser),
		},
		{
			what: "code that does not compile", body: `{"name":"a","function_code":"bad ;"}`,
			want: failure(`function_code: SyntaxError: unexpected token (line 1, column 5)\nbad ;\n    ^`),
		},
		{
			what: "long remark", body: `{"name":"a","function_code":"1","remark":"` + strings.Repeat("é", 1001) + `"}`,
			want: failure("remark must be at most 1000 characters"),
		},
		{what: "taken name", body: `{"name":"pay","function_code":"1"}`, want: failure(`name \"pay\" already exists`)},
		{what: "broken JSON", body: `{"name":`, want: "~not valid JSON"},
		{what: "array", body: `[]`, want: failure("the request body must be an object, not an array")},
		{what: "nothing", body: ``, want: failure("the request body is empty, want a JSON object")},
	} {
		s.method, s.path, s.status = "POST", functions, 400
		p.play(t, s)
	}
	for _, s := range []step{
		{what: "empty name", body: `{"name":""}`, want: failure("name must not be empty")},
		{what: "empty code", body: `{"function_code":""}`, want: failure("function_code must not be empty")},
		{what: "unknown plan", body: `{"plan_circle":"P_HUGE"}`, want: failure("plan_circle must be P_FREE or P_PERSONAL")},
		{what: "taken name", body: `{"name":"other"}`, want: failure(`name \"other\" already exists`)},
		{what: "code that does not compile", body: `{"function_code":"bad ;"}`, want: "~line 1, column 5"},
	} {
		s.method, s.path, s.status = "PATCH", functions+"pay/", 400
		p.play(t, s)
	}
	for _, s := range []step{
		{
			what: "body over 5 MB", method: "POST", path: functions, body: `{"name":"` + strings.Repeat("a", 5<<20) + `"}`,
			status: 413,
		},
		{what: "form", method: "POST", path: functions, header: "Content-Type: text/plain", body: `a`, status: 415},
		{method: "PUT", path: functions, status: 405},
		{method: "PATCH", path: functions + "none/", body: `{}`, status: 404},
		{method: "GET", path: functions + "a%20b/", status: 404, want: failure(`function \"a b\" does not exist`)},
		{method: "GET", path: functions + "?limit=0", status: 400, want: failure("limit must be between 1 and 1000")},
		{method: "GET", path: functions + "?limit=1001", status: 400},
		{method: "GET", path: functions + "?offset=-1", status: 400},
		{method: "GET", path: functions + "?limit=x", status: 400, want: "~limit must be an integer"},
		{method: "GET", path: functions + "?cursor=bmFtZSNwYXk", status: 400},
		{
			what: "unknown environment", method: "GET", path: functions, header: "X-Service-Env-ID: ffffffffffffffffffff",
			status: 400,
		},
		{
			method: "POST", path: "/oserve/v1.3/cloud-function-check/", body: `{"function_code":"bad"}`, status: 200,
			want: `{"diagnostics":[{"line":1,"column":5,"message":"SyntaxError: unexpected token","excerpt":"bad\n    ^"}]}`,
		},
		{
			method: "POST", path: "/oserve/v1.3/cloud-function-check/", body: `{"function_code":"good"}`, status: 200,
			want: `{"diagnostics":[]}`,
		},
		{method: "POST", path: "/oserve/v1.3/cloud-function-check/", body: `{}`, status: 400},
		{
			what: "server time, without a token", method: "GET", path: "/oserve/v2.2/server/time/",
			header: "Authorization: none", status: 200, want: `~{"time":"20`,
		},
		{
			what: "declarations, without a token", method: "GET", path: "/oserve/v1/baas.d.ts", header: "Authorization: none",
			status: 200, want: "~declare namespace BaaS",
		},
	} {
		p.play(t, s)
	}
}

func TestListPages(t *testing.T) {
	p := newPlatform(t)
	for i := range 5 {
		p.play(
			t, step{method: "POST", path: functions, body: fmt.Sprintf(`{"name":"f%d","function_code":"1"}`, i), status: 201},
		)
	}
	type list struct {
		Meta struct {
			Limit, Offset  int
			Next, Previous *string
			Total          int `json:"total_count"`
		}
		Objects []struct{ Name string }
	}
	var names []string
	path := functions + "?limit=2&where={}"
	for range 3 {
		got := decode[list](t, p.play(t, step{method: "GET", path: path, status: 200}))
		if got.Meta.Total != 5 || got.Meta.Limit != 2 || (got.Meta.Previous == nil) != (got.Meta.Offset == 0) {
			t.Errorf("%s: %+v", path, got.Meta)
		}
		for _, o := range got.Objects {
			names = append(names, o.Name)
		}
		if got.Meta.Next == nil {
			break
		}
		path = *got.Meta.Next
	}
	if strings.Join(names, " ") != "f4 f3 f2 f1 f0" {
		t.Errorf("pages show %v", names)
	}
}

func TestIdempotentCreate(t *testing.T) {
	p := newPlatform(t)
	s := step{
		method: "POST", path: functions, body: `{"name":"pay","function_code":"1"}`, header: "Idempotency-Key: k",
		status: 201,
	}
	first := p.play(t, s)
	if again := p.play(t, s); again != first {
		t.Errorf("the same key answers %s, then %s", first, again)
	}
	s.body, s.status = `{"name":"pay2","function_code":"1"}`, 422
	p.play(t, s)
}

// TestTenantsAreIsolated requests shop's function and job on every route that takes a token, with tokens of other
// applications and with no credentials.
func TestTenantsAreIsolated(t *testing.T) {
	p := newPlatform(t)
	p.play(t, step{method: "POST", path: functions, body: `{"name":"pay","function_code":"secret-code"}`, status: 201})
	p.play(t, step{method: "PATCH", path: functions + "pay/", body: `{"remark":"x"}`, status: 202})
	started := decode[struct {
		ID int64 `json:"job_id"`
	}](t, p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200}))
	one := fmt.Sprintf("%spay/job/%d/", functions, started.ID)
	// Paths that name the function answer 404; lists show only the caller's own objects: 200 and an empty list.
	routes := []step{
		{method: "POST", path: "/oserve/v1/cloud-function/job/", body: `{"function_name":"pay"}`, status: 404},
		{method: "POST", path: functions + "pay/debug/", body: `{"data":{}}`, status: 404},
		{method: "GET", path: functions + "pay/job/", status: 404},
		{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 404},
		{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 404},
		{method: "GET", path: functions, status: 200, want: `~"total_count":0},"objects":[]`},
		{method: "GET", path: functions + "pay/", status: 404},
		{method: "PATCH", path: functions + "pay/", body: `{"remark":"mine"}`, status: 404},
		{method: "DELETE", path: functions + "pay/", status: 404},
		{method: "GET", path: functions + "pay/version/", status: 404},
		{method: "GET", path: functions + "pay/version/1/", status: 404},
		{method: "POST", path: functions + "pay/version/1/restore/", status: 404},
		{method: "GET", path: one, status: 404},
		{method: "DELETE", path: one, status: 404},
		{method: "GET", path: one + "log/", status: 404},
	}
	for who, header := range map[string]string{
		"another application": "Authorization: Bearer bank",
		"another environment": "X-Service-Env-ID: " + string(testEnv),
	} {
		for _, s := range routes {
			s.what, s.header = who+": "+s.method+" "+s.path, header
			if body := p.play(t, s); strings.Contains(body, "secret-code") {
				t.Errorf("%s: leaks", s.what)
			}
		}
		// Another application can use the same name for its own function.
		p.play(
			t, step{method: "POST", path: functions, header: header, body: `{"name":"pay","function_code":"1"}`, status: 201},
		)
		p.play(t, step{what: who, method: "GET", path: one, header: header, status: 404})
		p.play(t, step{what: who, method: "DELETE", path: one, header: header, status: 404})
		p.play(
			t,
			step{
				what: who, method: "GET", path: functions + "pay/job/", header: header, status: 200,
				want: `~"total_count":0},"objects":[]`,
			},
		)
	}
	for _, header := range []string{
		"Authorization: ", "Authorization: Bearer none", "Authorization: Service-r1 shop", "Authorization: Basic c2hvcDo=",
	} {
		for _, s := range routes {
			s.what, s.header, s.status, s.want = header+" "+s.method+" "+
				s.path, header, http.StatusUnauthorized, `~"status":"error"`
			p.play(t, s)
		}
	}
	p.play(t, step{method: "GET", path: functions + "pay/", status: 200, want: `~secret-code`})
}
