package client

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
	"runtime"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/local/ddb"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
	"minicloud/shared/oauth"
	"minicloud/shared/tenant"
)

// Application is an application of the platform with a token that may do everything.
type Application struct {
	Scope       tenant.Scope
	Credentials demo.Credentials
	Token       string
	Header      http.Header // of each request, such as those of a session of the console

	base      string
	scheme    string // of the Authorization header, "" = Bearer
	http      *http.Client
	slots     chan struct{}
	repeatFor func() time.Duration // how long a request is repeated at most
}

// atOnce is how many requests of all applications are under way: each takes a process of its program.
const atOnce = 10

// Slots limit the requests of all applications that share them.
func Slots() chan struct{} { return make(chan struct{}, atOnce) }

// New makes an empty application on a platform that serves at base, and gets a token.
func New(ctx context.Context, base, database, name string, slots chan struct{}) (*Application, error) {
	seed := demo.Seed{Client: ddb.NewClient(database), Clock: clock.System, Name: name}
	credentials, err := seed.Plant(ctx, demo.Credentials{})
	if err != nil {
		return nil, err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}

	a := &Application{
		Scope: tenant.Scope{App: credentials.Miniapp, Env: tenant.Production}, Credentials: credentials, base: base,
		slots: slots, repeatFor: RepeatFor,
		http: &http.Client{
			Jar: jar, Timeout: Patient(40 * time.Second), Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		},
	}
	var got Grant
	if err := a.Exchange(ctx).Decode(&got); err != nil {
		return nil, fmt.Errorf("token of %s: %w", name, err)
	}
	a.Token = got.Access
	return a, nil
}

// Over is an application on a simulated platform behind a transport, still without a token. On the virtual clock a
// machine is never busy.
func Over(transport http.RoundTripper, credentials demo.Credentials) *Application {
	return &Application{
		Scope:       tenant.Scope{App: credentials.Miniapp, Env: tenant.Production},
		Credentials: credentials, base: "http://simulated", slots: Slots(),
		http:      &http.Client{Transport: transport, Timeout: 40 * time.Second},
		repeatFor: func() time.Duration { return simulatedRepeats },
	}
}

// simulatedRepeats is longer than any outage of the simulation.
const simulatedRepeats = 5 * time.Minute

// In is the application in one of its environments.
func (a *Application) In(env tenant.EnvID) *Application {
	other := *a
	other.Scope.Env = env
	return &other
}

// Service is the application as its own servers call it, which may read orders.
func (a *Application) Service() *Application {
	service := *a
	service.scheme = "Service-r1"
	return &service
}

// With is the application with another token.
func (a *Application) With(token string) *Application {
	other := *a
	other.Token = token
	return &other
}

// Grant is an answer of the token endpoint.
type Grant struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// Exchange gets a code and exchanges it for tokens (endpoints 10 and 11).
func (a *Application) Exchange(ctx context.Context) Reply {
	body := map[string]any{"client_id": a.Credentials.ClientID, "client_secret": a.Credentials.ClientSecret}
	asked := a.Send(ctx, Request{Method: "POST", Path: "/api/oauth2/service/openapi/authorize/", Body: body})
	var got struct {
		Code string `json:"code"`
	}
	if err := asked.Decode(&got); err != nil {
		return asked
	}

	body["code"], body["grant_type"] = got.Code, "authorization_code"
	return a.Send(ctx, Request{Method: "POST", Path: "/api/oauth2/access_token/", Body: body})
}

// Refresh exchanges a refresh token (endpoint 12).
func (a *Application) Refresh(ctx context.Context, token string) Reply {
	return a.Send(ctx, Request{Method: "POST", Path: "/api/oauth2/access_token/", Body: map[string]any{
		"client_id": a.Credentials.ClientID, "client_secret": a.Credentials.ClientSecret,
		"grant_type": "refresh_token", "refresh_token": token,
	}})
}

// Renew refreshes until it is answered, or for half of the time for which the platform repeats a lost answer (D10).
func (a *Application) Renew(ctx context.Context, token string) Reply {
	for begun := time.Now(); ; time.Sleep(RepeatAfter) {
		if r := a.Refresh(ctx, token); r.Known() != Unknown || time.Since(begun) > oauth.ReplayWindow/2 {
			return r
		}
	}
}

// Valid is whether the API takes a token.
func (a *Application) Valid(ctx context.Context, token string) promise.Need {
	return a.With(token).Send(ctx, Request{Method: "GET", Path: TablesPath + "?limit=1"}).Known()
}

// Slowness is how many times longer this machine takes than an idle one: the number of processes that wanted a
// processor during the last minute, for each processor. It is 1 where the kernel does not say.
func Slowness() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 1
	}
	var load float64
	if _, err := fmt.Sscan(string(text), &load); err != nil {
		return 1
	}
	return max(1, load/float64(runtime.NumCPU()))
}

// Patient is how long to wait for something that takes d on an idle machine.
func Patient(d time.Duration) time.Duration { return time.Duration(float64(d) * Slowness()) }
