package fault_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"minicloud/infra/fault"
	"minicloud/shared/job"
)

var (
	rounds = flag.Int("rounds", 0, "play this many rounds and wait until the last lease is over, about 6 minutes more")
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

// kinds are the rounds: one for each kind of victim, and one for all together.
func kinds() []fault.Round {
	all := fault.Round{Name: "any of them", Victims: fault.Kinds, Load: 2 * time.Second, Pause: 400 * time.Millisecond}
	rounds := []fault.Round{all}
	for _, kind := range fault.Kinds {
		round := fault.Round{Name: string(kind), Victims: []fault.Kind{kind}, Load: time.Second, Pause: 200 * time.Millisecond}
		if kind == fault.Cloud {
			round.Load, round.Pause = 2*time.Second, 800*time.Millisecond
		}
		rounds = append(rounds, round)
	}
	return rounds
}

// plant makes an application for each round, while everything works.
func plant(t *testing.T, platform *fault.Platform, rounds int) []*fault.Application {
	t.Helper()
	var apps []*fault.Application
	for n := range rounds {
		app, err := platform.Plant(t.Context(), fmt.Sprintf("round %d", n+1))
		if err != nil {
			t.Fatalf("plant: %v", err)
		}
		apps = append(apps, app)
	}
	return apps
}

// TestJobsEndWhateverDies plays every kind of round once. The dead are found
// with a clock that is ahead, so it takes seconds.
func TestJobsEndWhateverDies(t *testing.T) {
	if *rounds > 0 {
		t.Skip("TestManyRounds waits for the real clock instead")
	}
	platform := start(t)
	var table fault.Table
	first := firstSeed(t)
	choice := slices.DeleteFunc(kinds(), func(r fault.Round) bool {
		return r.Name == string(fault.Jobreaper) // it works for a moment every minute; the long proof meets it
	})
	apps := plant(t, platform, len(choice))
	var all []*fault.Played
	for i, round := range choice {
		round.Seed = first + uint64(i)
		played, err := platform.Play(t.Context(), apps[i], round)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, played)
	}
	if err := platform.Hurry(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	for _, played := range all {
		judge(t, platform, played, &table, true)
	}
	table.Print(t.Output())
}

// TestManyRounds is the long proof: many rounds, and nothing hurried.
func TestManyRounds(t *testing.T) {
	if *rounds == 0 {
		t.Skip("make fault plays it")
	}
	platform := start(t)
	var table fault.Table
	const endless = 3
	var all []*fault.Played
	first := firstSeed(t)
	choice := kinds()
	apps := plant(t, platform, *rounds+1)
	for i := range *rounds {
		round := choice[i%len(choice)]
		round.Seed, round.Load = first+uint64(i), 2*round.Load
		played, err := platform.Play(t.Context(), apps[i], round)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, played)
	}
	// After the crashes of the others, so that it has a platform that stays.
	last, err := platform.PlayEndless(apps[*rounds], endless)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rounds played; waiting until the last lease is over", len(all))
	for _, played := range all {
		if err := platform.Await(t.Context(), played); err != nil {
			t.Fatal(err)
		}
		judge(t, platform, played, &table, false)
	}
	if err := platform.Await(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	if ended := judge(t, platform, last, &table, false); ended.Records[job.StatusDeadlineExceeded] != endless {
		t.Errorf("of %d endless runs: %v", endless, ended.Records)
	}
	table.Print(t.Output())
}

func start(t *testing.T) *fault.Platform {
	t.Helper()
	// Not t.Context: the cloud is stopped in good order after it has ended.
	// -artifacts keeps its logs and data.
	platform, err := fault.NewPlatform(context.Background(), t.ArtifactDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(platform.Stop)
	return platform
}

func judge(t *testing.T, platform *fault.Platform, played *fault.Played, table *fault.Table, hurried bool) fault.Outcome {
	t.Helper()
	outcome, err := platform.Judge(t.Context(), played, hurried)
	if err != nil {
		t.Fatal(err)
	}
	for _, trouble := range outcome.Troubles {
		t.Errorf("%s, seed %d: %s", played.Name, played.Seed, trouble)
	}
	table.Add(played.Name, outcome)
	return outcome
}
