// Package bench measures speed and cost on this machine: `make bench`, or a part of it with `make bench ONLY=Jobs`.
// Each benchmark starts its own local cloud and uses it through its public interfaces.
package bench

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/lab/bench/units"
	"minicloud/infra/local/api"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
	"minicloud/shared/dynamo/call"
	"minicloud/shared/tenant"
)

// Paths of the API.
const (
	functionsPath = "/oserve/v1.3/cloud-function/"
	tablesPath    = "/oserve/v1.8/table/"
	rowsPath      = "/oserve/v2.4/table/%s/record/"
	triggersPath  = "/oserve/v3/trigger/"
)

type object = map[string]any

// me holds the credentials for the services of the local cloud.
var me = credentials.NewStaticCredentialsProvider("local", "local", "")

// platform is a local cloud with a client of its API and clients of its services.
type platform struct {
	*cloud.Cloud
	client   *api.Client
	database *dynamodb.Client
	queue    *sqs.Client
	calls    *recorder
	signer   *call.Signer
	file     string // the database
}

// start starts a platform that stops with the benchmark. The benchmark fails if a program was denied an AWS call by
// then.
func start(b *testing.B, changes ...func(*cloud.Config)) *platform {
	b.Helper()
	p := &platform{calls: &recorder{}, signer: &call.Signer{}}
	p.Cloud = cloudtest.Start(b, append(changes, func(cfg *cloud.Config) {
		cfg.Called, p.file = p.calls.note, filepath.Join(cfg.DataDir, "ddb.db")
	})...)
	client, err := api.Connect(b.Context(), p.Cloud)
	must(b, err)
	p.client, p.database = client, ddb.NewClient(p.Database)
	p.queue = sqs.New(sqs.Options{Region: ddb.Region, BaseEndpoint: aws.String(p.Services), Credentials: me})
	return p
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// send sends a request to the API and decodes the answer into out; in and out may be nil.
func (p *platform) send(ctx context.Context, method, path string, in, out any) error {
	return p.client.Send(ctx, method, path, in, out)
}

// call is send for requests that must succeed.
func (p *platform) call(b *testing.B, method, path string, in, out any) {
	b.Helper()
	must(b, p.send(b.Context(), method, path, in, out))
}

// function creates a cloud function and returns its id.
func (p *platform) function(b *testing.B, name, code string) int64 {
	var made struct{ ID int64 }
	p.call(b, "POST", functionsPath, object{"name": name, "function_code": code}, &made)
	return made.ID
}

// makeTable creates a table with columns given as "name type" or "name type indexed", and returns its id.
func (p *platform) makeTable(b *testing.B, name string, columns ...string) int64 {
	var fields []object
	for _, c := range columns {
		words := strings.Fields(c)
		fields = append(fields, object{"name": words[0], "type": words[1], "indexed": len(words) > 2})
	}
	var made struct{ ID int64 }
	p.call(b, "POST", tablesPath, object{"name": name, "schema": object{"fields": fields}}, &made)
	return made.ID
}

func (p *platform) scope() tenant.Scope {
	return tenant.Scope{App: p.Credentials.Miniapp, Env: tenant.Production}
}

// table returns the name of the template's table with the logical id.
func (p *platform) table(id string) string {
	for _, t := range p.Template.Tables {
		if t.ID == id {
			return t.Name
		}
	}
	return ""
}

// queueURL returns the URL of the template's queue with the logical id.
func (p *platform) queueURL(id string) string {
	for _, q := range p.Template.Queues {
		if q.ID == id {
			return p.Services + "/" + template.Account + "/" + q.Name
		}
	}
	return ""
}

// each repeats an operation and reports its duration, its DynamoDB calls, the processor time of a program, and its floor.
// It runs the operation once before, to fill the caches.
func (p *platform) each(b *testing.B, program string, once func()) {
	once()
	before, used := p.Stats(), processor(program)
	times := loop(b, once)
	p.cost(b, before, len(times))
	b.ReportMetric(ms(processor(program)-used)/float64(len(times)), "cpu-ms/op")
	p.floor(b, program, once)
}

// cost reports the DynamoDB calls since a snapshot, divided by n.
func (p *platform) cost(b *testing.B, before stats.Snapshot, n int) {
	after, calls := p.Stats(), int64(0)
	for operation, n := range after.DynamoDB {
		if !strings.HasPrefix(operation, "Streams.") { // the stream pollers call all the time
			calls += n - before.DynamoDB[operation]
		}
	}
	b.ReportMetric(float64(calls)/float64(n), "dynamodb-calls/op")
}

// loop repeats an operation as often as the benchmark asks, and reports the median and the 95th percentile.
func loop(b *testing.B, once func()) (times series) {
	for b.Loop() {
		began := time.Now()
		once()
		times = append(times, time.Since(began))
	}
	report(b, "", times)
	return times
}

// report reports the median and the 95th percentile of times; a name prefixes the metrics.
func report(b *testing.B, name string, times series) {
	if name != "" {
		name += "-"
	}
	b.ReportMetric(ms(times.median()), name+"p50-ms")
	b.ReportMetric(ms(times.p(0.95)), name+"p95-ms")
}

// once runs a measurement that is made a single time, whatever its duration. The measurement reports its own metrics.
func once(b *testing.B, do func()) {
	for done := false; b.Loop(); done = true {
		if !done {
			do()
		}
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkUnits prints the cost of each request: DynamoDB calls, read and write units, dollars per million.
func BenchmarkUnits(b *testing.B) {
	once(b, func() { must(b, units.Run(b, os.Stdout)) })
}
