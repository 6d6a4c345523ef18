package units_test

import (
	"flag"
	"testing"

	"minicloud/infra/lab/bench/units"
)

var update = flag.Bool("update", false, "lower the ceilings in testdata to what was measured; it raises none")

const ceilings = "testdata/ceilings.json"

// TestRequestsStayWithinCeilings compares every request with its ceilings:
//
//	go test -C infra/lab ./bench/units            fails when one grew, or a price by 5 %
//	go test -C infra/lab ./bench/units -update    lowers them to today's numbers
func TestRequestsStayWithinCeilings(t *testing.T) {
	most, err := units.ReadCeilings(ceilings)
	if err != nil {
		t.Fatal(err)
	}
	b := units.Open(t)
	measured, names := units.Ceilings{}, []string{}
	if err := b.Each(t.Context(), func(r units.Request) error {
		used := measure(t, b, r, most)
		measured[r.Name], names = used, append(names, r.Name)
		for _, exceeded := range most.Exceeded(r.Name, used) {
			if !*update {
				t.Errorf("%s: %s; %s", r.Name, exceeded, used.Units())
			}
		}
		if dearer := most.Dearer(r.Name, used); dearer != "" && !*update {
			t.Errorf("%s: %s; %g bytes of logs", r.Name, dearer, used.Logged)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := most.Lower(measured).Write(ceilings); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, gone := range most.Gone(names) {
		t.Errorf("%s has a ceiling in %s and is not measured", gone, ceilings)
	}
}

// measure takes one sample of a request, which shows that all its parts are within the ceilings. Above one, or to lower
// them, it takes the median of several, twice at most: if the machine paused for a second, program caches may have
// expired and been read again.
func measure(t *testing.T, b *units.Bench, r units.Request, most units.Ceilings) (used units.Usage) {
	t.Helper()
	tries := []int{1, units.Samples, units.Samples}
	if *update {
		tries = tries[1:]
	}
	for _, samples := range tries {
		var err error
		if used, err = b.Measure(t.Context(), r, samples); err != nil {
			t.Fatal(err)
		}
		if len(most.Exceeded(r.Name, used)) == 0 && most.Dearer(r.Name, used) == "" {
			break
		}
	}
	return used
}
