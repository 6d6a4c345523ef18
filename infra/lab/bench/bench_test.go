// Package bench measures speed and cost on this machine: `make bench`, or some of it by `make bench ONLY=Jobs`.
// Benchmarks start a local cloud of their own and use it as its callers do.
package bench

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/lab/bench/units"
	"minicloud/infra/local/api"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
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

// me are credentials of the local cloud's services.
var me = credentials.NewStaticCredentialsProvider("local", "local", "")

// platform is a local cloud with a client of its API and clients of its services.
type platform struct {
	*cloud.Cloud
	client   *api.Client
	database *dynamodb.Client
	queue    *sqs.Client
	lambda   *lambda.Client
}

// start starts a platform, which ends with the benchmark. No program may have been denied anything by then.
func start(b *testing.B, changes ...func(*cloud.Config)) *platform {
	b.Helper()
	c := cloudtest.Start(b, changes...)
	client, err := api.Connect(b.Context(), c)
	must(b, err)
	return &platform{
		Cloud: c, client: client, database: ddb.NewClient(c.Database),
		queue:  sqs.New(sqs.Options{Region: ddb.Region, BaseEndpoint: aws.String(c.Services), Credentials: me}),
		lambda: lambda.New(lambda.Options{Region: ddb.Region, BaseEndpoint: aws.String(c.Services), Credentials: me}),
	}
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// send sends a request to the API and reads its answer into out; in and out may be nil.
func (p *platform) send(ctx context.Context, method, path string, in, out any) error {
	return p.client.Send(ctx, method, path, in, out)
}

// call is send for requests that must succeed.
func (p *platform) call(b *testing.B, method, path string, in, out any) {
	b.Helper()
	must(b, p.send(b.Context(), method, path, in, out))
}

// function makes a function and returns its id.
func (p *platform) function(b *testing.B, name, code string) int64 {
	var made struct{ ID int64 }
	p.call(b, "POST", functionsPath, object{"name": name, "function_code": code}, &made)
	return made.ID
}

// makeTable makes a table whose columns are given as "name type", or "name type indexed", and returns its id.
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
	return tenant.Scope{App: tenant.AppID(p.Credentials.Miniapp), Env: tenant.Production}
}

// table is the name of a table of the template.
func (p *platform) table(id string) string {
	for _, t := range p.Template.Tables {
		if t.ID == id {
			return t.Name
		}
	}
	return ""
}

// queueURL is the address of a queue of the template.
func (p *platform) queueURL(id string) string {
	for _, q := range p.Template.Queues {
		if q.ID == id {
			return p.Services + "/" + template.Account + "/" + q.Name
		}
	}
	return ""
}

// each does something again and again, and reports how long it takes, how many DynamoDB calls it costs, and how much
// processor time of a program. It is done once before, so that everything is cached.
func (p *platform) each(b *testing.B, program string, once func()) {
	once()
	before, used := p.Stats(), processor(program)
	times := loop(b, once)
	p.cost(b, before, len(times))
	b.ReportMetric(ms(processor(program)-used)/float64(len(times)), "cpu-ms/op")
}

// cost reports the DynamoDB calls since a snapshot, each of n.
func (p *platform) cost(b *testing.B, before stats.Snapshot, n int) {
	after, calls := p.Stats(), int64(0)
	for operation, n := range after.DynamoDB {
		if !strings.HasPrefix(operation, "Streams.") { // pollers never rest
			calls += n - before.DynamoDB[operation]
		}
	}
	b.ReportMetric(float64(calls)/float64(n), "dynamodb-calls/op")
}

// loop does something as often as the benchmark asks, and reports median and 95 % of the times.
func loop(b *testing.B, once func()) (times series) {
	for b.Loop() {
		began := time.Now()
		once()
		times = append(times, time.Since(began))
	}
	report(b, "", times)
	return times
}

// report reports median and 95 % of times, with the name of what they are.
func report(b *testing.B, name string, times series) {
	if name != "" {
		name += "-"
	}
	b.ReportMetric(ms(times.median()), name+"p50-ms")
	b.ReportMetric(ms(times.p(0.95)), name+"p95-ms")
}

// once measures something that is done once, however long that takes; it reports its own figures.
func once(b *testing.B, do func()) {
	for done := false; b.Loop(); done = true {
		if !done {
			do()
		}
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkUnits prints what each request costs: DynamoDB calls, read and write units, dollars per million.
func BenchmarkUnits(b *testing.B) {
	once(b, func() { must(b, units.Run(b, os.Stdout)) })
}
