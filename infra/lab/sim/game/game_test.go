package game_test

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

	"minicloud/infra/lab/sim/clients/orders"
	"minicloud/infra/lab/sim/clients/people"
	"minicloud/infra/lab/sim/clients/rows"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/requests"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/template"
)

var (
	seeds   = flag.Int("seeds", 3, "how many seeds are played")
	seconds = flag.Int("seconds", 0, "for how long seeds are played, instead")
	first   = flag.Uint64("seed", 1, "the first one")
	again   = flag.Int("again", 1, "how many seeds are played twice, to compare")
	log     = flag.String("log", "", "a file that gets everything that happens")
	only    = flag.String("play", "", "the parts that are played")
)

// One thread: which of two goroutines that are awake at the same instant goes first must follow from the seed, too.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400) // a seed leaves a few MB
	os.Exit(m.Run())
}

func options(t *testing.T) game.Options {
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.ReadFile(filepath.Join(root, "template.yaml"), game.Deployment)
	if err != nil {
		t.Fatal(err)
	}
	return game.Options{Play: *only, Parts: slices.Concat(requests.Parts, orders.Parts, people.Parts, rows.Parts), Template: tmpl}
}

func played(t *testing.T, seed uint64, o game.Options) (r game.Report) {
	t.Run(fmt.Sprint(seed), func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, seed)
		synctest.Test(t, func(*testing.T) { r = game.Play(seed, o) })
	})
	return r
}

// TestSeeds: whatever befalls the programs, in the end everything that was asked for is there, once.
func TestSeeds(t *testing.T) {
	o := options(t)
	var everything bytes.Buffer // nothing is written to a file while a seed is played: threads would wait for it
	if *log != "" {
		o.Log = &everything
	}
	began, all := time.Now(), game.Report{Faults: map[string]int{}, Done: map[string]int{}}
	n := 0
	for seed := *first; n < *seeds && *seconds == 0 || time.Since(began) < time.Duration(*seconds)*time.Second; seed++ {
		r := played(t, seed, o)
		for _, problem := range r.Problems {
			t.Errorf("seed %d: %s", seed, problem)
		}
		if len(r.Problems) > 0 {
			t.Errorf("what happened is played again, call by call, by: make sim SEED=%d", seed)
		}
		n++
		all.Calls, all.Deaths, all.Simulated = all.Calls+r.Calls, all.Deaths+r.Deaths, all.Simulated+r.Simulated
		all.Drained = max(all.Drained, r.Drained)
		for what, times := range r.Faults {
			all.Faults[what] += times
		}
		for what, times := range r.Done {
			all.Done[what] += times
		}
	}
	t.Log(summary(n, all, time.Since(began)))
	if *log != "" {
		name := strings.TrimSuffix(*log, ".log") + "-requests.log" // package play writes the other
		if err := os.WriteFile(name, everything.Bytes(), 0o600); err != nil {
			t.Error(err)
		}
		t.Logf("every call of seed %d and what befell it: %s", *first, name)
	}
}

func summary(seeds int, all game.Report, took time.Duration) string {
	var b strings.Builder
	seconds := max(took.Seconds(), 0.001)
	fmt.Fprintf(&b, "%d seeds in %.1f s: %.2f seeds and %.1f simulated hours a second\n",
		seeds, seconds, float64(seeds)/seconds, all.Simulated.Hours()/seconds)
	fmt.Fprintf(&b, "%d calls, %d deaths, everything over within %v of the last fault\n",
		all.Calls, all.Deaths, all.Drained.Round(time.Second))
	for _, counts := range []map[string]int{all.Done, all.Faults} {
		for _, what := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(&b, "  %-24s %7d\n", what, counts[what])
		}
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
