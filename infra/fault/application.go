package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"minicloud/infra/local/ddb"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Application is a client of the platform with the function of the load, and the
// table where that counts its runs. Each round has one of its own, so it has every
// slot.
type Application struct {
	scope    tenant.Scope
	base     string
	token    string
	http     *http.Client
	function id.ID
	table    int64
}

// functionName is the function that the load runs.
const functionName = "witnessed"

// code tells the witness first, counts its run in a table, then takes its time.
// Where the table cannot be reached the run fails.
const code = `exports.main = async (event) => {
  await BaaS.request({ url: event.data.witness + '?job=' + event.jobId, method: 'POST', data: {} });
  const run = new BaaS.TableObject(event.data.table).create();
  run.set({ job: event.jobId });
  await run.save();
  await new Promise((done) => setTimeout(done, event.data.ms));
  return event.jobId;
}`

// runsTable is the table of an application.
const runsTable = `{"name": "runs", "schema": {"fields": [{"name": "job", "type": "string"}]}}`

// Plant makes an application with the function and the table. Do it before anybody
// is killed.
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
		ID int64 `json:"id"`
	}
	if err := a.call(ctx, "POST", "/oserve/v1.3/cloud-function/", map[string]any{"name": functionName, "function_code": code}, &made); err != nil {
		return nil, err
	}
	a.function = id.ID(made.ID)
	err = a.call(ctx, "POST", "/oserve/v1.8/table/", json.RawMessage(runsTable), &made)
	a.table = made.ID
	return a, err
}

// list calls each for every object of a list, following its cursors, and returns
// the total it says. A request that fails is made again: what is judged is what
// the platform remembers, not whether it has recovered yet.
func (a *Application) list(ctx context.Context, path string, each func(json.RawMessage) error) (total int, err error) {
	for next := path; next != ""; {
		var answer struct {
			Meta struct {
				Next  *string `json:"next"`
				Total int     `json:"total_count"`
			} `json:"meta"`
			Objects []json.RawMessage `json:"objects"`
		}
		for try := 0; ; try++ {
			if err = a.call(ctx, "GET", next, nil, &answer); err == nil || try == 20 {
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
		if err != nil {
			return 0, err
		}
		for _, object := range answer.Objects {
			if err := each(object); err != nil {
				return 0, err
			}
		}
		total, next = answer.Meta.Total, ""
		if answer.Meta.Next != nil {
			page, err := url.Parse(*answer.Meta.Next)
			if err != nil {
				return 0, err
			}
			next = page.RequestURI()
		}
	}
	return total, nil
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
