// Package api is a client of the HTTP API of a local cloud, for tools: benchmarks, the fuzzer and replay.
package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"strings"

	"minicloud/infra/local/cloud"
)

// Client sends requests to one platform. It authenticates with Token, or with the headers in Header.
type Client struct {
	Base    string
	Token   string
	Refresh string      // the refresh token issued with Token
	Header  http.Header // added to each request
	HTTP    http.Client // the zero value is ready to use
}

// Connect exchanges the demo application's credentials for a token.
func Connect(ctx context.Context, c *cloud.Cloud) (*Client, error) {
	return ConnectAs(ctx, c.URL, c.Credentials.ClientID, c.Credentials.ClientSecret)
}

// ConnectAs exchanges an application's credentials for a token.
func ConnectAs(ctx context.Context, base, id, secret string) (*Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}

	client := &Client{Base: base, HTTP: http.Client{Jar: jar, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	code, err := client.Code(ctx, id, secret)
	if err != nil {
		return nil, err
	}
	var got struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	err = client.Send(ctx, "POST", "/api/oauth2/access_token/", map[string]string{
		"client_id": id, "client_secret": secret, "grant_type": "authorization_code", "code": code,
	}, &got)
	client.Token, client.Refresh = got.Access, got.Refresh
	return client, err
}

// Code returns a single-use authorization code for an application's credentials.
func (c *Client) Code(ctx context.Context, id, secret string) (string, error) {
	var got struct{ Code string }
	credentials := map[string]string{"client_id": id, "client_secret": secret}
	err := c.Send(ctx, "POST", "/api/oauth2/service/openapi/authorize/", credentials, &got)
	return got.Code, err
}

// SignIn signs the first administrator in to the console and returns the headers of that session's requests. It ends
// the session that the headers in earlier belong to.
func SignIn(ctx context.Context, c *cloud.Cloud, earlier http.Header) (http.Header, error) {
	body := fmt.Sprintf(`{"email":%q,"password":%q}`, c.Credentials.ConsoleEmail, c.Credentials.ConsolePassword)
	answer, text, err := (&Client{Base: c.URL, Header: earlier}).Do(ctx, http.MethodPost, "/console/api/session/", body)
	if err != nil {
		return nil, err
	}
	var began struct {
		CSRF string `json:"csrf_token"`
	}
	if err := json.Unmarshal(text, &began); err != nil {
		return nil, err
	}
	session := http.Header{"X-Csrf-Token": {began.CSRF}}
	// net/http parses Set-Cookie only through a Response.
	for _, cookie := range (&http.Response{Header: answer}).Cookies() {
		session.Set("Cookie", cookie.Name+"="+cookie.Value)
	}
	return session, nil
}

// Send sends a request with the JSON encoding of in, without a body if in is nil, and decodes the response into out
// unless out is nil.
func (c *Client) Send(ctx context.Context, method, path string, in, out any) error {
	body := ""
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = string(text)
	}
	answer, err := c.Call(ctx, method, path, body)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

// Call sends one request and returns the response body. A status of 400 or more is an error.
func (c *Client) Call(ctx context.Context, method, path, body string) ([]byte, error) {
	_, answer, err := c.Do(ctx, method, path, body)
	return answer, err
}

// Do is Call that also returns the response headers.
func (c *Client) Do(ctx context.Context, method, path, body string) (http.Header, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.Base+path, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	maps.Copy(req.Header, c.Header)

	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: status %d: %.300s", method, path, resp.StatusCode, answer)
	}
	return resp.Header, answer, err
}
