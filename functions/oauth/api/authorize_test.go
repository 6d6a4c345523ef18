package api_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"minicloud/shared/httpapi"
)

func TestAuthorizeBadInput(t *testing.T) {
	p := newPlatform(t)
	other, otherSecret := p.newApp(t)
	good := p.credentials()
	without := func(name string) string {
		fields := p.credentials()
		delete(fields, name)
		return toJSON(fields)
	}
	post := func(contentType, body string) request {
		return request{method: "POST", path: authorizePath, contentType: contentType, body: body}
	}
	d1 := func(sentence string) string { return `{"status":"error","error_msg":"` + sentence + `"}` }
	wrong := d1("client_id or client_secret is wrong")
	spent := d1("the ticket is unknown, expired or used, start again with POST")
	p.run(t, []scenario{
		{"empty body", post(jsonType, ""), 400, d1("client_id is required")},
		{"empty object", post(jsonType, "{}"), 400, d1("client_id is required")},
		{"no client_id", post(jsonType, without("client_id")), 400, d1("client_id is required")},
		{"no client_secret", post(jsonType, without("client_secret")), 400, d1("client_secret is required")},
		{
			"empty client_secret", post(jsonType, toJSON(p.credentials("client_secret", ""))), 400,
			d1("client_secret is required"),
		},
		{"null client_id", post(jsonType, `{"client_id":null,"client_secret":"x"}`), 400, d1("client_id is required")},
		{"malformed JSON", post(jsonType, `{"client_id":`), 400, d1("the request body is not valid JSON{…}")},
		{"array", post(jsonType, `[]`), 400, d1("the request body must be an object, not an array")},
		{
			"number as client_id", post(jsonType, `{"client_id":5,"client_secret":"x"}`), 400,
			d1("client_id must be a string, not a number{…}"),
		},
		{
			"object as client_secret", post(jsonType, `{"client_id":"x","client_secret":{}}`), 400,
			d1("client_secret must be a string, not an object"),
		},
		{"unknown fields are ignored", post(jsonType, `{"extra":[1],"client_id":"x","client_secret":"y"}`), 401, wrong},
		{"malformed form", post(formType, "client_id=%zz"), 400, d1("the request body is not a valid form")},
		{"field twice in a form", post(formType, form(good)+"&client_id=x"), 400, d1("client_id is given more than once")},
		{
			"malformed multipart", post("multipart/form-data; boundary=b", "--x\r\n"), 400,
			d1("the request body is not valid multipart/form-data"),
		},
		{
			"multipart without boundary", post("multipart/form-data", "--x\r\n"), 400,
			d1("the request body is not valid multipart/form-data"),
		},
		{
			"text", post("text/plain", toJSON(good)), 415,
			d1("the request body must be application/json, application/x-www-form-urlencoded or multipart/form-data"),
		},
		{
			"malformed type", post(";", toJSON(good)), 415,
			d1("the request body must be application/json, application/x-www-form-urlencoded or multipart/form-data"),
		},
		{
			"too large", post(formType, "client_id="+strings.Repeat("a", httpapi.MaxBody)), 413,
			d1("the request body is over 5 MB"),
		},
		{"unknown client", post(jsonType, toJSON(p.credentials("client_id", "0123456789abcdef0123"))), 401, wrong},
		{"wrong secret", post(jsonType, toJSON(p.credentials("client_secret", strings.Repeat("0", 40)))), 401, wrong},
		{"another client's secret", post(jsonType, toJSON(p.credentials("client_secret", otherSecret))), 401, wrong},
		{"another client's id", post(jsonType, toJSON(p.credentials("client_id", string(other.ClientID)))), 401, wrong},
		{
			"client id in capitals",
			post(jsonType, toJSON(p.credentials("client_id", strings.ToUpper("abcdef"+string(p.app.ClientID[6:]))))), 401,
			wrong,
		},
		{"over-long client id", post(jsonType, toJSON(p.credentials("client_id", strings.Repeat("a", 5000)))), 401, wrong},
		{
			"credentials in the query only", request{method: "POST", path: authorizePath + "?" + form(good)}, 400,
			d1("client_id is required"),
		},
		{
			"GET without a ticket", request{method: "GET", path: authorizePath}, 405,
			d1("GET is not allowed here, use OPTIONS, POST"),
		},
		{
			"GET with an empty ticket", request{method: "GET", path: authorizePath + "?ticket="}, 405,
			d1("GET is not allowed here, use OPTIONS, POST"),
		},
		{
			"POST with an empty ticket, which is none", request{method: "POST", path: authorizePath + "?ticket=", contentType: jsonType, body: "{}"}, 400,
			d1("client_id is required"),
		},
		{"PUT", request{method: "PUT", path: authorizePath}, 405, d1("PUT is not allowed here, use {…}")},
		{"DELETE", request{method: "DELETE", path: authorizePath}, 405, d1("DELETE is not allowed here, use {…}")},
		{"malformed ticket", request{method: "GET", path: authorizePath + "?ticket=x"}, 401, spent},
		{"unknown ticket", request{method: "GET", path: authorizePath + "?ticket=" + strings.Repeat("f", 40)}, 401, spent},
		{"ticket twice", request{method: "GET", path: authorizePath + "?ticket=a,b"}, 401, spent},
		{"code as ticket", request{method: "GET", path: authorizePath + "?ticket=" + p.code(t)}, 401, spent},
		{
			"unknown path", request{method: "POST", path: "/api/oauth2/nothing/"}, 404,
			d1("there is no POST /api/oauth2/nothing/"),
		},
	}, otherSecret)
}

func TestAuthorizeTakesEveryBodyTypeAndPath(t *testing.T) {
	p := newPlatform(t)
	multiType, multiBody := multi(p.credentials())
	for name, r := range map[string]request{
		"JSON":                {contentType: jsonType, body: toJSON(p.credentials())},
		"JSON with a charset": {contentType: "application/json; charset=utf-8", body: toJSON(p.credentials())},
		"no type":             {body: toJSON(p.credentials())},
		"form":                {contentType: formType, body: form(p.credentials())},
		"multipart":           {contentType: multiType, body: multiBody},
		"no slash": {
			path: strings.TrimSuffix(authorizePath, "/"), contentType: jsonType, body: toJSON(p.credentials()),
		},
		"stale authorization": {
			contentType: jsonType, body: toJSON(p.credentials()),
			header: map[string]string{"Authorization": "Bearer " + strings.Repeat("0", 40)},
		},
		"unknown environment": {
			contentType: jsonType, body: toJSON(p.credentials()), header: map[string]string{"X-Service-Env-ID": "nowhere"},
		},
		"with idempotency key": {
			contentType: jsonType, body: toJSON(p.credentials()), header: map[string]string{"Idempotency-Key": "k"},
		},
		"same key, another body": {
			contentType: formType, body: form(p.credentials()), header: map[string]string{"Idempotency-Key": "k"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r.method = "POST"
			if r.path == "" {
				r.path = authorizePath
			}
			answer := p.send(t, r)
			location := answer.Header.Get("Location")
			if answer.StatusCode != 302 || len(location) != len("?ticket=")+40 || bodyOf(t, answer) != "" {
				t.Errorf("%d to %q", answer.StatusCode, location)
			}
		})
	}
}

func TestRedirectsCarryTicketAndCookie(t *testing.T) {
	p := newPlatform(t)
	first := p.send(t, request{method: "POST", path: authorizePath, contentType: jsonType, body: toJSON(p.credentials())})
	location, cookie := first.Header.Get("Location"), first.Cookies()
	if len(cookie) != 1 || "?ticket="+cookie[0].Value != location {
		t.Fatalf("cookies %v beside %q", cookie, location)
	}
	if c := cookie[0]; !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 60 || c.Path != "" {
		t.Errorf("cookie %+v", c)
	}
	if first.Header.Get("Cache-Control") != "no-store" {
		t.Error("the redirect may be cached")
	}
	wrong := p.send(
		t,
		request{
			method: "GET", path: authorizePath + location,
			header: map[string]string{"Cookie": cookie[0].Name + "=" + strings.Repeat("0", 40)},
		},
	)
	if body := bodyOf(t, wrong); wrong.StatusCode != 401 ||
		body != `{"status":"error","error_msg":"the ticket and its cookie do not belong together"}` {
		t.Errorf("wrong cookie: %d %s", wrong.StatusCode, body)
	}
	second := p.send(t, request{method: "GET", path: authorizePath + location, header: map[string]string{
		"Cookie": "stale=1; " + cookie[0].Name + "=" + cookie[0].Value, "Authorization": "Bearer stale",
	}})
	if second.StatusCode != 302 || second.Header.Get("Location") == location {
		t.Fatalf("right cookie: %d to %q", second.StatusCode, second.Header.Get("Location"))
	}
	for _, again := range []string{location, location} {
		if r := p.send(t, request{method: "GET", path: authorizePath + again}); r.StatusCode != 401 {
			t.Errorf("a ticket again: %d", r.StatusCode)
		}
	}
	p.pass(60 * time.Second)
	if r := p.send(t, request{method: "GET", path: authorizePath + second.Header.Get("Location")}); r.StatusCode != 401 {
		t.Errorf("a ticket after 60 s: %d", r.StatusCode)
	}
}

// TestCommonClientsFollowRedirects: with and without a cookie jar, with and without changing the method to GET on 302
// (curl -X POST), and behind a gateway with a stage.
func TestCommonClientsFollowRedirects(t *testing.T) {
	p := newPlatform(t)
	server := httptest.NewTLSServer(http.StripPrefix("/dev", p.handler))
	t.Cleanup(server.Close)
	insecure := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(insecure.CloseIdleConnections)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, client := range map[string]*http.Client{
		"plain":    {Transport: insecure},
		"jar":      {Transport: insecure, Jar: jar},
		"the same": {Transport: insecure, Jar: jar},
		"re-posts": {Transport: rePosting{insecure}},
	} {
		for _, path := range []string{authorizePath, strings.TrimSuffix(authorizePath, "/")} {
			r, err := client.Post(server.URL+"/dev"+path, formType, strings.NewReader(form(p.credentials())))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			body, _ := io.ReadAll(r.Body)
			r.Body.Close()
			if r.StatusCode != 200 || !matches(string(body), `{"code":"{…}","expires_in":600}`) {
				t.Errorf("%s: %d %s", name, r.StatusCode, body)
			}
			if r.Request.URL.Path != "/dev"+path || r.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: ended at %s, %v", name, r.Request.URL.Path, r.Header)
			}
		}
	}
}

// rePosting follows a redirect with POST, as curl -X POST -L does.
type rePosting struct{ http.RoundTripper }

func (c rePosting) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Method = "POST"
	return c.RoundTripper.RoundTrip(r)
}
