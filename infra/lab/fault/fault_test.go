package fault_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"minicloud/infra/lab/fault"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/load/events"
	"minicloud/infra/lab/load/requests"
	"minicloud/infra/lab/load/uploads"
)

var (
	rounds = flag.Int("rounds", 0, "play this many rounds, and wait for everything as long as it really takes")
	only   = flag.Int("events", 0, "send this many events, and wait for everything as long as it really takes")
	seed   = flag.Uint64("seed", 0, "of the first round; 0 = from the clock")
)

func TestMain(m *testing.M) {
	fault.ServeIfAsked()
	flag.Parse()
	os.Exit(m.Run())
}

// session is a platform with what was killed on it, and the sum of its loads.
type session struct {
	*fault.Platform
	programs []load.Victim
	result   fault.Result
	lines    load.Lines
	redriven int
}

func start(t *testing.T) *session {
	t.Helper()
	if *seed == 0 {
		*seed = uint64(time.Now().Unix())
	}
	t.Logf("seed %d; play it again with -args -seed %d", *seed, *seed)
	// Not t.Context: the cloud is stopped in good order after it has ended. -artifacts keeps its logs and data.
	platform, err := fault.NewPlatform(filepath.Join(t.ArtifactDir(), "cloud"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		platform.Stop()
		if err := platform.Denied(); err != nil {
			t.Error(err)
		}
	})

	s := &session{Platform: platform, result: fault.Result{Kills: map[load.Victim]int{}}}
	if s.programs, err = platform.Programs(); err != nil {
		t.Fatal(err)
	}
	for _, v := range append(s.programs, load.Database, load.Queues, load.Local) {
		s.result.Kills[v] = 0
	}
	return s
}

// play plants a load, plays a round with it, waits until everything has ended and judges it.
func (s *session) play(t *testing.T, o load.Options, r fault.Round) {
	t.Helper()
	l := load.New(&s.Cloud, o)
	parts := append(events.Parts(l), uploads.Part(l))
	if *only == 0 {
		parts = append(parts, requests.Parts(l)...)
	}
	if err := l.Plant(t.Context(), parts...); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := s.Play(t.Context(), l, r, &s.result); err != nil {
		t.Fatal(err)
	}
	sent := time.Now()

	if !o.Pace.Real {
		if err := s.Crash(0, &s.result); err != nil {
			t.Fatal(err)
		}
		s.Hurried = time.Now()
	}
	missing, err := l.Settle(t.Context())
	if err != nil {
		t.Error(err)
	}
	if len(missing) > 0 {
		t.Logf("waited in vain for %v", missing)
	}
	t.Logf("%d events within %s, their effects %s later", l.Made(), sent.Sub(begun).Round(time.Second),
		time.Since(sent).Round(time.Second))
	if err := l.Judge(t.Context()); err != nil {
		t.Fatal(err)
	}

	for _, trouble := range l.Lines.Troubles() {
		t.Error(trouble)
	}
	s.lines.Add(&l.Lines)
	s.redriven += l.Redriven
}

// conclude prints the sum of all loads, and what was killed.
func (s *session) conclude(t *testing.T) {
	t.Helper()
	s.lines.Print(t.Output())
	fmt.Fprintf(t.Output(), "%d dead letters were sent again\n\n%-22s %9s\n", s.redriven, "killed", "times")
	for _, v := range slices.Sorted(maps.Keys(s.result.Kills)) {
		fmt.Fprintf(t.Output(), "%-22s %9d\n", v, s.result.Kills[v])
	}
	if s.result.Orphans > 0 {
		t.Errorf("%d processes outlived the local cloud", s.result.Orphans)
	}
}

// mustDie fails for each of these victims that was never killed.
func (s *session) mustDie(t *testing.T, victims ...load.Victim) {
	t.Helper()
	for _, v := range victims {
		if s.result.Kills[v] == 0 {
			t.Errorf("never killed: %s", v)
		}
	}
}

// few is the number of events of `make test`.
const few = 200

// TestEveryEventFiresOnce uses the whole API and sends events of all types while everything is killed. Of each request
// and each event the platform must have done what it answered, once.
func TestEveryEventFiresOnce(t *testing.T) {
	s := start(t)
	o := load.Options{
		Name: "events", Seed: *seed, Events: few, Pace: load.Pace{Run: 800 * time.Millisecond, Delay: 2 * time.Second},
	}
	if *only > 0 {
		o.Events, o.Pace.Real = *only, true
	}

	// The database and the local cloud have a short phase: they end all programs, so that else little else would die.
	s.play(t, o, fault.Round{Seed: *seed, Phases: []fault.Phase{
		{Victims: append(s.programs, load.Queues), Long: 6 * time.Second, Pause: 300 * time.Millisecond},
		{Victims: []load.Victim{load.Database, load.Local}, Long: 2 * time.Second, Pause: 500 * time.Millisecond},
	}})
	s.conclude(t)
	for _, name := range slices.Concat(events.Lines, events.Effects, uploads.Lines) {
		if s.lines.Line(name).Happened == 0 {
			t.Errorf("nothing has happened of %s", name)
		}
	}
	if *only >= manyEvents {
		s.mustDie(t, carriers...)
	}
}

// manyEvents are enough for each victim to die.
const manyEvents = 5000

// carriers are the processes between an event and the effect of its actions.
var carriers = []load.Victim{
	"table", "file", "paymentnotify", "incomingwebhook", "platformevent", "recordtrigger", "timertick", "actionrunner",
	"jobrunner", "sandbox", load.Database, load.Queues, load.Local,
}

// manyRounds are enough for each victim to die: three of each kind.
const manyRounds = 12

// TestManyRounds plays many rounds with longer runs and delays, and nothing hurried.
func TestManyRounds(t *testing.T) {
	if *rounds == 0 {
		t.Skip("make fault plays it")
	}
	s := start(t)
	all := append(slices.Clone(s.programs), load.Database, load.Queues, load.Local)
	kinds := []fault.Phase{
		{Victims: all, Long: 20 * time.Second, Pause: 500 * time.Millisecond},
		{Victims: s.programs, Long: 15 * time.Second, Pause: 240 * time.Millisecond},
		{Victims: []load.Victim{load.Database}, Long: 10 * time.Second, Pause: 600 * time.Millisecond},
		{Victims: []load.Victim{load.Queues, load.Local}, Long: 15 * time.Second, Pause: 1600 * time.Millisecond},
	}

	pace := load.Pace{Run: 4 * time.Second, Delay: 90 * time.Second, Real: true}
	for n := range *rounds {
		phase, seed := kinds[n%len(kinds)], *seed+uint64(n)
		s.play(t, load.Options{Name: fmt.Sprintf("round %d", n+1), Seed: seed, Pace: pace}, fault.Round{
			Seed: seed, Phases: []fault.Phase{phase}, Load: phase.Long,
		})
	}
	s.conclude(t)
	if *rounds >= manyRounds {
		s.mustDie(t, all...)
	}
}
