package fault

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"time"

	"minicloud/infra/local/ddb"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
	"minicloud/shared/tenant"
)

// Application is a client of the platform with everything that a load needs. Each
// round has one of its own, so it has every slot.
type Application struct {
	scope       tenant.Scope
	credentials demo.Credentials
	base        string
	token       string
	scheme      string // of the Authorization header, "" = Bearer
	http        *http.Client
	witness     *Witness
	parts       []part
}

// part is one kind of load with its ledgers.
type part interface {
	// plant prepares the application, before anybody is killed.
	plant(ctx context.Context) error
	// clients are what is done again and again, each by a client of its own.
	clients() []client
	// open counts what is under way; 0 when everything has ended.
	open(ctx context.Context) (int, error)
	// judge fills the ledgers.
	judge(ctx context.Context, r *Report) error
}

// Plant makes an application. Do it before anybody is killed.
func (p *Platform) Plant(ctx context.Context, name string, pace Pace) (*Application, error) {
	a, err := p.application(ctx, name)
	if err != nil {
		return nil, err
	}

	actor, err := p.application(ctx, name+", actions")
	if err != nil {
		return nil, err
	}
	a.parts = []part{
		&runs{app: a, platform: p, pace: pace}, &rows{app: a, pace: pace}, &sums{app: a},
		&bulks{app: a, platform: p}, &names{app: a, platform: p, pace: pace}, &tokens{app: a, platform: p, name: name},
		newEffects(p, actor, name, !pace.Real),
	}
	for _, part := range a.parts {
		if err := part.plant(ctx); err != nil {
			return nil, fmt.Errorf("plant %s: %w", name, err)
		}
	}
	return a, nil
}

// application makes an empty application and a client with a token.
func (p *Platform) application(ctx context.Context, name string) (*Application, error) {
	seed := demo.Seed{
		Client: ddb.NewClient(p.Database), ApplicationsTable: p.Tables["ApplicationsTable"],
		Clock: clock.System, Name: name,
	}
	credentials, err := seed.Plant(ctx, demo.Credentials{})
	if err != nil {
		return nil, err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}

	a := &Application{
		scope: tenant.Scope{App: credentials.Miniapp, Env: tenant.Production}, credentials: credentials, base: p.URL,
		http:    &http.Client{Jar: jar, Timeout: 40 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
		witness: NewWitness(),
	}
	var got grant
	if err := a.exchange(ctx).decode(&got); err != nil {
		return nil, fmt.Errorf("token of %s: %w", name, err)
	}
	a.token = got.Access
	return a, nil
}

// grant is an answer of the token endpoint.
type grant struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// exchange gets a code and exchanges it for tokens (endpoints 10 and 11).
func (a *Application) exchange(ctx context.Context) reply {
	body := map[string]any{"client_id": a.credentials.ClientID, "client_secret": a.credentials.ClientSecret}
	asked := a.send(ctx, request{method: "POST", path: "/api/oauth2/service/openapi/authorize/", body: body})
	var got struct {
		Code string `json:"code"`
	}
	if err := asked.decode(&got); err != nil {
		return asked
	}

	body["code"], body["grant_type"] = got.Code, "authorization_code"
	return a.send(ctx, request{method: "POST", path: "/api/oauth2/access_token/", body: body})
}

// refresh exchanges a refresh token (endpoint 12).
func (a *Application) refresh(ctx context.Context, token string) reply {
	return a.send(ctx, request{method: "POST", path: "/api/oauth2/access_token/", body: map[string]any{
		"client_id": a.credentials.ClientID, "client_secret": a.credentials.ClientSecret,
		"grant_type": "refresh_token", "refresh_token": token,
	}})
}
