package play_test

import (
	"bytes"
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

	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients/orders"
	"minicloud/infra/lab/sim/clients/people"
	"minicloud/infra/lab/sim/clients/rows"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/planted"
	"minicloud/infra/lab/sim/play"
	"minicloud/infra/lab/sim/requests"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/template"
)

var (
	seeds   = flag.Int("seeds", 10, "how many seeds are played")
	seconds = flag.Int("seconds", 0, "for how long seeds are played, instead")
	first   = flag.Uint64("seed", 1, "the first one")
	again   = flag.Int("again", 1, "how many seeds are played twice, to compare")
	words   = flag.String("play", "", "what is played, as in planted bugs")
	log     = flag.String("log", "", "a file that gets everything that happens")
	overlay = flag.Bool("planted", false, "look for the planted bugs, which stand in this build")
	tries   = flag.Int("tries", 200, "how many seeds each planted bug is looked for with")
	only    = flag.String("bug", "", "a part of the names of planted bugs that are looked for")
	parts   = flag.Int("parts", 1, "in how many parts the planted bugs are looked for")
	part    = flag.Int("part", 0, "which one of them")
)

// TestMain limits Go to one thread, because the order of goroutines that wake at one instant must follow from the seed.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400) // a seed leaves a few MB
	os.Exit(m.Run())
}

// options are those of template.yaml.
func options(t testing.TB) play.Options {
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.ReadFile(filepath.Join(root, "template.yaml"), game.Deployment)
	if err != nil {
		t.Fatal(err)
	}
	return play.Options{Template: tmpl, Play: *words}
}

// played plays one seed: of triggers, or of requests when the words name a part of those.
func played(t *testing.T, seed uint64, o play.Options) (r play.Report) {
	t.Run(fmt.Sprint(seed), func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, seed)
		synctest.Test(t, func(*testing.T) {
			asks := game.Options{Play: o.Play, Parts: slices.Concat(requests.Parts, orders.Parts, people.Parts, rows.Parts), Log: o.Log, Template: o.Template}
			if word, _, _ := strings.Cut(o.Play, " "); asks.Plays(word) {
				asked := game.Play(seed, asks)
				r = play.Report{Seed: seed, Problems: asked.Problems, Trace: asked.Trace, Calls: asked.Calls}
				return
			}
			r = play.Play(seed, o)
		})
	})
	return r
}

// TestWordsAreUnique: a word names a source of events or a part of requests, because planted bugs say only the word.
func TestWordsAreUnique(t *testing.T) {
	for _, p := range slices.Concat(requests.Parts, orders.Parts, people.Parts, rows.Parts) {
		if play.Plays(p.Name) {
			t.Errorf("%s is a source of events, too", p.Name)
		}
	}
}

// wantedPoints are how many places in the work on an action something must have gone wrong at, in that many seeds.
const wantedPoints, enoughSeeds = 60, 10

// TestSeeds: whatever befalls the platform, in the end it has done what it should, once, and nothing else.
func TestSeeds(t *testing.T) {
	o := options(t)
	var everything bytes.Buffer // nothing is written to a file while a seed is played: threads would wait for it
	if *log != "" {
		o.Log = &everything
	}

	began, all := time.Now(), total{faults: map[string]int{}, points: map[string]play.Point{}}
	goesOn := func() bool { return all.seeds < *seeds }
	if *seconds > 0 {
		goesOn = func() bool { return time.Since(began) < time.Duration(*seconds)*time.Second }
	}
	for seed := *first; goesOn(); seed++ {
		r := played(t, seed, o)
		for _, problem := range r.Problems {
			t.Errorf("seed %d: %s", seed, problem)
		}
		if len(r.Problems) > 0 {
			t.Errorf("what happened is played again, call by call, by: make sim SEED=%d", seed)
		}
		all.add(r)
	}

	t.Log(all.String(time.Since(began)))
	t.Log(all.table())
	if all.seeds >= enoughSeeds && len(all.points) < wantedPoints {
		t.Errorf("%d fault points were met, want %d", len(all.points), wantedPoints)
	}
	if missing := sim.NeverStruck(all.faults); all.seeds >= enoughSeeds && len(missing) > 0 {
		t.Errorf("these kinds of unkindness never struck: %v", missing)
	}
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
	actions                                   play.Cost
	messages                                  int
	simulated, drained                        time.Duration
	faults                                    map[string]int
	points                                    map[string]play.Point
}

func (a *total) add(r play.Report) {
	a.seeds++
	a.calls, a.events, a.runs = a.calls+r.Calls, a.events+r.Events, a.runs+r.Runs
	a.spent, a.budget = a.spent+r.Cost.Calls, a.budget+r.Cost.Budget
	a.simulated, a.drained = a.simulated+r.Simulated, max(a.drained, r.Drained)
	a.actions.Calls, a.actions.Budget = a.actions.Calls+r.Actions.Calls, a.actions.Budget+r.Actions.Budget
	a.messages += r.Messages
	for what, n := range r.Faults {
		a.faults[what] += n
	}
	for where, p := range r.Points {
		sum := a.points[where]
		if sum.Outcomes == nil {
			sum.Outcomes = map[string]int{}
		}
		sum.Hits += p.Hits
		for outcome, n := range p.Outcomes {
			sum.Outcomes[outcome] += n
		}
		a.points[where] = sum
	}
}

// table is what went wrong in the work on actions, and what became of the runs.
func (a *total) table() string {
	var b strings.Builder
	fmt.Fprintf(
		&b, "%d fault points of actions\n  %-52s %6s  outcome of its runs\n", len(a.points), "fault point", "hits",
	)
	for _, where := range slices.Sorted(maps.Keys(a.points)) {
		p := a.points[where]
		var outcomes []string
		for _, outcome := range slices.Sorted(maps.Keys(p.Outcomes)) {
			outcomes = append(outcomes, fmt.Sprintf("%d %s", p.Outcomes[outcome], outcome))
		}
		fmt.Fprintf(&b, "  %-52s %6d  %s\n", where, p.Hits, strings.Join(outcomes, ", "))
	}
	return b.String()
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
	messages := float64(max(a.messages, 1))
	fmt.Fprintf(&b, "a message of an action took %.1f calls, those of flow controls and faults included (budget %.1f)\n",
		float64(a.actions.Calls)/messages, float64(a.actions.Budget)/messages)
	for _, what := range slices.Sorted(maps.Keys(a.faults)) {
		fmt.Fprintf(&b, "  %-16s %7d\n", what, a.faults[what])
	}
	return b.String()
}

// TestSeedRepeatsRun: all that happens follows from the seed.
func TestSeedRepeatsRun(t *testing.T) {
	o := options(t)
	for seed := range uint64(*again) {
		if a, b := played(t, *first+seed, o), played(t, *first+seed, o); a.Trace != b.Trace {
			t.Errorf("seed %d was played in two ways, of %d and %d calls", a.Seed, a.Calls, b.Calls)
		}
	}
}

// TestPlantedBugs: mistakes that are planted on purpose are found, each within so many seeds. The build must have the
// overlay of package planted: make sim PLANTED=1.
func TestPlantedBugs(t *testing.T) {
	if !*overlay {
		t.Skip("make sim PLANTED=1 plays it")
	}
	bugs, err := planted.Bugs()
	if err != nil {
		t.Fatal(err)
	}

	found, looked := 0, 0
	look := &search{T: t, options: options(t), well: map[string][]string{}}
	for i, bug := range bugs {
		if i%*parts != *part || !strings.Contains(bug.Name, *only) {
			continue
		}
		looked++
		seed, problem := look.find(bug)
		if seed > 0 {
			found++
			t.Logf("%-60s seed %3d  %.90s", bug.Name, seed, problem)
			continue
		}
		t.Errorf("%s: %s; not found within %d seeds", bug.Promise, bug.Name, *tries)
	}
	t.Logf("%d of %d planted bugs were found", found, looked)
}

// search looks for bugs.
type search struct {
	*testing.T
	options play.Options
	well    map[string][]string // problems of seeds without a bug, by what is played and the seed
}

// find plays seeds with a bug until one shows it; 0 when none does. The same seed must be well without the bug.
func (s *search) find(bug planted.Bug) (seed uint64, problem string) {
	o := s.options
	o.Play = bug.Play
	for seed = 1; seed <= uint64(*tries); seed++ {
		s.Setenv("PLANTED", bug.Name)
		r := played(s.T, seed, o)
		s.Setenv("PLANTED", "")
		if len(r.Problems) == 0 {
			continue
		}
		key := fmt.Sprint(bug.Play, seed)
		if _, known := s.well[key]; !known {
			s.well[key] = played(s.T, seed, o).Problems
		}
		if problems := s.well[key]; len(problems) > 0 {
			s.Errorf("seed %d with %s is not well without a bug: %s", seed, bug.Play, problems[0])
		}
		return seed, r.Problems[0]
	}
	return 0, ""
}
