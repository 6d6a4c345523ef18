package units_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/lab/bench/units"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/template"
	"minicloud/shared/console/price"
	"minicloud/shared/count"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
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
	if dollars := got["run"].Dollars; dollars != 4.38 {
		t.Errorf("the price of 7 write units is %g", dollars)
	}
	if diff := cmp.Diff([]string{"gone"}, before.Gone([]string{"run"})); diff != "" || len(got) != len(want) {
		t.Errorf("%v %s", got, diff)
	}
}

// TestReportsDearerRequests checks that a price may rise by 5 %, whatever part of it rises, and not by more.
func TestReportsDearerRequests(t *testing.T) {
	c := units.Ceilings{"run": {Dollars: 10}}
	for dollars, want := range map[float64]string{
		9: "", 10.5: "", 10.51: "$10.51 per million, stored are $10.00",
	} {
		if got := c.Dearer("run", units.Usage{Dollars: dollars}); got != want {
			t.Errorf("%g: %q", dollars, got)
		}
	}
	if c.Dearer("walk", units.Usage{Dollars: 0.01}) == "" {
		t.Error("a request without a stored price passes")
	}
	for name, dearer := range map[string]units.Usage{
		"units": {Write: 1}, "logs": {Logged: 1000}, "streams": {Stream: units.Stream{Write: 1}}, "keys": {Keys: 1},
	} {
		if dearer.Price() <= (units.Usage{}).Price() {
			t.Errorf("%s are free", name)
		}
	}
}

// TestSynchronousRunIsCheap checks that a synchronous run costs at most $6 per million with its counting, although it
// shares its counters with no other run.
func TestSynchronousRunIsCheap(t *testing.T) {
	most, err := units.ReadCeilings(ceilings)
	if err != nil {
		t.Fatal(err)
	}
	run := most["synchronous run"]
	if price := run.Own() + run.Stream.Own(); price > 6 || run.Stream.Write != count.Levels {
		t.Errorf("$%.2f per million, %g units for counting", price, run.Stream.Write)
	}
}

// TestConsolePricesAreMeasured checks that the console estimates runs with the measured units and the memory of the
// template.
func TestConsolePricesAreMeasured(t *testing.T) {
	most, err := units.ReadCeilings(ceilings)
	if err != nil {
		t.Fatal(err)
	}
	for service, name := range map[job.ServiceType]string{
		job.TimeSensitive: "synchronous run", job.Batch: "asynchronous run, until it has ended",
	} {
		want := (most[name].Own() + most[name].Logs()) / 1e6
		if got := price.Run(service, sandbox.PlanFree, 0); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: the console says $%.2f per million, measured are $%.2f", name, got*1e6, want*1e6)
		}
	}

	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.ReadFile(filepath.Join(root, "template.yaml"), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for function, megabytes := range map[string]int{
		"SandboxFreeFunction":     price.EnvironmentMB(sandbox.PlanFree),
		"SandboxPersonalFunction": price.EnvironmentMB(sandbox.PlanPersonal),
		"CloudfunctionFunction":   price.ProgramMB,
	} {
		i := slices.IndexFunc(tmpl.Functions, func(f *template.Function) bool { return f.ID == function })
		if i < 0 || tmpl.Functions[i].MemoryMB != megabytes {
			t.Errorf("%s: the template has another memory than %d MB", function, megabytes)
		}
	}
}
