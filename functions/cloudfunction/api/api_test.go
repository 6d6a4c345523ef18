package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"minicloud/functions/cloudfunction/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/idempotency"
	"minicloud/shared/job"
	"minicloud/shared/job/callback"
	"minicloud/shared/job/runlog"
	"minicloud/shared/oauth"
	"minicloud/shared/oauth/oauthtest"
	"minicloud/shared/sandbox"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

const testEnv tenant.EnvID = "0123456789abcdef0123"

// shop and bank are the two applications of these tests; shop has a test environment.
var (
	shop = app.Application{
		ID: 7, Name: "shop", ClientID: "00000000000000000007", Owner: app.Owner{UserID: 70, Nickname: "Ada"},
		Environments: map[tenant.EnvID]string{testEnv: "staging"}, SigningKey: make([]byte, 32),
	}
	bank = app.Application{
		ID: 8, Name: "bank", ClientID: "00000000000000000008", Owner: app.Owner{UserID: 80, Nickname: "Eve"},
	}
)

// shops is a fake that returns shop for every run token and every application id.
type shops struct{}

func (shops) ByHandle(context.Context, app.Handle) (app.Application, error) { return shop, nil }
func (shops) Application(context.Context, tenant.AppID) (app.Application, error) {
	return shop, nil
}

// runner is a fake sandbox: the field run returns the result of each run.
type runner struct {
	mu   sync.Mutex
	run  func(sandbox.Request) (sandbox.Result, error)
	seen []sandbox.Request
}

func (r *runner) Run(_ context.Context, _ tenant.Scope, _ sandbox.Plan, req sandbox.Request) (sandbox.Result, error) {
	r.mu.Lock()
	if req.Op == sandbox.OpRun {
		r.seen = append(r.seen, req)
	}
	run := r.run
	r.mu.Unlock()
	if req.Op == sandbox.OpCheck {
		source, err := (cloudfunction.Code{Gzip: req.Code}).Source()
		if strings.HasPrefix(source, "bad") {
			return sandbox.Result{
				Diagnostics: []sandbox.Diagnostic{
					{Line: 1, Column: 5, Message: "SyntaxError: unexpected token", Excerpt: source + "\n    ^"},
				},
			}, err
		}
		return sandbox.Result{}, err
	}
	return run(req)
}

func (r *runner) last(t *testing.T) sandbox.Request {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) == 0 {
		t.Fatal("nothing ran")
	}
	return r.seen[len(r.seen)-1]
}

// line is a fake queue that holds messages until the test delivers them.
type line struct {
	mu    sync.Mutex
	held  []job.Message
	delay []time.Duration
	down  bool
}

func (l *line) Send(_ context.Context, delay time.Duration, all ...job.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return errs.Unavailable(1, "the queue is down")
	}
	for _, m := range all {
		l.held, l.delay = append(l.held, m), append(l.delay, delay)
	}
	return nil
}

func (l *line) take() []job.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.held
	l.held, l.delay = nil, nil
	return held
}

// platform is the program's handler on a real database.
type platform struct {
	http.Handler
	functions *cloudfunction.Service
	jobs      *job.Service
	runner    *runner
	queue     *line
	sealer    *sealer
	receiver  *receiver
	client    *dynamodb.Client

	// settings are those of the shop, for clients.
	settings app.Settings

	mu    sync.Mutex
	now   time.Time
	calls []string // names of the DynamoDB operations
}

func newPlatform(t *testing.T) *platform {
	p := &platform{
		now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), runner: &runner{}, queue: &line{}, sealer: &sealer{},
		receiver: &receiver{status: 200},
	}
	p.runner.run = func(sandbox.Request) (sandbox.Result, error) {
		return sandbox.Result{
			Outcome: sandbox.OutcomeFulfilled, Data: json.RawMessage(`{"pong":true}`), Log: "a line\n", ExecutionMS: 1.5,
			MemUsage: 2048,
		}, nil
	}
	client := p.counted(dynamotest.Start(
		t, "FunctionsTable", "JobsTable", "CountsTable", "IdempotencyTable", "TablesTable",
	))
	p.client = client
	ids := new(id.Source)
	store := &functiondb.Functions{Client: client, Table: "FunctionsTable"}
	p.functions = &cloudfunction.Service{
		Store: store, IDs: ids, Clock: p.time,
		Runner: p.runner,
	}
	variables := &cloudfunction.Variables{Functions: p.functions, Store: store, Sealer: p.sealer}
	jobs := &jobdb.Store{
		Client: client, Table: "JobsTable", Counts: &countdb.Store{Client: client, Table: "CountsTable", Clock: p.time},
	}
	keys := &callback.Keys{Store: jobs, Sealer: keySealer{}, Clock: p.time}
	p.jobs = &job.Service{
		Variables: variables, Store: jobs,
		Functions: p.functions, Runner: p.runner, Queue: p.queue,
		Callbacks: &callback.Service{
			Store: jobs, Keys: keys, Sender: p.receiver, Clock: p.time,
			Depths: signedDepths{},
		},
		Links: &runlog.Keys{Store: jobs, Sealer: keySealer{}},
		IDs:   ids, Clock: p.time, Pause: func(_ context.Context, d time.Duration) error { p.pass(d); return nil },
	}
	group := &api.Group{
		Functions: p.functions, Tables: &manage.Service{Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}},
		Jobs: p.jobs, Variables: variables, Clock: p.time, CallbackKeys: keys, Callbacks: jobs, Declarations: "declare namespace BaaS {}",
	}
	p.Handler = (&httpapi.API{
		Routes: group.Routes(), Authenticator: oauthtest.Tokens{"shop": shop, "bank": bank}, Clock: p.time,
		Clients: &shopClient{p}, EndUsers: endUsers{},
		Runs: &oauth.RunVerifier{Store: shops{}, Clock: p.time}, Consoles: administrators{}, Audit: unread{},
		Replay: &idempotency.Service{Store: &claimdb.Store{Client: client, Table: "IdempotencyTable"}, Clock: p.time},
	}).Handler()
	return p
}

// counted returns a client that records the name of every DynamoDB operation in p.calls.
func (p *platform) counted(client *dynamodb.Client) *dynamodb.Client {
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("count", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
				p.mu.Lock()
				p.calls = append(p.calls, middleware.GetOperationName(ctx))
				p.mu.Unlock()
				return next.HandleInitialize(ctx, in)
			}), middleware.After)
		})
	})
}

func (p *platform) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *platform) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

// counting returns the DynamoDB calls that do makes.
func (p *platform) counting(do func()) []string {
	p.mu.Lock()
	p.calls = nil
	p.mu.Unlock()
	do()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

// deliver hands every message in the queue to a worker.
func (p *platform) deliver(t *testing.T) {
	t.Helper()
	for _, m := range p.queue.take() {
		if err := p.jobs.Work(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
}

// step is one request and its expected response. A want that begins with "~" is a part of the body; an empty want
// matches every body.
type step struct {
	what         string
	method, path string
	body         string
	header       string // "Name: value", one header per line
	status       int
	want         string
}

// send sends the request. Without an Authorization header it uses the token of shop.
func (p *platform) send(t *testing.T, s step) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), s.method, s.path, strings.NewReader(s.body))
	r.Header.Set("Authorization", "Bearer shop")
	r.Header.Set("User-Agent", "test/1")
	r.Header.Set("X-Forwarded-Proto", "http")
	r.RemoteAddr = "192.0.2.7"
	for field := range strings.SplitSeq(s.header, "\n") {
		if name, value, ok := strings.Cut(field, ": "); ok {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result()
}

func (p *platform) play(t *testing.T, s step) string {
	t.Helper()
	answer := p.send(t, s)
	body := text(t, answer)
	what := s.what
	if what == "" {
		what = s.method + " " + s.path
	}
	if answer.StatusCode != s.status {
		t.Errorf("%s: %d %s, want %d", what, answer.StatusCode, body, s.status)
	}
	if part, contains := strings.CutPrefix(s.want, "~"); contains && !strings.Contains(body, part) || !contains &&
		s.want != "" && body != s.want {
		t.Errorf("%s:\n got %s\nwant %s", what, body, s.want)
	}
	return body
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	var b strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := r.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.String()
		}
	}
}

func decode[T any](t *testing.T, body string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return v
}
