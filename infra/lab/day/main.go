package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"minicloud/infra/lab/bench/units"
	"minicloud/shared/job"
)

// Default returns a day of 10 million users with 20 runs each, of 1,000 tenants, one of them a hundred times as large
// as each of the others.
func Default() Load {
	const tenants, times = 1000, 100
	return Load{
		Runs: 200e6, Others: 1, Tenants: tenants, Large: times / float64(times+tenants-1), Functions: 10, Async: 0.2,
		Swing: 0.8, RunTime: 200 * time.Millisecond,
	}
}

// Stages returns the account to begin with, and what it must ask for.
func Stages() []Stage {
	quotas := Stage{
		Name: "default quotas and parameters", Gateway: 1000, Concurrency: Concurrency, JobConcurrency: 50,
		TableWrites: TableUnits, KeyWrites: KeyWrites, Slots: job.SlotsFree, InFlight: InFlight,
	}
	fresh, raised := quotas, quotas
	fresh.Name, fresh.Concurrency = "a new account", NewAccountConcurrency
	raised.Name, raised.Gateway, raised.Concurrency, raised.JobConcurrency = "raised quotas", GatewayRequests, 4000, 100
	return []Stage{fresh, quotas, raised}
}

func main() {
	runs := flag.Float64("runs", Default().Runs, "in a day")
	seed := flag.Uint64("seed", 1, "of the random numbers")
	path := flag.String("prices", "bench/units/testdata/ceilings.json", "the measured units")
	flag.Parse()

	prices, err := units.ReadCeilings(*path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	load := Default()
	load.Runs = *runs
	for _, s := range Stages() {
		r := Play(load, s, *seed)
		r.Print(os.Stdout, load, s, prices)
	}
	// The same day with a tenant that has a hundred times the runs of all others together.
	stage := Stages()[2]
	load.Large = 100.0 / 101
	stage.Name = "raised quotas, one tenant a hundred times all others"
	r := Play(load, stage, *seed)
	r.Print(os.Stdout, load, stage, prices)
}
