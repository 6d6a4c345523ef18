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
	"os"
	"slices"
	"strings"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/stats"
)

// Client calls one platform, with an access token or as its headers say.
type Client struct {
	Base   string
	Token  string
	Header http.Header // of each request
	http   http.Client
}

// Calls tells the DynamoDB calls between two snapshots, per request: the sum
// and each operation, without those of the pollers of streams, which never rest.
func Calls(before, after stats.Snapshot, requests int) string {
	total, parts := int64(0), []string{}
	for _, operation := range slices.Sorted(maps.Keys(after.DynamoDB)) {
		if strings.HasPrefix(operation, "Streams.") {
			continue
		}
		n := after.DynamoDB[operation] - before.DynamoDB[operation]
		if total += n; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f", operation, float64(n)/float64(requests)))
		}
	}
	return fmt.Sprintf("%.2f: %s", float64(total)/float64(requests), strings.Join(parts, ", "))
}

// Platform starts a local cloud of its own, with what has changed built again, and
// connects to it. Each change is applied to its configuration before; stop ends it
// and removes its data.
func Platform(
	ctx context.Context, changes ...func(*cloud.Config),
) (c *cloud.Cloud, client *Client, stop func(), err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, nil, nil, err
	}

	// stop must work on every error below, so it is made before there is a cloud.
	stop = func() {
		if c != nil {
			c.Stop()
		}
		os.RemoveAll(dir)
	}
	cfg, err := cloudtest.Config(ctx, dir)
	for _, change := range changes {
		change(&cfg)
	}

	if err == nil {
		c, err = cloud.Start(ctx, cfg)
	}
	if err == nil {
		client, err = Connect(ctx, c)
	}
	if err != nil {
		stop()
		return nil, nil, nil, err
	}

	return c, client, stop, nil
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

	client := &Client{Base: base, http: http.Client{Jar: jar, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	credentials := map[string]string{"client_id": id, "client_secret": secret}
	var got struct {
		Code  string `json:"code"`
		Token string `json:"access_token"`
	}
	// The authorization code of the first answer is a credential of the second request.
	for _, path := range []string{"/api/oauth2/service/openapi/authorize/", "/api/oauth2/access_token/"} {
		body, err := json.Marshal(credentials)
		if err != nil {
			return nil, err
		}

		answer, err := client.Call(ctx, "POST", path, string(body))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(answer, &got); err != nil {
			return nil, err
		}

		credentials["code"], credentials["grant_type"] = got.Code, "authorization_code"
	}

	client.Token = got.Token

	return client, nil
}

// Send sends a request with a JSON body, nil for none, and reads the answer into out, unless that is nil.
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

// Call sends one request and returns the body of its answer; a status of 400 or more is an error.
func (c *Client) Call(ctx context.Context, method, path, body string) ([]byte, error) {
	_, answer, err := c.Do(ctx, method, path, body)
	return answer, err
}

// Do is Call with the headers of the answer.
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

	resp, err := c.http.Do(req)
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
