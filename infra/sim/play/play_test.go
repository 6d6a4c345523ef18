package play_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/ddb"
	"minicloud/infra/local/pattern"
	"minicloud/infra/local/template"
	"minicloud/infra/sim/play"
)

var (
	seeds   = flag.Int("seeds", 100, "how many seeds are played")
	seconds = flag.Int("seconds", 0, "for how long seeds are played, instead")
	first   = flag.Uint64("seed", 1, "the first one")
	again   = flag.Int("again", 3, "how many seeds are played twice, to compare")
	log     = flag.String("log", "", "a file that gets everything that happens")
	tries   = flag.Int("tries", 2, "how many seeds each planted bug is looked for with")
)

// One thread: which of two goroutines that are awake at the same instant goes first must follow from the seed, too.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400) // a seed leaves a few MB
	os.Exit(m.Run())
}

// filters are those of template.yaml.
func filters(t testing.TB) play.Filters {
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.ReadFile(filepath.Join(root, "template.yaml"), template.Options{})
	if err != nil {
		t.Fatal(err)
	}

	patterns := map[string][]*pattern.Pattern{}
	for _, f := range tmpl.Functions {
		for _, s := range f.Streams {
			if f.Program != "recordtrigger" {
				continue
			}
			for _, source := range s.Filters {
				p, err := pattern.Compile(source)
				if err != nil {
					t.Fatal(err)
				}
				patterns[s.Table] = append(patterns[s.Table], p)
			}
		}
	}

	all := play.Filters{}
	for table, some := range patterns {
		all[table] = func(record events.DynamoDBEventRecord) bool {
			var plain any
			text, err := json.Marshal(record)
			if err != nil || json.Unmarshal(text, &plain) != nil {
				t.Error("a record is no JSON", err)
			}
			return slices.ContainsFunc(some, func(p *pattern.Pattern) bool { return p.Match(plain) })
		}
	}
	return all
}

// game plays one seed.
func game(t *testing.T, seed uint64, o play.Options) (r play.Report) {
	t.Run(fmt.Sprint(seed), func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, seed)
		synctest.Test(t, func(*testing.T) { r = play.Play(seed, o) })
	})
	return r
}

// TestSeeds: whatever befalls the platform, in the end it has done what it should, once, and nothing else.
func TestSeeds(t *testing.T) {
	o := play.Options{Filters: filters(t)}
	var everything bytes.Buffer // nothing is written to a file while a seed is played: threads would wait for it
	if *log != "" {
		o.Log = &everything
	}

	began, all := time.Now(), total{faults: map[string]int{}}
	goesOn := func() bool { return all.seeds < *seeds }
	if *seconds > 0 {
		goesOn = func() bool { return time.Since(began) < time.Duration(*seconds)*time.Second }
	}
	for seed := *first; goesOn(); seed++ {
		r := game(t, seed, o)
		for _, problem := range r.Problems {
			t.Errorf("seed %d: %s", seed, problem)
		}
		if len(r.Problems) > 0 {
			t.Errorf("what happened is played again, call by call, by: make sim SEED=%d", seed)
		}
		all.add(r)
	}

	t.Log(all.String(time.Since(began)))
	if *log != "" {
		if err := os.WriteFile(*log, everything.Bytes(), 0o600); err != nil {
			t.Error(err)
		}
		t.Logf("every call of seed %d and what befell it: %s", *first, *log)
	}
}

// total is what all seeds were like.
type total struct {
	seeds, calls, events, runs, spent, budget int
	simulated, drained                        time.Duration
	faults                                    map[string]int
}

func (a *total) add(r play.Report) {
	a.seeds++
	a.calls, a.events, a.runs = a.calls+r.Calls, a.events+r.Events, a.runs+r.Runs
	a.spent, a.budget = a.spent+r.Cost.Calls, a.budget+r.Cost.Budget
	a.simulated, a.drained = a.simulated+r.Simulated, max(a.drained, r.Drained)
	for what, n := range r.Faults {
		a.faults[what] += n
	}
}

// String is the summary after some time.
func (a *total) String(took time.Duration) string {
	var b strings.Builder
	seconds := max(took.Seconds(), 0.001)
	fmt.Fprintf(&b, "%d seeds in %.1f s: %.1f seeds and %.1f simulated hours a second\n",
		a.seeds, seconds, float64(a.seeds)/seconds, a.simulated.Hours()/seconds)
	fmt.Fprintf(&b, "%d events became %d runs by %d calls, all of them over within %v of the last fault\n",
		a.events, a.runs, a.calls, a.drained.Round(time.Second))
	events := float64(max(a.events, 1))
	fmt.Fprintf(&b, "an event took the programs that fire %.1f calls, with what faults had them repeat (budget %.1f)\n",
		float64(a.spent)/events, float64(a.budget)/events)
	for _, what := range slices.Sorted(maps.Keys(a.faults)) {
		fmt.Fprintf(&b, "  %-16s %7d\n", what, a.faults[what])
	}
	return b.String()
}

// TestASeedIsPlayedAgain: all that happens follows from the seed.
func TestASeedIsPlayedAgain(t *testing.T) {
	o := play.Options{Filters: filters(t)}
	for seed := range uint64(*again) {
		if a, b := game(t, *first+seed, o), game(t, *first+seed, o); a.Trace != b.Trace {
			t.Errorf("seed %d was played in two ways, of %d and %d calls", a.Seed, a.Calls, b.Calls)
		}
	}
}

// TestPlantedBugs: mistakes that are planted on purpose are found, each within 200 seeds. In few seeds most of them
// are.
func TestPlantedBugs(t *testing.T) {
	table, found := "", 0
	all := filters(t)
	for _, bug := range play.Bugs {
		seed, problem := find(t, bug, all)
		if seed > 0 {
			found++
			table += fmt.Sprintf("  %-60s seed %3d  %.90s\n", bug.Name, seed, problem)
			continue
		}
		table += fmt.Sprintf("  %-60s not within %d seeds\n", bug.Name, *tries)
	}

	t.Logf("%d of %d planted bugs were found:\n%s", found, len(play.Bugs), table)
	if want := len(play.Bugs) * 3 / 4; found < want || *tries >= 200 && found < len(play.Bugs) {
		t.Errorf("%d of %d planted bugs were found within %d seeds", found, len(play.Bugs), *tries)
	}
}

// find plays seeds with a bug until one shows it; 0 when none does. The same seed must be well without the bug.
func find(t *testing.T, bug play.Bug, filters play.Filters) (seed uint64, problem string) {
	none := play.Bug{Sources: bug.Sources}
	for seed = 1; seed <= uint64(*tries); seed++ {
		r := game(t, seed, play.Options{Filters: filters, Bug: &bug})
		if len(r.Problems) == 0 {
			continue
		}
		well := game(t, seed, play.Options{Filters: filters, Bug: &none})
		if len(well.Problems) > 0 {
			t.Errorf("seed %d with %s is not well without a bug: %s", seed, bug.Sources, well.Problems[0])
		}
		return seed, r.Problems[0]
	}
	return 0, ""
}
