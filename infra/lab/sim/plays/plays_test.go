package plays_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/planted"
	"minicloud/infra/lab/sim/plays"
	"minicloud/infra/lab/sim/triggers"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/template"
)

var (
	seeds    = flag.Int("seeds", 5, "how many seeds of triggers are played")
	requests = flag.Int("requests", 3, "how many seeds of requests are played")
	seconds  = flag.Int("seconds", 0, "for how long seeds are played, instead")
	first    = flag.Uint64("seed", 1, "the first one")
	again    = flag.Int("again", 1, "how many seeds are played twice, to compare")
	shaken   = flag.Bool("shaken", false, "they are compared with a run on a machine that is busy")
	words    = flag.String("play", "", "what is played, as in planted bugs")
	log      = flag.String("log", "", "a folder that gets everything that happens")
	overlay  = flag.Bool("planted", false, "look for the planted bugs, which stand in this build")
	tries    = flag.Int("tries", 500, "how many seeds each planted bug is looked for with")
	only     = flag.String("bug", "", "a part of the names of planted bugs that are looked for")
	parts    = flag.Int("parts", 1, "in how many parts the planted bugs are looked for")
	part     = flag.Int("part", 0, "which one of them")
)

// TestMain limits Go to one thread, because the order of goroutines that wake at one instant must follow from the seed.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400) // a seed leaves a few MB
	os.Exit(m.Run())
}

// options are those of template.yaml.
func options(t testing.TB) game.Options {
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.ReadFile(filepath.Join(root, "template.yaml"), game.Deployment)
	if err != nil {
		t.Fatal(err)
	}
	return game.Options{Template: tmpl, Play: *words}
}

func played(t *testing.T, seed uint64, o game.Options) (r game.Report) {
	playing.Store(run{seed, o.Play})
	t.Run(fmt.Sprint(seed), func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, seed)
		synctest.Test(t, func(*testing.T) { r = plays.Run(seed, o) })
	})
	traces[run{seed, o.Play}] = r.Trace
	return r
}

// run is a seed of what some words say.
type run struct {
	seed uint64
	play string
}

// traces has the last trace of each run of this process: TestSeedRepeatsRun need not play a seed of TestTriggers twice.
var traces = map[run]string{}

// TestWordsAreUnique: a word names a source of events or a part of requests, because planted bugs say only the word.
func TestWordsAreUnique(t *testing.T) {
	for _, p := range plays.Parts {
		if slices.Contains(triggers.Words(), p.Name) {
			t.Errorf("%s is a source of events, too", p.Name)
		}
	}
}

// wantedPoints are how many places in the work on an action something must have gone wrong at, in so many seeds. make
// sim plays enough; fewer need not meet each kind of unkindness.
const wantedPoints, enoughSeeds = 60, 10

// TestTriggers: whatever befalls the platform, in the end it has done what it should, once, and nothing else.
func TestTriggers(t *testing.T) {
	all := playSeeds(t, *words, *seeds)
	if all.seeds >= enoughSeeds && len(all.Points) < wantedPoints {
		t.Errorf("%d fault points were met, want %d", len(all.Points), wantedPoints)
	}
	if missing := sim.NeverStruck(all.Faults); all.seeds >= enoughSeeds && len(missing) > 0 {
		t.Errorf("these kinds of unkindness never struck: %v", missing)
	}
}

// TestRequests: in the end everything that was asked for is there, once.
func TestRequests(t *testing.T) {
	if *words == "" { // other words are played by TestTriggers
		playSeeds(t, game.AllWord, *requests)
	}
}

// playSeeds plays seeds of what some words say.
func playSeeds(t *testing.T, words string, most int) *total {
	o := options(t)
	o.Play = words
	var everything bytes.Buffer // nothing is written to a file while a seed is played: threads would wait for it
	if *log != "" {
		o.Log = &everything
	}

	began, all := time.Now(), &total{Report: game.Report{
		Faults: map[string]int{}, Done: map[string]int{}, Points: map[string]game.Point{},
	}}
	goesOn := func() bool { return all.seeds < most }
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
	if *log != "" {
		name := filepath.Join(*log, fmt.Sprintf("sim-%s-%d.log", t.Name(), *first))
		if err := os.WriteFile(name, everything.Bytes(), 0o600); err != nil {
			t.Error(err)
		}
		t.Logf("every call of seed %d and what befell it: %s", *first, name)
	}
	return all
}

// total is what all seeds were like.
type total struct {
	seeds int
	game.Report
}

func (a *total) add(r game.Report) {
	a.seeds++
	a.Calls, a.Deaths, a.Simulated = a.Calls+r.Calls, a.Deaths+r.Deaths, a.Simulated+r.Simulated
	a.Drained = max(a.Drained, r.Drained)
	sum(a.Faults, r.Faults)
	sum(a.Done, r.Done)
	for where, p := range r.Points {
		all := a.Points[where]
		if all.Outcomes == nil {
			all.Outcomes = map[string]int{}
		}
		all.Hits += p.Hits
		sum(all.Outcomes, p.Outcomes)
		a.Points[where] = all
	}
}

func sum(into, from map[string]int) {
	for what, n := range from {
		into[what] += n
	}
}

// String is the summary after some time, with a table of what went wrong in the work on actions and what became of it.
func (a *total) String(took time.Duration) string {
	var b strings.Builder
	seconds := max(took.Seconds(), 0.001)
	fmt.Fprintf(&b, "%d seeds in %.1f s: %.2f seeds and %.1f simulated hours a second\n",
		a.seeds, seconds, float64(a.seeds)/seconds, a.Simulated.Hours()/seconds)
	fmt.Fprintf(&b, "%d calls, %d deaths, everything over within %v of the last fault\n",
		a.Calls, a.Deaths, a.Drained.Round(time.Second))
	for _, counts := range []map[string]int{a.Done, a.Faults} {
		for _, what := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(&b, "  %-40s %7d\n", what, counts[what])
		}
	}
	for _, where := range slices.Sorted(maps.Keys(a.Points)) {
		p := a.Points[where]
		var outcomes []string
		for _, outcome := range slices.Sorted(maps.Keys(p.Outcomes)) {
			outcomes = append(outcomes, fmt.Sprintf("%d %s", p.Outcomes[outcome], outcome))
		}
		fmt.Fprintf(&b, "  %-52s %6d  %s\n", where, p.Hits, strings.Join(outcomes, ", "))
	}
	return b.String()
}

// TestSeedRepeatsRun: all that happens follows from the seed. It begins with the last seed of TestRequests, because its
// first one takes several times as long.
func TestSeedRepeatsRun(t *testing.T) {
	o := options(t)
	last := *first + uint64(*requests) - 1
	for seed := last; seed < last+uint64(*again); seed++ {
		for _, o.Play = range []string{*words, game.AllWord} {
			o.Log, o.Shaken = nil, false
			before, known := traces[run{seed, o.Play}]
			if !known {
				before = played(t, seed, o).Trace
			}
			o.Shaken = *shaken
			if played(t, seed, o).Trace == before {
				continue
			}

			// Both are played once more, because only a log shows where they differ.
			var quiet, busy bytes.Buffer
			o.Log, o.Shaken = &quiet, false
			a := played(t, seed, o)
			o.Log, o.Shaken = &busy, *shaken
			b := played(t, seed, o)
			t.Errorf("seed %d of %q was played in two ways, of %d and %d calls:\n%s",
				seed, o.Play, a.Calls, b.Calls, difference(quiet.String(), busy.String()))
		}
	}
}

// difference shows the first lines in which two logs differ.
func difference(a, b string) string {
	one, other := strings.Split(a, "\n"), strings.Split(b, "\n")
	at := 0
	for at < min(len(one), len(other)) && one[at] == other[at] {
		at++
	}
	lines := slices.Concat(one[max(at-2, 0):min(at+1, len(one))], other[at:min(at+1, len(other))])
	for i, line := range lines {
		lines[i] = line[:min(len(line), 1500)]
	}
	return fmt.Sprintf("line %d\n%s", at+1, strings.Join(lines, "\n"))
}

// TestPlantedBugs: mistakes that are planted on purpose are found, each within so many seeds. The build must have the
// overlay of package planted: make sim PLANTED=1.
func TestPlantedBugs(t *testing.T) {
	if !*overlay {
		t.Skip("make sim PLANTED=1 plays it")
	}
	go watchMemory()
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

// mostMemory is the size of the heap, in bytes, that ends the process. Seeds need about 150 MB; one has taken 7.9 GB.
const mostMemory = 2 << 30

// playing is the run that is being played.
var playing atomic.Value

// watchMemory ends the process when a planted bug takes too much memory; the stacks of all goroutines show the loop.
// Other tests do without it, because a goroutine that wakes may change the order of those of a seed.
func watchMemory() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(time.Second) {
		if metrics.Read(heap); heap[0].Value.Uint64() > mostMemory {
			debug.SetTraceback("all")
			bug, megabytes := os.Getenv("PLANTED"), mostMemory>>20
			panic(fmt.Sprintf("%+v with bug %q takes more than %d MB", playing.Load(), bug, megabytes))
		}
	}
}

// search looks for bugs.
type search struct {
	*testing.T
	options game.Options
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
