package api_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"minicloud/shared/httpapi"
)

func TestTokenBadInput(t *testing.T) {
	p := newPlatform(t)
	other, otherSecret := p.newApp(t)
	access, refresh := p.tokens(t)
	code, expired := p.code(t), p.code(t)
	post := func(contentType, body string) request {
		return request{method: "POST", path: tokenPath, contentType: contentType, body: body}
	}
	fields := func(more ...string) request { return post(jsonType, toJSON(p.credentials(more...))) }
	foreign := map[string]string{"client_id": string(other.ClientID), "client_secret": otherSecret}
	as := func(base map[string]string, more ...string) request {
		all := map[string]string{}
		for name, value := range base {
			all[name] = value
		}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return post(jsonType, toJSON(all))
	}
	rfc := func(code, sentence string) string {
		return `{"error":"` + code + `","error_description":"` + sentence + `"}`
	}
	wrongClient := rfc("invalid_client", "client_id or client_secret is wrong")
	badCode := rfc("invalid_grant", "the code is unknown or expired")
	badRefresh := rfc("invalid_grant", "the refresh token is unknown, expired or revoked")
	badType := rfc(
		"invalid_request",
		"the request body must be application/json, application/x-www-form-urlencoded or multipart/form-data",
	)
	secrets := []string{otherSecret, access, refresh, code, expired}
	p.run(t, []scenario{
		{"empty body", post(jsonType, ""), 400, rfc("invalid_request", "grant_type is required")},
		{"no grant_type", fields("code", code), 400, rfc("invalid_request", "grant_type is required")},
		{
			"unknown grant_type", fields("grant_type", "password"), 400,
			rfc("unsupported_grant_type", "grant_type must be authorization_code or refresh_token"),
		},
		{
			"grant_type with a space", fields("grant_type", "refresh_token "), 400,
			rfc("unsupported_grant_type", "grant_type must be authorization_code or refresh_token"),
		},
		{
			"number as grant_type", post(jsonType, `{"grant_type":1}`), 400,
			rfc("invalid_request", "grant_type must be a string, not a number{…}"),
		},
		{"malformed JSON", post(jsonType, `{`), 400, rfc("invalid_request", "the request body is not valid JSON{…}")},
		{"array", post(jsonType, `[]`), 400, rfc("invalid_request", "the request body must be an object, not an array")},
		{"text", post("text/plain", toJSON(p.credentials())), 415, badType},
		{"gzip", request{
			method: "POST", path: tokenPath, contentType: jsonType, body: "\x1f\x8b",
			header: map[string]string{"Content-Encoding": "gzip"},
		}, 415,
			rfc("invalid_request", `Content-Encoding \"gzip\" is not accepted, send the body as it is`)},
		{
			"too large", post(formType, "code="+strings.Repeat("a", httpapi.MaxBody)), 413,
			rfc("invalid_request", "the request body is over 5 MB"),
		},
		{
			"field twice", post(formType, form(p.credentials("grant_type", "authorization_code", "code", "x"))+"&code=y"), 400,
			rfc("invalid_request", "code is given more than once"),
		},
		{
			"GET", request{method: "GET", path: tokenPath}, 405,
			`{"status":"error","error_msg":"GET is not allowed here, use OPTIONS, POST"}`,
		},
		{
			"PATCH", request{method: "PATCH", path: tokenPath}, 405,
			`{"status":"error","error_msg":"PATCH is not allowed here, use OPTIONS, POST"}`,
		},

		{
			"code: no client_id", post(jsonType, `{"grant_type":"authorization_code","client_secret":"x","code":"y"}`), 400,
			rfc("invalid_request", "client_id is required"),
		},
		{
			"code: no client_secret", post(jsonType, `{"grant_type":"authorization_code","client_id":"x","code":"y"}`), 400,
			rfc("invalid_request", "client_secret is required"),
		},
		{"code: missing", fields("grant_type", "authorization_code"), 400, rfc("invalid_request", "code is required")},
		{
			"code: null", post(jsonType, `{"grant_type":"authorization_code","client_id":"x","client_secret":"x","code":null}`),
			400, rfc("invalid_request", "code is required"),
		},
		{"code: unknown", fields("grant_type", "authorization_code", "code", strings.Repeat("f", 40)), 400, badCode},
		{"code: malformed", fields("grant_type", "authorization_code", "code", "x#y"), 400, badCode},
		{"code: access token", fields("grant_type", "authorization_code", "code", access), 400, badCode},
		{
			"code: wrong secret", fields("client_secret", "x", "grant_type", "authorization_code", "code", code), 401,
			wrongClient,
		},
		{
			"code: unknown client",
			fields("client_id", "0123456789abcdef0123", "grant_type", "authorization_code", "code", code), 401, wrongClient,
		},
		{"code: another client's", as(foreign, "grant_type", "authorization_code", "code", code), 400, badCode},

		{
			"refresh: no client_id", post(jsonType, `{"grant_type":"refresh_token","client_secret":"x","refresh_token":"y"}`),
			400, rfc("invalid_request", "client_id is required"),
		},
		{
			"refresh: no client_secret", post(jsonType, `{"grant_type":"refresh_token","client_id":"x","refresh_token":"y"}`),
			400, rfc("invalid_request", "client_secret is required"),
		},
		{
			"refresh: missing", fields("grant_type", "refresh_token"), 400, rfc("invalid_request", "refresh_token is required"),
		},
		{
			"refresh: code instead", fields("grant_type", "refresh_token", "code", code), 400,
			rfc("invalid_request", "refresh_token is required"),
		},
		{
			"refresh: unknown", fields("grant_type", "refresh_token", "refresh_token", strings.Repeat("f", 40)), 400,
			badRefresh,
		},
		{"refresh: malformed", fields("grant_type", "refresh_token", "refresh_token", ""+"\u0000"), 400, badRefresh},
		{"refresh: access token", fields("grant_type", "refresh_token", "refresh_token", access), 400, badRefresh},
		{
			"refresh: wrong secret", fields("client_secret", "x", "grant_type", "refresh_token", "refresh_token", refresh), 401,
			wrongClient,
		},
		{"refresh: another client's", as(foreign, "grant_type", "refresh_token", "refresh_token", refresh), 400, badRefresh},
	}, secrets...)
	p.pass(600 * time.Second)
	p.run(t, []scenario{
		{"code: after 600 s", fields("grant_type", "authorization_code", "code", expired), 400, badCode},
	}, secrets...)
	p.pass(2 * 365 * 24 * time.Hour)
	p.run(t, []scenario{
		{"refresh: after two years", fields("grant_type", "refresh_token", "refresh_token", refresh), 400, badRefresh},
	}, secrets...)
}

func TestTokenBodyTypesAndHeaders(t *testing.T) {
	p := newPlatform(t)
	for name, encode := range map[string]func(fields map[string]string) request{
		"JSON": func(fields map[string]string) request { return request{contentType: jsonType, body: toJSON(fields)} },
		"form": func(fields map[string]string) request { return request{contentType: formType, body: form(fields)} },
		"multipart": func(fields map[string]string) request {
			contentType, body := multi(fields)
			return request{contentType: contentType, body: body}
		},
		"stale bearer": func(fields map[string]string) request {
			return request{
				contentType: jsonType, body: toJSON(fields), header: map[string]string{"Authorization": "Bearer stale"},
			}
		},
		"basic": func(fields map[string]string) request {
			basic := base64.StdEncoding.EncodeToString([]byte(fields["client_id"] + ":" + fields["client_secret"]))
			delete(fields, "client_secret")
			return request{contentType: formType, body: form(fields), header: map[string]string{"Authorization": "Basic " +
				basic}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := encode(p.credentials("grant_type", "authorization_code", "code", p.code(t)))
			r.method, r.path = "POST", tokenPath
			answer := p.send(t, r)
			body := bodyOf(t, answer)
			if answer.StatusCode != 200 || !matches(body, `{"access_token":"{…}","scope":"write"}`) ||
				!strings.Contains(body, `","token_type":"Bearer","expires_in":31535999,"refresh_token":"`) {
				t.Errorf("%d %s", answer.StatusCode, body)
			}
			if answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("Pragma") != "no-cache" {
				t.Errorf("headers %v", answer.Header)
			}
		})
	}
	refused := p.send(t, request{method: "POST", path: tokenPath, contentType: jsonType,
		body: toJSON(p.credentials("client_secret", "x", "grant_type", "refresh_token", "refresh_token", "x"))})
	if refused.Header.Get("WWW-Authenticate") != `Basic realm="token"` ||
		refused.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("invalid_client: headers %v", refused.Header)
	}
}

func TestAnswersReusedRefreshToken(t *testing.T) {
	p := newPlatform(t)
	_, refresh := p.tokens(t)
	again := p.credentials("grant_type", "refresh_token", "refresh_token", refresh)
	p.post(t, tokenPath, again, http.StatusOK)
	p.pass(61 * time.Second)
	p.run(t, []scenario{{"reuse after 60 s", request{
		method: "POST", path: tokenPath, contentType: jsonType, body: toJSON(again),
	}, 400,
		`{"error":"invalid_grant","error_description":"the refresh token was used before; all tokens of this client are revoked"}`}}, refresh)
}

func TestAnswersReusedCode(t *testing.T) {
	p := newPlatform(t)
	code := p.code(t)
	exchange := p.credentials("grant_type", "authorization_code", "code", code)
	p.post(t, tokenPath, exchange, http.StatusOK)
	p.run(t, []scenario{{"once more", request{
		method: "POST", path: tokenPath, contentType: jsonType, body: toJSON(exchange),
	}, 400,
		`{"error":"invalid_grant","error_description":"the code was used before, so the tokens it gave are revoked"}`}}, code)
}
