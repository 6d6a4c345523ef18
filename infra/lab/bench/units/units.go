// Package units counts what a request costs at AWS, on a local cloud: DynamoDB
// calls with their read and write units, queue requests, invocations; and prints
// the price of a million of each. What a request causes in the background counts
// as its own: the next one waits until everything has come to rest.
//
//	Open ─► Each ─► Measure ─► Usage ─► price
//
// Its test holds each request to the ceilings in testdata.
package units

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"minicloud/infra/local/api"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
)

// samples are how often a request is measured after it was sent once: what programs
// cache for a while is then there, as it is while somebody uses the platform.
const samples = 5

// Usage is what one request used.
type Usage struct {
	Calls       float64 `json:"calls"`       // DynamoDB operations
	Read        float64 `json:"read"`        // units
	Write       float64 `json:"write"`       // units
	SQS         float64 `json:"sqs"`         // requests, Lambda's polls that found something among them
	Invocations float64 `json:"invocations"` // of programs
	Keys        float64 `json:"keys"`        // KMS requests
	HTTP        float64 `json:"http"`        // requests of the HTTP API
	Stream      Stream  `json:"stream"`

	calls         map[string]float64 // by function and operation
	reads, writes map[string]float64 // units by function, table and operation

	programs     map[string]float64 // invocations by function
	milliseconds map[string]float64 // Lambda bills, by function
}

// Stream is what programs used that streams feed, for a request that comes alone.
// All requests of one batching window share it.
type Stream struct {
	Calls       float64 `json:"calls"`
	Read        float64 `json:"read"`
	Write       float64 `json:"write"`
	Invocations float64 `json:"invocations"`
}

// Bench is a platform that counts units and does nothing by itself.
type Bench struct {
	t      testing.TB
	paid   int // orders that were paid
	cloud  *cloud.Cloud
	client *api.Client
}

// Open starts the platform, which ends with the test.
func Open(t testing.TB) *Bench {
	t.Helper()
	c := cloudtest.Start(t, func(cfg *cloud.Config) {
		cfg.CountUnits, cfg.StoppedClock, cfg.NoWindow = true, true, true
		cfg.Environment = map[string]string{"ALLOW_PRIVATE_TARGETS": "1"} // who takes webhooks is on loopback
	})
	client, err := api.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return &Bench{t: t, cloud: c, client: client}
}

// Run prints the table.
func Run(t testing.TB, out io.Writer) error {
	b, ctx := Open(t), t.Context()
	fmt.Fprint(out, "  dollars per million, us-east-1, on demand; stream $ is for one that comes alone, all of a second\n"+
		"  share it; time $ is Lambda's as long as it takes here, on x86_64\n\n")
	line := "  %-38s %6v %6v %6v %4v %8v %8v %8v %8v  %v\n"
	fmt.Fprintf(out, line,
		"request", "calls", "read", "write", "SQS", "$", "stream $", "time $", "together", "invocations")
	return b.Each(ctx, func(request Request) error {
		u, err := b.Measure(ctx, request)
		if err != nil {
			return err
		}

		own, stream, time := u.price(), u.Stream.price(), u.timePrice(b.cloud.Template)
		fmt.Fprintf(out, line, request.Name, u.Calls, u.Read, u.Write, u.SQS,
			dollars(own), dollars(stream), dollars(time), dollars(own+stream+time), list(u.programs))
		return nil
	})
}

// Each calls do with the requests, then with the events, with the actions and with what the console asks.
func (b *Bench) Each(ctx context.Context, do func(Request) error) error {
	for _, some := range []func(context.Context) ([]Request, error){b.requests, b.events, b.actions, b.console} {
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

// Units tells where the units went, by function, table and operation.
func (u Usage) Units() string { return "reads " + list(u.reads) + "; writes " + list(u.writes) }

// ofAction are the calls of an action itself, by operation: its run is stored by who has seen the row, and the rest is
// the worker's.
func (u Usage) ofAction() map[string]float64 {
	calls := map[string]float64{}
	for name, n := range u.calls {
		function, operation, _ := strings.Cut(name, " ")
		if function == "ActionrunnerFunction" || function == "RecordtriggerFunction" && operation == "PutItem" {
			calls[operation] += n
		}
	}
	return calls
}

// Action tells the calls of an action itself, and how many they are.
func (u Usage) Action() (calls float64, told string) { return sum(u.ofAction()), list(u.ofAction()) }

// list tells counts by name, as "Jobrunner 1, SandboxFree 1".
func list(counts map[string]float64) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s %g", strings.TrimSuffix(name, "Function"), counts[name]))
	}
	return strings.Join(out, ", ")
}

// Measure returns what a request uses: the middle one of its samples.
func (b *Bench) Measure(ctx context.Context, r Request) (Usage, error) {
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
		return cmp.Or(cmp.Compare(a.price()+a.Stream.price(), b.price()+b.Stream.price()), cmp.Compare(a.Calls, b.Calls))
	})
	return measured[samples/2], nil
}

// sample sends a request once, waits for all that comes of it and returns what that
// used.
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

// usage is what was used between two snapshots.
func usage(before, after stats.Snapshot, t *template.Template) Usage {
	asked := diff(before.Asked, after.Asked)
	u := Usage{
		calls: asked,
		reads: diff(before.ReadUnits, after.ReadUnits), writes: diff(before.WriteUnits, after.WriteUnits),
		SQS: sum(diff(before.SQS, after.SQS)), Keys: sum(diff(before.KMS, after.KMS)),
		HTTP:     sum(diff(before.HTTP, after.HTTP)),
		programs: diff(before.Invoke, after.Invoke), milliseconds: diff(before.Billed, after.Billed),
	}
	for _, f := range t.Functions {
		used := Stream{sum(of(f, asked)), sum(of(f, u.reads)), sum(of(f, u.writes)), u.programs[f.Name]}
		if len(f.Streams) > 0 {
			u.Stream = u.Stream.plus(used)
			continue
		}

		u.Calls, u.Read, u.Write = u.Calls+used.Calls, u.Read+used.Read, u.Write+used.Write
		u.Invocations += used.Invocations
		if len(f.Queues) > 0 {
			u.SQS += 2 * used.Invocations // Lambda received a batch for it, and deleted it
		}
		if fedByRule(t, f) {
			u.SQS += used.Invocations // EventBridge sent the message, here the only one of its batch
		}
	}

	return u
}

func (s Stream) plus(o Stream) Stream {
	return Stream{s.Calls + o.Calls, s.Read + o.Read, s.Write + o.Write, s.Invocations + o.Invocations}
}

// fedByRule reports whether a rule of the bus sends to a queue of the function.
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

// diff returns by how much each count has grown, those that have not left out.
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
