package fault_test

import (
	"slices"
	"testing"
	"time"

	"minicloud/infra/lab/fault"
)

// fewEvents are those of `make test`.
const fewEvents = 400

// TestEveryEventFiresOnce sends random events of all types while everything is killed, and holds the log of triggers
// against a model of what must have run: each of it once, and nothing else.
func TestEveryEventFiresOnce(t *testing.T) {
	n := *events
	if n == 0 {
		n = fewEvents
	}
	first := firstSeed(t)
	platform := start(t, "events", true)
	load, err := platform.PlantLoad(t.Context(), n, first, *events == 0)
	if err != nil {
		t.Fatal(err)
	}

	round := fault.Round{Name: "events", Seed: first, Pause: 500 * time.Millisecond}
	begun := time.Now()
	played, err := load.Run(t.Context(), round)
	if err != nil {
		t.Fatal(err)
	}
	sent := time.Now()
	if err := load.Settle(t.Context(), played, *events == 0); err != nil {
		t.Error(err)
	}

	t.Logf("%d events within %s, their runs %s later", n, sent.Sub(begun).Round(time.Second),
		time.Since(sent).Round(time.Second))

	victims, err := platform.Programs()
	if err != nil {
		t.Fatal(err)
	}
	report := fault.NewReport(first, append(victims, fault.Database, fault.Queues, fault.Cloud))
	if err := load.Judge(t.Context(), played, report); err != nil {
		t.Fatal(err)
	}
	conclude(t, report)

	// Of those who carry events everybody has to die, in a load that takes minutes.
	for _, v := range report.Spared() {
		if *events >= manyEvents && slices.Contains(carriers, v) {
			t.Errorf("never killed: %s", v)
		}
	}
}

// manyEvents are enough for everybody to die.
const manyEvents = 5000

// carriers are who stands between an event and what its actions do.
var carriers = []fault.Victim{
	"table", "paymentnotify", "incomingwebhook", "platformevent", "recordtrigger", "timertick", "actionrunner",
	"jobrunner", "sandbox", fault.Database, fault.Queues, fault.Cloud,
}
