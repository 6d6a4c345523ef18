package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/api"
	"minicloud/infra/local/template"
	"minicloud/shared/console/price"
)

// memories are the sizes that BenchmarkMemory compares, in MB.
var memories = []int{256, 512, 1024, 1769}

// played is a request that BenchmarkMemory repeats.
type played struct {
	name, program string
	send          func() error
}

// rhythm is one way of sending requests: the pause after each, and how many make a round.
type rhythm struct {
	pause  time.Duration
	rounds int
	each   int
}

// BenchmarkMemory prints what each memory size of a program gives and costs: latency, and the price of a million
// requests' time, for requests alone (the quota of the program is whole) and back to back. The program and the sandbox
// have the share of a processor that Lambda gives for the memory; everything else is as fast as this machine. Sizes
// take turns, so that a busy moment strikes all of them. Calls take longer on AWS, where a program waits for them at the
// price of its memory.
func BenchmarkMemory(b *testing.B) {
	once(b, func() {
		program, sandbox := newQuota(b, "program"), newQuota(b, "sandbox")
		p := start(b)
		requests := p.played(b)
		sandbox.set(b, 256)
		fmt.Printf("  %-24s %6s %28s %28s\n  %-24s %6s %9s %9s %8s %9s %9s %8s\n", "", "", "alone", "back to back",
			"request", "MB", "p50 ms", "p95 ms", "$", "p50 ms", "p95 ms", "$")
		for _, r := range requests {
			must(b, r.send())
			program.add(b, r.program)
			sandbox.add(b, "sandbox")
			alone := p.underQuota(b, program, r, rhythm{pause: quotaPeriod, rounds: 3, each: 30})
			busy := p.underQuota(b, program, r, rhythm{rounds: 3, each: 60})
			for i, memory := range memories {
				fmt.Printf("  %-24s %6d %9.1f %9.1f %8.2f %9.1f %9.1f %8.2f\n", r.name, memory,
					ms(alone[i].times.median()), ms(alone[i].times.p(0.95)), alone[i].dollars(memory),
					ms(busy[i].times.median()), ms(busy[i].times.p(0.95)), busy[i].dollars(memory))
			}
		}
	})
}

// played returns the main requests, with the data they need.
func (p *platform) played(b *testing.B) []played {
	p.function(b, "trivial", "exports.main = async (event) => event.data.n")
	p.makeTable(b, "people", "name string indexed", "age integer indexed", "bio string")
	rows := fmt.Sprintf(rowsPath, "people")
	var row struct{ ID string }
	var jobs struct{ Objects []struct{ ID int64 } }
	for i := range 30 {
		p.call(b, "POST", rows, object{"name": fmt.Sprint("person ", i%10), "age": i, "bio": strings.Repeat("x", 300)}, &row)
	}
	run := object{"data": object{"n": 1}}
	p.call(b, "POST", functionsPath+"trivial/job/", run, nil)
	p.call(b, "GET", functionsPath+"trivial/job/", nil, &jobs)

	request := func(method, path string, body any) func() error {
		return func() error { return p.send(b.Context(), method, path, body, nil) }
	}
	user := object{"username": "somebody", "password": "correct horse"}
	end := &api.Client{Base: p.URL, Header: map[string][]string{"X-Service-Client-Id": {p.Credentials.ClientID}}}
	must(b, end.Send(b.Context(), "POST", "/hserve/v2.1/register/username/", user, nil))
	return []played{
		{"synchronous run", "cloudfunction", request("POST", functionsPath+"trivial/job/", run)},
		{"job read", "cloudfunction", request("GET", fmt.Sprintf("%strivial/job/%d/", functionsPath, jobs.Objects[0].ID), nil)},
		{"row list, 20 rows", "table", request("GET", rows+"?limit=20", nil)},
		{"row list by an index", "table", request("GET", rows+"?limit=20&where=%7B%22name%22%3A%22person+3%22%7D", nil)},
		{"row read", "table", request("GET", fmt.Sprintf("%s%s/", rows, row.ID), nil)},
		{"row create", "table", request("POST", rows, object{"name": "one more", "age": 5})},
		{"token exchange", "oauth", func() error { _, err := api.Connect(b.Context(), p.Cloud); return err }},
		{"login by a password", "session", func() error {
			return end.Send(b.Context(), "POST", "/hserve/v2.1/login/username/", user, nil)
		}},
	}
}

// underQuota sends rounds of a request under each memory's quota, and returns the results in the order of memories.
func (p *platform) underQuota(b *testing.B, q *quota, r played, rhythm rhythm) []result {
	results := make([]result, len(memories))
	f := p.functionOf(r.program)
	for range rhythm.rounds {
		for i, memory := range memories {
			q.set(b, memory)
			before := p.Stats().Billed[f.Name]
			for range rhythm.each {
				time.Sleep(rhythm.pause)
				began := time.Now()
				must(b, r.send())
				results[i].times = append(results[i].times, time.Since(began))
			}
			results[i].billed += p.Stats().Billed[f.Name] - before
		}
	}
	return results
}

// result is what a memory size gave.
type result struct {
	times  series
	billed int64 // milliseconds of the program
}

// dollars is the price of a million requests' time in the program.
func (r result) dollars(memory int) float64 {
	return float64(r.billed) / float64(len(r.times)) / 1000 * float64(memory) / 1024 * price.GigabyteSecond
}

// functionOf returns the function of a program.
func (p *platform) functionOf(program string) *template.Function {
	for _, f := range p.Template.Functions {
		if f.Program == program {
			return f
		}
	}
	return nil
}
