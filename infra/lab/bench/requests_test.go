package bench

import (
	"fmt"
	"testing"
)

// BenchmarkRequests measures requests for functions. A synchronous run takes ≤ 4.5 ms and ≤ 2 ms of its program's
// processor time: Lambda's 512 MB are 0.29 of a processor.
func BenchmarkRequests(b *testing.B) {
	p := start(b)
	p.function(b, "trivial", "exports.main = async (event) => event.data.n")
	run := object{"data": object{"n": 1}}
	changes := 0
	for _, r := range []struct {
		name, method, path string
		body               func() any
	}{
		{"synchronous_run", "POST", functionsPath + "trivial/job/", func() any { return run }},
		{"read_a_function", "GET", functionsPath + "trivial/", nil},
		{"list_functions", "GET", functionsPath, nil},
		{"modify_a_function", "PATCH", functionsPath + "trivial/", func() any {
			changes++
			return object{"remark": fmt.Sprint("change ", changes)}
		}},
	} {
		b.Run(r.name, func(b *testing.B) {
			p.each(b, "cloudfunction", func() {
				var body any
				if r.body != nil {
					body = r.body()
				}
				p.call(b, r.method, r.path, body, nil)
			})
		})
	}

	b.Run("synchronous_runs_in_parallel", func(b *testing.B) {
		b.SetParallelism(4)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := p.send(b.Context(), "POST", functionsPath+"trivial/job/", run, nil); err != nil {
					b.Error(err)
				}
			}
		})
	})
}
