package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"time"

	"minicloud/infra/local/ddb"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Application is a client of the platform with the functions of the load. Each
// round has one of its own, so it has every slot.
type Application struct {
	scope    tenant.Scope
	base     string
	token    string
	http     *http.Client
	function id.ID
}

// functionName is the function that the load runs.
const functionName = "witnessed"

// code tells the witness first, then takes its time.
const code = `exports.main = async (event) => {
  await BaaS.request({ url: event.data.witness + '?job=' + event.jobId, method: 'POST', data: {} });
  await new Promise((done) => setTimeout(done, event.data.ms));
  return event.jobId;
}`

// Plant makes an application with the function.
func (p *Platform) Plant(ctx context.Context, name string) (*Application, error) {
	seed := demo.Seed{Client: ddb.NewClient(p.Database), ApplicationsTable: p.Tables["ApplicationsTable"], Clock: clock.System, Name: name}
	credentials, err := seed.Plant(ctx, demo.Credentials{})
	if err != nil {
		return nil, err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	a := &Application{
		scope: tenant.Scope{App: credentials.Miniapp, Env: tenant.Production}, base: p.URL,
		http: &http.Client{Jar: jar, Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
	if err := a.connect(ctx, credentials.ClientID, credentials.ClientSecret); err != nil {
		return nil, fmt.Errorf("token of %s: %w", name, err)
	}
	var made struct {
		ID id.ID `json:"id"`
	}
	err = a.call(ctx, "POST", "/oserve/v1.3/cloud-function/", map[string]any{"name": functionName, "function_code": code}, &made)
	a.function = made.ID
	return a, err
}

// connect exchanges credentials for a token (endpoints 10 and 11).
func (a *Application) connect(ctx context.Context, clientID, secret string) error {
	credentials := map[string]any{"client_id": clientID, "client_secret": secret}
	var got struct {
		Code  string `json:"code"`
		Token string `json:"access_token"`
	}
	if err := a.call(ctx, "POST", "/api/oauth2/service/openapi/authorize/", credentials, &got); err != nil {
		return err
	}
	credentials["code"], credentials["grant_type"] = got.Code, "authorization_code"
	err := a.call(ctx, "POST", "/api/oauth2/access_token/", credentials, &got)
	a.token = got.Token
	return err
}

// call sends one request. Any answer but 2xx is an error.
func (a *Application) call(ctx context.Context, method, path string, body, answer any) error {
	content := ""
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = string(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, strings.NewReader(content))
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: status %d: %.300s", method, path, resp.StatusCode, text)
	}
	return json.Unmarshal(text, answer)
}
