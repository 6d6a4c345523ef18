package host

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"minicloud/shared/sandbox"
)

// platform is a fake platform that records the last request and returns a fixed response.
type platform struct {
	status int
	body   string

	method, path, query, token, sent, kind string
	depth                                  []string
}

func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.kind = r.Header.Get("Content-Type")
	body, _ := io.ReadAll(r.Body)
	p.method, p.path, p.query = r.Method, r.URL.EscapedPath(), r.URL.RawQuery
	p.token, p.sent, p.depth = r.Header.Get("Authorization"), string(body), r.Header.Values("X-Service-Trigger-Depth")
	w.Header().Set("X-Answer", "yes")
	w.WriteHeader(p.status)
	io.WriteString(w, p.body)
}

func TestCallsPlatform(t *testing.T) {
	p := &platform{}
	server := httptest.NewServer(p)
	defer server.Close()
	at := sandbox.Host{BaseURL: server.URL + "/", Token: "secret-token"}
	long := strings.Repeat("x", 9<<10)
	cases := []struct {
		name, op, payload  string
		status             int
		body               string
		answer, failure    string
		method, path, sent string
	}{
		{"invoke", "invoke", `{"name":"a-b é","data":{"x":"<"},"sync":true}`, 200, `{"code":0,"data":1,"error":{}}`,
			`{"code":0,"data":1,"error":{}}`, "", "POST", "/oserve/v1.3/cloud-function/a-b%20%C3%A9/job/",
			`{"data":{"x":"<"},"sync":true}`},
		{
			"invoke without data", "invoke", `{"name":"f","sync":false}`, 200, `{"status":"ok"}`, `{"status":"ok"}`, "", "POST",
			"/oserve/v1.3/cloud-function/f/job/", `{"sync":false}`,
		},
		{
			"refused", "invoke", `{"name":"f"}`, 404, `{"status":"error","error_msg":"no function \"f\""}`, "",
			`{"message":"no function \"f\"","status":404}`, "POST", "/oserve/v1.3/cloud-function/f/job/", `{"sync":false}`,
		},
		{
			"redirect is no answer", "invoke", `{"name":"f"}`, 302, ``, "", `{"message":"Found","status":302}`, "POST",
			"/oserve/v1.3/cloud-function/f/job/", `{"sync":false}`,
		},
		{
			"not JSON", "invoke", `{"name":"f"}`, 200, `<html>`, "", "the platform's answer is not JSON", "POST",
			"/oserve/v1.3/cloud-function/f/job/", `{"sync":false}`,
		},
		{"no name", "invoke", `{}`, 200, ``, "", "BaaS.invoke needs the name of a function", "", "", ""},
		{"api", "api", `{"method":"GET","path":"/oserve/v2.4/table/t/record/","query":{"limit":5,"where":{"a":1},"none":null},"body":null}`, 200, `[]`,
			`{"status":200,"headers":{"content-type":"text/plain; charset=utf-8"},"body":[]}`, "", "GET", "/oserve/v2.4/table/t/record/", ""},
		{"api, a long where", "api", `{"method":"GET","path":"/oserve/v2.4/table/t/record/","query":{"limit":5,"where":"` +
			long + `"}}`, 200, `[]`,
			`{"status":200,"headers":{"content-type":"text/plain; charset=utf-8"},"body":[]}`, "", "POST", "/oserve/v2.4/table/t/record/query/", `{"limit":5,"where":"` + long + `"}`},
		{
			"api without content", "api", `{"method":"DELETE","path":"/oserve/x/1/"}`, 204, ``, `{"status":204,"headers":{},"body":null}`,
			"", "DELETE", "/oserve/x/1/", "",
		},
		{
			"api with a form", "api", `{"method":"POST","path":"/upload/1/","form":{"type":"multipart/form-data; boundary=b","base64":"LS1i"}}`,
			200, `{}`, `{"status":200,"headers":{"content-type":"text/plain; charset=utf-8"},"body":{}}`, "", "POST", "/upload/1/", "--b",
		},
		{
			"api with a form, refused", "api",
			`{"method":"POST","path":"/upload/1/","form":{"type":"multipart/form-data; boundary=b","base64":"LS1i"}}`,
			403, `{"code":40100002,"message":"policy expired"}`, "", `{"message":"policy expired","status":403}`, "POST", "/upload/1/", "--b",
		},
		{
			"api with a body that is no form", "api", `{"method":"POST","path":"/upload/1/","form":{"type":"text/plain","base64":"LS1i"}}`,
			200, ``, "", "the BaaS call is not complete", "", "", "",
		},
		{
			"api elsewhere", "api", `{"method":"GET","path":"//evil.example/"}`, 200, ``, "",
			`the BaaS path "//evil.example/" is not a path of the platform`, "", "", "",
		},
		{
			"api upwards", "api", `{"method":"GET","path":"/oserve/%2e%2e/admin/"}`, 200, ``, "",
			`the BaaS path "/oserve/%2e%2e/admin/" is not a path of the platform`, "", "", "",
		},
		{
			"api, a row's id that is cut off", "api", `{"method":"PUT","path":"/oserve/v2.6/table/t/record/%3F/"}`, 200, ``, "",
			`the BaaS path "/oserve/v2.6/table/t/record/%3F/" is not a path of the platform`, "", "", "",
		},
		{
			"api, an id with a slash", "api", `{"method":"GET","path":"/oserve/v2.4/table/t%2Frecord/record/"}`, 200, ``, "",
			`the BaaS path "/oserve/v2.4/table/t%2Frecord/record/" is not a path of the platform`, "", "", "",
		},
		{
			"invoke of another endpoint", "invoke", `{"name":"f/version/1/restore?"}`, 200, ``, "",
			`the BaaS path "/oserve/v1.3/cloud-function/f%2Fversion%2F1%2Frestore%3F/job/" is not a path of the platform`, "",
			"", "",
		},
		{
			"api with a strange method", "api", `{"method":"GE T","path":"/a/"}`, 200, ``, "",
			"the BaaS call has a method or path that HTTP does not know", "", "", "",
		},
		{"unknown", "exec", `{}`, 200, ``, "", `BaaS has no operation "exec"`, "", "", ""},
	}

	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			*p = platform{status: c.status, body: c.body}
			answer, err := New(false).Call(t.Context(), at, c.op, json.RawMessage(c.payload))
			failure := ""
			if err != nil {
				failure = err.Error()
			}
			if string(answer) != c.answer || failure != c.failure {
				t.Errorf("answer %s, %q; want %s, %q", answer, failure, c.answer, c.failure)
			}
			if p.method != c.method || p.path != c.path || p.sent != c.sent {
				t.Errorf("asked %s %s %s", p.method, p.path, p.sent)
			}
			if kind := "application/json"; c.sent != "" && p.kind != kind && !(strings.Contains(c.payload, "form") && strings.HasPrefix(p.kind, "multipart/")) {
				t.Errorf("content type %q", p.kind)
			}
			if p.method != "" && p.token != "Run secret-token" {
				t.Errorf("token %q", p.token)
			}
			if strings.Contains(failure, "secret-token") || strings.Contains(failure, server.URL) {
				t.Errorf("the failure tells too much: %s", failure)
			}
		})
	}

	t.Run("platform down", func(t *testing.T) {
		at.BaseURL = "http://127.0.0.1:1" // a port without a listener
		if _, err := New(false).Call(t.Context(), at, "invoke", json.RawMessage(`{"name":"f"}`)); err == nil ||
			err.Error() != `{"message":"network disconnected","status":600}` {
			t.Errorf("%v", err)
		}
	})
}

func TestSendsRequests(t *testing.T) {
	p := &platform{status: 201, body: "\xff\x00"}
	server := httptest.NewServer(p)
	defer server.Close()
	send := func(private bool, payload string) (incoming, string) {
		var in incoming
		answer, err := New(private).Call(
			t.Context(), sandbox.Host{Token: "secret-token", Depth: "3.signed"}, "request", json.RawMessage(payload),
		)
		if err != nil {
			return in, err.Error()
		}
		if err := json.Unmarshal(answer, &in); err != nil {
			t.Fatal(err)
		}
		return in, ""
	}

	in, failure := send(
		true, `{"url":"`+server.URL+`/x?y=1","method":"put","headers":{"X-A":"b"},"body":"aGk=","base64":true}`,
	)
	if failure != "" || in.StatusCode != 201 || in.Headers["x-answer"] != "yes" || in.Body != "/wA=" || !in.Base64 {
		t.Errorf("%+v %s", in, failure)
	}
	if p.method != "PUT" || p.sent != "hi" || p.query != "y=1" || p.token != "" {
		t.Errorf("%+v", p)
	}
	for _, headers := range []string{
		`{}`, `{"X-Service-Trigger-Depth":"0"}`, `{"x-service-trigger-depth":["0","1"]}`, `{"X-Service-Trigger-Depth":""}`,
	} {
		if _, failure := send(true, `{"url":"`+server.URL+`","headers":`+headers+`}`); failure != "" ||
			strings.Join(p.depth, " ") != "3.signed" {
			t.Errorf("%s: the depth is %q, %s", headers, p.depth, failure)
		}
	}

	p.body = "text"
	if in, failure = send(true, `{"url":"`+server.URL+`"}`); in.Body != "text" || in.Base64 || p.method != "GET" {
		t.Errorf("%+v %s", in, failure)
	}
	p.body = strings.Repeat("x", maxAnswer+1)
	if _, failure = send(true, `{"url":"`+server.URL+`"}`); !strings.Contains(failure, "is over 5242880 bytes") {
		t.Errorf("large answer: %s", failure)
	}
	for _, bad := range []string{
		server.URL, "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd", "http://[::1]/", "nonsense",
	} {
		if _, failure = send(false, `{"url":"`+bad+`"}`); failure == "" {
			t.Errorf("%s was requested", bad)
		}
	}
}
