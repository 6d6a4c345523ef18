package fault_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"minicloud/infra/lab/fault"
)

var (
	rounds = flag.Int("rounds", 0, "play this many rounds, and wait for everything as long as it really takes")
	events = flag.Int("events", 0, "send this many events, and wait for everything as long as it really takes")
	seed   = flag.Uint64("seed", 0, "of the first round; 0 = from the clock")
)

func TestMain(m *testing.M) {
	fault.ServeIfAsked()
	flag.Parse()
	os.Exit(m.Run())
}

func firstSeed(t *testing.T) uint64 {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().Unix())
	}
	t.Logf("seed %d; play it again with -args -seed %d", first, first)
	return first
}

// kinds are the rounds: one in which anybody may die, and others in which some die
// more often.
func kinds(programs []fault.Victim) []fault.Round {
	all := append(slices.Clone(programs), fault.Database, fault.Queues, fault.Cloud)
	below := []fault.Victim{fault.Queues, fault.Cloud}
	return []fault.Round{
		{Name: "anybody", Victims: all, Load: 4 * time.Second, Pause: 250 * time.Millisecond},
		{Name: "programs", Victims: programs, Load: 3 * time.Second, Pause: 120 * time.Millisecond},
		{Name: "database", Victims: []fault.Victim{fault.Database}, Load: 2 * time.Second, Pause: 300 * time.Millisecond},
		{Name: "local cloud", Victims: below, Load: 3 * time.Second, Pause: 800 * time.Millisecond},
	}
}

// rehearsal is a platform, rounds for it and the applications for these, planted
// while everything works.
type rehearsal struct {
	platform *fault.Platform
	rounds   []fault.Round
	apps     []*fault.Application
	report   *fault.Report
}

func rehearse(t *testing.T, n int, change func(*fault.Round)) *rehearsal {
	t.Helper()
	first := firstSeed(t)
	r := &rehearsal{platform: start(t, "cloud", false)}
	programs, err := r.platform.Programs()
	if err != nil {
		t.Fatal(err)
	}
	choice := kinds(programs)
	r.report = fault.NewReport(first, choice[0].Victims)

	for i := range n {
		round := choice[i%len(choice)]
		round.Seed = first + uint64(i)
		change(&round)
		app, err := r.platform.Plant(t.Context(), fmt.Sprintf("round %d", i+1), round.Pace)
		if err != nil {
			t.Fatalf("plant: %v", err)
		}
		r.rounds, r.apps = append(r.rounds, round), append(r.apps, app)
	}
	return r
}

// play plays the rounds up to the end of their loads.
func (r *rehearsal) play(t *testing.T) []*fault.Played {
	t.Helper()
	var all []*fault.Played
	for i, round := range r.rounds {
		played, err := r.platform.Play(t.Context(), r.apps[i], round)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, played)
	}
	return all
}

// conclude prints the report and fails for every trouble in it.
func conclude(t *testing.T, report *fault.Report) {
	t.Helper()
	report.Print(t.Output())

	for _, trouble := range report.Troubles() {
		t.Error(trouble)
	}
}

// TestNothingIsLostWhateverDies plays every kind of round once. Lost work is found
// with a clock that is ahead, so it takes seconds.
func TestNothingIsLostWhateverDies(t *testing.T) {
	if *rounds > 0 {
		t.Skip("TestManyRounds waits for the real clock instead")
	}
	r := rehearse(t, 4, func(round *fault.Round) {
		round.Pace = fault.Pace{Run: 800 * time.Millisecond, Delay: 2 * time.Second}
	})
	all := r.play(t)
	if err := r.platform.Hurry(t.Context(), all...); err != nil {
		t.Fatal(err)
	}

	for _, played := range all {
		if err := r.platform.Judge(t.Context(), played, r.report); err != nil {
			t.Fatal(err)
		}
	}
	conclude(t, r.report)
}

// TestManyRounds is the long proof: many rounds, longer runs and delays, and nothing
// hurried. Beside it runs that never end are ended by their limit.
func TestManyRounds(t *testing.T) {
	if *rounds == 0 {
		t.Skip("make fault plays it")
	}
	const endless = 3
	calm := start(t, "calm", false)
	last, err := calm.Endless(t.Context(), endless)
	if err != nil {
		t.Fatal(err)
	}
	r := rehearse(t, *rounds, func(round *fault.Round) {
		round.Load, round.Pause = 5*round.Load, 2*round.Pause
		round.Pace = fault.Pace{Run: 4 * time.Second, Delay: 90 * time.Second, Real: true}
	})

	all := r.play(t)
	t.Logf("%d rounds played; waiting until everything has ended", len(all))
	for _, played := range all {
		if err := r.platform.Await(t.Context(), played); err != nil {
			t.Fatal(err)
		}
		if err := r.platform.Judge(t.Context(), played, r.report); err != nil {
			t.Fatal(err)
		}
	}
	if err := calm.Await(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	if err := calm.Judge(t.Context(), last, r.report); err != nil {
		t.Fatal(err)
	}
	conclude(t, r.report)

	// A few seconds on a busy machine may not be enough for that, many rounds are.
	if spared := mustDie(*rounds, r.report.Spared()); len(spared) > 0 {
		t.Errorf("never killed: %v", spared)
	}
}

// manyRounds are enough for everybody to have had several turns: three times each kind.
const manyRounds = 12

// byEvents are the programs that rounds seldom or never start: the load of events does, and kills them.
var byEvents = []fault.Victim{"timertick", "paymentnotify", "incomingwebhook", "platformevent"}

// mustDie are the victims whom that many rounds have to kill.
func mustDie(rounds int, spared []fault.Victim) []fault.Victim {
	if rounds < manyRounds {
		return nil
	}
	return slices.DeleteFunc(spared, func(v fault.Victim) bool { return slices.Contains(byEvents, v) })
}

// TestWhoMayBeSpared: programs of events may, and nobody else; in a few rounds everybody may.
func TestWhoMayBeSpared(t *testing.T) {
	report := fault.NewReport(1, []fault.Victim{"timertick", "table", fault.Cloud})
	report.Kills[fault.Cloud]++
	if got := mustDie(manyRounds, report.Spared()); !slices.Equal(got, []fault.Victim{"table"}) {
		t.Errorf("%v", got)
	}
	if got := mustDie(manyRounds-1, report.Spared()); len(got) > 0 {
		t.Errorf("in a few rounds: %v", got)
	}
}

func start(t *testing.T, name string, stoppedClock bool) *fault.Platform {
	t.Helper()
	// Not t.Context: the cloud is stopped in good order after it has ended.
	// -artifacts keeps its logs and data.
	platform, err := fault.NewPlatform(context.Background(), filepath.Join(t.ArtifactDir(), name), stoppedClock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		platform.Stop()
		if err := platform.Denied(); err != nil {
			t.Error(err)
		}
	})
	return platform
}
