// Package units measures on a local cloud what a request would cost at AWS: DynamoDB calls with their read and write
// units, queue requests, invocations. It prints the price of a million of each. Background work counts as part of the
// request that caused it: each measurement waits until the platform is idle.
//
//	Open ─► Each ─► Measure ─► Usage ─► price
//
// Its test compares each request with the ceilings in testdata.
package units

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"minicloud/infra/local/api"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
	"minicloud/shared/console/price"
)

// Samples is the number of measurements of a request whose median is its usage.
const Samples = 5

// Usage is the resource usage of one request.
type Usage struct {
	Calls       float64 `json:"calls"`               // DynamoDB operations
	Read        float64 `json:"read"`                // units
	Write       float64 `json:"write"`               // units
	SQS         float64 `json:"sqs"`                 // requests, including Lambda's polls that received messages
	Invocations float64 `json:"invocations"`         // of programs
	Keys        float64 `json:"keys"`                // KMS requests
	HTTP        float64 `json:"http"`                // requests of the HTTP API
	S3Writes    float64 `json:"s3_writes,omitempty"` // and lists
	S3Reads     float64 `json:"s3_reads,omitempty"`
	S3Events    float64 `json:"s3_events,omitempty"` // objects that were created or deleted
	Logged      float64 `json:"logged"`              // bytes of log lines, stream consumers included; a multiple of logStep
	Stream      Stream  `json:"stream"`
	Dollars     float64 `json:"dollars"` // Price of a million

	reads, writes map[string]float64 // units by function, table and operation

	programs     map[string]float64 // invocations by function
	milliseconds map[string]float64 // billed by Lambda, by function
}

// Stream is the usage of the programs that streams feed, for a single request. On a busy platform all requests of one
// batching window share it.
type Stream struct {
	Calls       float64 `json:"calls"`
	Read        float64 `json:"read"`
	Write       float64 `json:"write"`
	Invocations float64 `json:"invocations"`
}

// Bench is a platform that counts units and runs no scheduled work.
type Bench struct {
	t      testing.TB
	paid   int // paid orders
	cloud  *cloud.Cloud
	client *api.Client
}

// Open starts the platform, which stops with the test.
func Open(t testing.TB) *Bench {
	t.Helper()
	c := cloudtest.Start(t, func(cfg *cloud.Config) {
		cfg.CountUnits, cfg.StoppedClock, cfg.NoWindow = true, true, true
		cfg.Environment = map[string]string{"ALLOW_PRIVATE_TARGETS": "1"} // the webhook receiver is on loopback
	})
	client, err := api.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return &Bench{t: t, cloud: c, client: client}
}

// Run measures all requests and prints the table.
func Run(t testing.TB, out io.Writer) error {
	b, ctx := Open(t), t.Context()
	fmt.Fprint(out, "  dollars per million, us-east-1, on demand; stream $ is for one that comes alone, all of a second\n"+
		"  share it; logs $ are of the programs and the API; time $ is Lambda's as long as it takes here, on x86_64;\n"+
		"  cold $ is what new environments add to each request that needs them: of a tenant, and the time of their start;\n"+
		"  the last columns are all together with 1 % and 50 % cold\n\n")
	line := "  %-38s %6v %6v %6v %4v %8v %8v %8v %8v %8v %8v %8v %8v  %v\n"
	fmt.Fprintf(out, line, "request", "calls", "read", "write", "SQS", "$", "stream $", "logs $", "time $",
		"tenant $", "start $", "1 %", "50 %", "invocations")
	err := b.Each(ctx, func(request Request) error {
		u, err := b.Measure(ctx, request, Samples)
		if err != nil {
			return err
		}

		time := u.timePrice(b.cloud.Template)
		tenants, start := u.coldPrice(b.cloud.Template, b.initial())
		cold := func(share float64) string { return dollars(u.Price() + time + share*(tenants+start)) }
		fmt.Fprintf(out, line, request.Name, u.Calls, u.Read, u.Write, u.SQS, dollars(u.Own()),
			dollars(u.Stream.Own()), dollars(u.Logs()), dollars(time), dollars(tenants), dollars(start),
			cold(0.01), cold(0.5), list(u.programs))
		return nil
	})
	if err == nil {
		b.printEnvironments(out)
		fmt.Fprintf(out, "\n  files: a GB costs $%.3f a month stored and $%.3f served; a million downloads $%.2f, of which the edge did not "+
			"have $%.2f more\n", price.StoredGB, price.ServedGB, price.Download, price.ObjectRead)
	}
	return err
}

// printEnvironments prints what a million new environments of each program cost.
func (b *Bench) printEnvironments(out io.Writer) {
	initial := b.initial()
	fmt.Fprintf(out, "\n  a million new environments %16s %8s %8s %8s\n", "MB", "ms", "tenant $", "start $")
	for _, f := range b.cloud.Template.Functions {
		one := Usage{programs: map[string]float64{f.Name: 1}}
		tenants, start := one.coldPrice(b.cloud.Template, initial)
		if initial[f.Name] > 0 {
			fmt.Fprintf(out, "  %-38s %4d %8.1f %8s %8s\n",
				f.Name, f.MemoryMB, initial[f.Name], dollars(tenants), dollars(start))
		}
	}
}

// initial returns the milliseconds of a start so far, by function.
func (b *Bench) initial() map[string]float64 {
	now, out := b.cloud.Stats(), map[string]float64{}
	for name, starts := range now.Starts {
		out[name] = float64(now.Init[name]) / 1000 / float64(starts)
	}
	return out
}

// logStep is the granularity of log bytes: durations in log lines have more digits or fewer.
const logStep = 50

// Each calls do with every request, in this order: the plain requests, the logins, files, the events, whose triggers would
// fire on files, the actions, the console's requests, logins of web pages.
func (b *Bench) Each(ctx context.Context, do func(Request) error) error {
	for _, some := range []func(context.Context) ([]Request, error){
		b.requests, b.logins, b.files, b.events, b.actions, b.console, b.webLogins,
	} {
		list, err := some(ctx)
		if err != nil {
			return err
		}
		for _, r := range list {
			if err := do(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func dollars(x float64) string { return fmt.Sprintf("%.2f", x) }

// Units lists the read and write units by function, table and operation.
func (u Usage) Units() string { return "reads " + list(u.reads) + "; writes " + list(u.writes) }

// list formats counts by name, as in "Jobrunner 1, SandboxFree 1".
func list(counts map[string]float64) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s %g", strings.TrimSuffix(name, "Function"), counts[name]))
	}
	return strings.Join(out, ", ")
}

// Measure returns the usage of a request: the median of so many samples. One unmeasured request precedes them, so that
// program caches are warm, as on a platform in use.
func (b *Bench) Measure(ctx context.Context, r Request, samples int) (Usage, error) {
	var measured []Usage
	for n := range samples + 1 {
		u, err := b.sample(ctx, r)
		if err != nil {
			return Usage{}, fmt.Errorf("%s: %w", r.Name, err)
		}
		if n > 0 {
			measured = append(measured, u)
		}
	}
	slices.SortFunc(measured, func(a, b Usage) int {
		return cmp.Or(cmp.Compare(a.Own()+a.Stream.Own(), b.Own()+b.Stream.Own()), cmp.Compare(a.Calls, b.Calls))
	})
	u := measured[samples/2]
	u.Dollars = u.dollars()
	return u, nil
}

// sample sends a request once, waits for all its background work and returns the usage.
func (b *Bench) sample(ctx context.Context, r Request) (Usage, error) {
	if err := b.cloud.Drain(ctx); err != nil {
		return Usage{}, err
	}
	before := b.cloud.Stats()
	if err := r.send(ctx); err != nil {
		return Usage{}, err
	}
	if err := b.cloud.Drain(ctx); err != nil {
		return Usage{}, err
	}
	return usage(before, b.cloud.Stats(), b.cloud.Template), nil
}

// usage returns the usage between two snapshots.
func usage(before, after stats.Snapshot, t *template.Template) Usage {
	asked := diff(before.Asked, after.Asked)
	u := Usage{
		reads: diff(before.ReadUnits, after.ReadUnits), writes: diff(before.WriteUnits, after.WriteUnits),
		SQS: sum(diff(before.SQS, after.SQS)), Keys: sum(diff(before.KMS, after.KMS)),
		HTTP:     sum(diff(before.HTTP, after.HTTP)),
		Logged:   math.Ceil(sum(diff(before.Logged, after.Logged))/logStep) * logStep,
		programs: diff(before.Invoke, after.Invoke), milliseconds: diff(before.Billed, after.Billed),
	}
	u.addObjects(diff(before.S3, after.S3))
	for _, f := range t.Functions {
		used := Stream{sum(of(f, asked)), sum(of(f, u.reads)), sum(of(f, u.writes)), u.programs[f.Name]}
		if len(f.Streams) > 0 {
			u.Stream = u.Stream.plus(used)
			continue
		}

		u.Calls, u.Read, u.Write = u.Calls+used.Calls, u.Read+used.Read, u.Write+used.Write
		u.Invocations += used.Invocations
		if len(f.Queues) > 0 {
			u.SQS += 2 * used.Invocations // Lambda received a batch and deleted it
		}
		if fedByRule(t, f) {
			u.SQS += used.Invocations // EventBridge sent the message, which is alone in its batch here
		}
	}

	return u
}

// addObjects adds requests to S3 by operation. Deletions are free, but for their events.
func (u *Usage) addObjects(requests map[string]float64) {
	for operation, n := range requests {
		switch operation {
		case "GetObject", "HeadObject", "HeadBucket", "ListParts":
			u.S3Reads += n
		case "DeleteObject":
			u.S3Events += n
		case "AbortMultipartUpload", "Preflight":
		case "DeleteObjects":
			u.S3Writes += n
		case "PutObject", "PostObject", "CopyObject", "CompleteMultipartUpload":
			u.S3Writes, u.S3Events = u.S3Writes+n, u.S3Events+n
		default:
			u.S3Writes += n
		}
	}
}

func (s Stream) plus(o Stream) Stream {
	return Stream{s.Calls + o.Calls, s.Read + o.Read, s.Write + o.Write, s.Invocations + o.Invocations}
}

// fedByRule reports whether a rule of the bus targets a queue of the function.
func fedByRule(t *template.Template, f *template.Function) bool {
	return slices.ContainsFunc(t.Rules, func(r *template.Rule) bool {
		return slices.ContainsFunc(r.Targets, func(to template.Target) bool {
			return slices.ContainsFunc(f.Queues, func(q template.QueueEvent) bool { return q.Queue == to.Queue })
		})
	})
}

// of returns the counts of one function.
func of(f *template.Function, counts map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for name, n := range counts {
		if strings.HasPrefix(name, f.Name+" ") {
			out[name] = n
		}
	}
	return out
}

// diff returns the growth of each count; unchanged counts are left out.
func diff[N int64 | float64](before, after map[string]N) map[string]float64 {
	out := map[string]float64{}
	for name, n := range after {
		if n > before[name] {
			out[name] = float64(n - before[name])
		}
	}
	return out
}

func sum(counts map[string]float64) float64 {
	total := 0.0
	for _, n := range counts {
		total += n
	}
	return total
}
