// Package cloud assembles the local cloud: it serves every resource of template.yaml on loopback.
//
//	Start:  lock ─ ports ─ template ─ database ─ queues, keys, Lambda host, bus
//	        ─ seed ─ gateway ─ event sources
//
//	PORT        the HTTP API, and /_local/* for tools
//	AWS_PORT    the AWS APIs: Lambda Invoke, SQS …, and DynamoDB for other clients
//	FILES_PORT  files of end users, as CloudFront serves them
//	(random)    DynamoDB for our programs: a counting proxy in front of dynoxide
//
// Tests start one with Config{Root, DataDir: t.TempDir()}; infra/local is its command line.
package cloud

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"minicloud/infra/local/async"
	"minicloud/infra/local/bucket"
	"minicloud/infra/local/bus"
	"minicloud/infra/local/compile"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/disk"
	"minicloud/infra/local/distribution"
	"minicloud/infra/local/engine"
	"minicloud/infra/local/eventsource"
	"minicloud/infra/local/gateway"
	"minicloud/infra/local/iam"
	"minicloud/infra/local/keys"
	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/outbox"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/server"
	"minicloud/infra/local/ses"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
	"minicloud/infra/local/vendors"
	"minicloud/infra/local/vendors/payvendor"
	"minicloud/infra/local/watch"
	"minicloud/shared/clock"
)

// Config is the configuration of a cloud. Root and DataDir are required.
type Config struct {
	Root     string // root folder of the repository
	Template string // path; "" means Root/template.yaml
	DataDir  string // folder of the database, logs, programs and credentials.json
	BinDir   string // folder of the built programs, see compile; "" means DataDir/bin
	Lock     *Lock  // lock of DataDir, held by a caller that built into it; nil: Start claims it
	Port     int    // port of the HTTP API; 0 means any free port
	// AWSPort is the port of the AWS APIs, 0 for any free port. AWSBind is the address they listen on, "" for
	// loopback. Every client that reaches it has full access to the data.
	AWSPort int
	AWSBind string
	// FilesPort is the port of the files of end users, on loopback; 0 for any free port.
	FilesPort int
	// Parameters override the defaults of the template's parameters.
	Parameters map[string]string
	// Environment is added to the environment of every program.
	Environment map[string]string
	// Terminal receives the errors of the programs; nil discards them.
	Terminal io.Writer
	// StoppedClock disables the schedules, for tests: they fire only by /_local/tick.
	StoppedClock bool
	// HeldQueues disables the pollers of queues: messages stay in the queues.
	HeldQueues bool
	// MailSandbox refuses mails to recipients that are not verified, as the SES of a new account does.
	MailSandbox bool
	// CountUnits also counts the request units of DynamoDB, see Stats.
	CountUnits bool
	// NoWindow delivers stream records at once, without the batching windows of the template.
	NoWindow bool
	// Unkind is which unkindness of AWS is on, see unkind.Parse; nil means none.
	Unkind unkind.Numbers
	// Seed creates the demo application; nil creates none.
	Seed Seeder
	// Denied is called, from several goroutines, for each call that a program's own policies deny: the template lacks
	// a grant. If it is nil, such calls are only logged.
	Denied func(error)
	// Called is called, from several goroutines, for each call of DynamoDB, before the database gets it; nil for nobody.
	// authorization is the header, whose credential is the name of the function that calls.
	Called func(authorization, operation string, body []byte)
	// IdleFor is how long an unused program process is kept; 0 means 5 minutes.
	IdleFor time.Duration
}

// Cloud is a running local cloud.
type Cloud struct {
	URL         string // base URL of the HTTP API, without a trailing slash
	Services    string // base URL of the AWS APIs
	Files       string // base URL of the files of end users
	Database    string // base URL of the counting DynamoDB proxy for our programs
	Template    *template.Template
	Credentials Credentials

	cfg       Config
	counters  *stats.Counters
	unkind    *unkind.Switches // nil without Config.Unkind
	database  *ddb.Server
	dynamo    http.Handler // serves DynamoDB at the address of the AWS APIs
	tables    []ddb.Table
	data      bool // the tables held items before this start
	gate      *iam.Gate
	broker    *queue.Broker
	queues    *queue.API
	keys      *keys.API
	buckets   *bucket.API
	outbox    *outbox.API
	mails     *ses.Service
	hook      *outbox.Hook
	vendors   *vendors.API
	payvendor *payvendor.API
	runner    *async.Runner
	bus       *bus.Bus
	host      *lambdahost.Host
	streams   []*eventsource.StreamPoller
	metrics   *watch.Metrics
	watch     *watch.Watch
	log       *slog.Logger
	stops     []func() // functions that Stop calls, in the order of starting
	failed    chan error
}

// Check reports, before anything is built, why Start would fail: a port in use, a missing tool.
func Check(cfg Config) error {
	// This is only a probe; Start opens the ports again after the build.
	open, err := listenAll(cfg)
	closeAll(open)
	if err != nil {
		return err
	}
	if os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") != "" {
		return nil
	}
	_, err = engine.Find(cfg.Root)
	return err
}

// Start starts a local cloud whose programs are already built. If it fails, it stops everything it started and returns
// a one-line error for the user.
func Start(ctx context.Context, cfg Config) (*Cloud, error) {
	cfg.Template = cmp.Or(cfg.Template, filepath.Join(cfg.Root, "template.yaml"))
	cfg.BinDir = cmp.Or(cfg.BinDir, filepath.Join(cfg.DataDir, "bin"))
	cfg.Terminal = cmp.Or(cfg.Terminal, io.Discard)

	c := &Cloud{
		cfg: cfg, counters: stats.New(), failed: make(chan error, 1), log: slog.New(slog.NewTextHandler(cfg.Terminal, nil)),
	}
	if len(cfg.Unkind) > 0 {
		random := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
		c.unkind = unkind.New(cfg.Unkind, random, nil)
	}
	if err := c.start(ctx); err != nil {
		c.Stop()
		return nil, err
	}

	return c, nil
}

func (c *Cloud) start(ctx context.Context) error {
	if c.cfg.Lock == nil {
		var err error
		if c.cfg.Lock, err = Claim(c.cfg.DataDir); err != nil {
			return err
		}
		c.onStop(c.cfg.Lock.Release)
	}
	open, err := listenAll(c.cfg)
	c.onStop(func() { closeAll(open) })
	if err != nil {
		return err
	}
	front, back, files := open[0], open[1], open[2]
	c.URL, c.Services = "http://"+front.Addr().String(), "http://"+reachable(back.Addr())
	c.Files = "http://" + files.Addr().String()

	c.Template, err = template.ReadFile(c.cfg.Template, template.Options{
		Region: ddb.Region, Parameters: c.cfg.Parameters, APIBase: c.URL,
		QueueURL: func(name string) string { return c.Services + "/" + template.Account + "/" + name },
	})
	if err != nil {
		return err
	}
	c.gate = iam.New(c.Template, ddb.Region)
	c.metrics = watch.NewMetrics(clock.System)
	c.watch = watch.New(c.Template, c.metrics, c.log)
	for _, step := range []func(context.Context) error{
		c.startDatabase, c.startServices, c.makeStreamPollers, c.seed, c.keepSAMEnvironment,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	// Serve last: a request must not arrive before the services it uses have started.
	c.serve(back, http.HandlerFunc(c.services))
	for _, d := range c.Template.Distributions {
		c.serve(files, &distribution.Distribution{Of: d, Bucket: c.buckets})
	}
	api, err := c.gateway()
	if err != nil {
		return err
	}
	c.serve(front, c.front(api))
	return c.startPollers()
}

// gateway returns the HTTP API, with its access log and its metrics.
func (c *Cloud) gateway() (*gateway.Gateway, error) {
	log, err := disk.OpenLog(filepath.Join(c.cfg.DataDir, "logs", "access.log"))
	if err != nil {
		return nil, err
	}
	c.onStop(func() { log.Close() })
	api := gateway.New(c.Template.Functions, c.host, c.counters)
	api.Metrics, api.API, api.AccessLog, api.Unkind = c.metrics, c.Template.API, log, c.unkind
	return api, nil
}

// onStop registers a function for Stop, which calls them in reverse order.
func (c *Cloud) onStop(f func()) { c.stops = append(c.stops, f) }

// Stop ends everything that Start started, the programs first.
func (c *Cloud) Stop() {
	for len(c.stops) > 0 {
		last := len(c.stops) - 1
		c.stops[last]()
		c.stops = c.stops[:last]
	}
}

// Failed receives an error when the cloud cannot continue because the database ended and cannot be restarted.
func (c *Cloud) Failed() <-chan error { return c.failed }

// Stats returns the counters since the start or the last reset; those of unkindness are never reset.
func (c *Cloud) Stats() stats.Snapshot {
	all := c.counters.Snapshot()
	all.Unkind = c.unkind.Hits()
	return all
}

// DeniedMessage is the log message for a call that a program's policies deny.
const DeniedMessage = "denied by the program's own policies"

// tell logs a denied call, reports it to Config.Denied, and returns its error.
func (c *Cloud) tell(denied error) error {
	if denied != nil {
		c.log.Error(DeniedMessage, "error", denied)
		if c.cfg.Denied != nil {
			c.cfg.Denied(denied)
		}
	}
	return denied
}

func (c *Cloud) serve(l net.Listener, handler http.Handler) {
	s := server.New(handler, server.Limits{})
	c.onStop(func() { s.Close() })
	go s.Serve(l)
}

// startDatabase starts dynoxide, or uses the server at AWS_ENDPOINT_URL_DYNAMODB, and creates the template's tables.
func (c *Cloud) startDatabase(ctx context.Context) error {
	var err error
	if elsewhere := os.Getenv("AWS_ENDPOINT_URL_DYNAMODB"); elsewhere != "" {
		c.database = ddb.Elsewhere(elsewhere)
	} else if c.database, err = c.ownDatabase(ctx); err != nil {
		return err
	}

	for _, t := range c.Template.Tables {
		c.tables = append(c.tables, ddb.FromTemplate(t, t.Name))
	}

	if err := c.database.CreateTables(ctx, c.tables); err != nil {
		return err
	}
	// Check before the seed: keys.Open must know whether data of an earlier run may be encrypted.
	if c.data, err = c.database.Holds(ctx, c.tables); err != nil {
		return err
	}

	proxy, err := ddb.NewProxy(c.database, ddb.ProxyConfig{
		Unkind: unkind.NewDatabase(c.unkind),
		Count:  func(operation string) { c.counters.Add("dynamodb", operation) }, Answered: c.nudgeStreams,
		Measure: c.unitCounter(), Metrics: c.metrics, Tell: func(err error) { c.log.Error(err.Error()) },
		Allow: func(authorization, operation string, body []byte) error {
			if c.cfg.Called != nil {
				c.cfg.Called(authorization, operation, body)
			}
			return c.tell(c.gate.DynamoDB(authorization, operation, body))
		},
	})
	if err != nil {
		return err
	}

	c.onStop(proxy.Close)
	c.Database = proxy.URL
	address, err := url.Parse(proxy.URL)
	if err != nil {
		return err
	}

	c.dynamo = httputil.NewSingleHostReverseProxy(address)

	return nil
}

func (c *Cloud) ownDatabase(ctx context.Context) (*ddb.Server, error) {
	found, err := engine.Find(c.cfg.Root)
	if err != nil {
		return nil, err
	}

	log, err := disk.OpenLog(filepath.Join(c.cfg.DataDir, "logs", "dynoxide.log"))
	if err != nil {
		return nil, err
	}

	c.onStop(func() { log.Close() })
	server, err := ddb.Start(ctx, ddb.Config{Binary: found.Path, Path: filepath.Join(c.cfg.DataDir, "ddb.db"), Log: log})
	if err != nil {
		return nil, err
	}

	// onStop runs in reverse order, so the log is closed after the server that writes to it.
	c.onStop(server.Stop)
	go func() {
		err := server.Keep(func(why string) { c.log.Error("the database ended and is started again", "reason", why) })
		if err != nil {
			c.failed <- fmt.Errorf("%w; its last words are in %s", err, log.Name())
		}
	}()

	return server, nil
}

// functions converts the template's functions for the Lambda host.
func (c *Cloud) functions() []lambdahost.Function {
	var out []lambdahost.Function
	for _, f := range c.Template.Functions {
		env := maps.Clone(f.Environment)
		for name, address := range vendors.Environment(c.Services) {
			if env[name] != "" { // send no real messages from the local cloud
				env[name] = address
			}
		}
		if _, asks := env["FILES_URL"]; asks {
			env["FILES_URL"] = c.Files // the template says https
		}
		if _, asks := env["INBOX_URL"]; asks {
			env["INBOX_URL"] = c.URL + "/_local/outbox"
		}
		if _, asks := env["INBOX_HOOK_URL"]; asks && c.cfg.Environment["ALLOW_PRIVATE_TARGETS"] == "1" {
			env["INBOX_HOOK_URL"] = c.URL + "/_local/hook/"
		}
		maps.Copy(env, c.cfg.Environment)
		maps.Copy(env, c.endpoints(f))

		bootstrap := compile.Bootstrap(c.cfg.BinDir, f.Program)
		if absolute, err := filepath.Abs(bootstrap); err == nil {
			bootstrap = absolute
		}

		out = append(out, lambdahost.Function{
			Name: f.Name, Bootstrap: bootstrap, Timeout: f.Timeout, MemoryMB: f.MemoryMB,
			PerTenant: f.PerTenant, Reserved: f.Reserved, AllowsLoops: f.Loops, Environment: env,
			Traced: f.Traced, LogGroup: f.LogGroup,
		})
	}

	return out
}

// endpoints returns the variables that tell the SDK the addresses of the services; none for a function that may call
// no service.
func (c *Cloud) endpoints(f *template.Function) map[string]string {
	if !iam.Uses(f) {
		return nil
	}
	env := map[string]string{
		"AWS_ENDPOINT_URL":                  c.Services,
		"AWS_ENDPOINT_URL_DYNAMODB":         c.Database,
		"AWS_ENDPOINT_URL_DYNAMODB_STREAMS": c.Database,
	}
	for _, service := range []string{"LAMBDA", "SQS", "EVENTBRIDGE", "KMS", "S3", "SESV2", "SES", "SNS"} {
		env["AWS_ENDPOINT_URL_"+service] = c.Services
	}
	return env
}

// Root returns the root folder of the repository.
func (c *Cloud) Root() string { return c.cfg.Root }

// DataDir returns the data folder of the cloud.
func (c *Cloud) DataDir() string { return c.cfg.DataDir }
