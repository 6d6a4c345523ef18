package units_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/lab/bench/units"
)

func TestReportsGrowth(t *testing.T) {
	c := units.Ceilings{"run": {Calls: 4, Read: 3.5, Write: 7, Invocations: 2}}
	for _, test := range []struct {
		name, request string
		used          units.Usage
		want          []string
	}{
		{"as it was", "run", units.Usage{Calls: 4, Read: 3.5, Write: 7, Invocations: 2}, nil},
		{"less", "run", units.Usage{Calls: 3, Write: 5, Invocations: 2}, nil},
		{"more", "run", units.Usage{Calls: 4, Read: 4, Write: 9, Invocations: 2, SQS: 1},
			[]string{"4 read units, at most 3.5 (+0.5)", "9 write units, at most 7 (+2)", "1 SQS requests, at most 0 (+1)"}},
		{"new", "walk", units.Usage{}, []string{"has no ceiling"}},
	} {
		if diff := cmp.Diff(test.want, c.Exceeded(test.request, test.used)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// TestUpdateOnlyLowers checks that an update lowers ceilings and never raises one, also after a round trip through the
// file.
func TestUpdateOnlyLowers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ceilings.json")
	before := units.Ceilings{"run": {Calls: 4, Write: 7}, "gone": {Calls: 1}}
	lowered := before.Lower(units.Ceilings{"run": {Calls: 3, Write: 9}, "new": {Calls: 2}})
	if err := lowered.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := units.ReadCeilings(path)
	if err != nil {
		t.Fatal(err)
	}
	want := units.Ceilings{"run": {Calls: 3, Write: 7}, "new": {Calls: 2}}
	for request, usage := range want {
		if got[request].Calls != usage.Calls || got[request].Write != usage.Write {
			t.Errorf("%s: %+v", request, got[request])
		}
	}
	if diff := cmp.Diff([]string{"gone"}, before.Gone([]string{"run"})); diff != "" || len(got) != len(want) {
		t.Errorf("%v %s", got, diff)
	}
}
