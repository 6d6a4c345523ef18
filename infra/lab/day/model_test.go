package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"minicloud/infra/lab/bench/units"
	"minicloud/shared/console/price"
)

// small is a day without a swing: 20 synchronous runs a second of one tenant.
func small() Load {
	return Load{Runs: 20 * day, Tenants: 1, Large: 1, Functions: 1, RunTime: 200 * time.Millisecond}
}

// wide is a stage whose limits are far above small.
func wide() Stage {
	const much = 1e6
	return Stage{Name: "wide", Gateway: much, Concurrency: much, JobConcurrency: much, TableWrites: much, KeyWrites: much,
		Slots: much, InFlight: much}
}

// TestPlantedLimitsThrottleFirst plants a limit of half the load: the report names it first, at the load at which it is
// reached, and half of the runs are refused because of it. The gateway's bucket lasts for some minutes.
func TestPlantedLimitsThrottleFirst(t *testing.T) {
	for name, plant := range map[string]func(*Stage, *Load){
		"gateway":                             func(s *Stage, _ *Load) { s.Gateway = 10 },
		"concurrent runs of the large tenant": func(s *Stage, _ *Load) { s.Slots = 2 },
		"write units of its slots":            func(s *Stage, _ *Load) { s.KeyWrites = 10 * SyncSlot },
		"write units of the runs of one function": func(s *Stage, l *Load) {
			s.KeyWrites, l.Functions = 1000, 10.0/1000/SyncRecord
		},
		"write units of the table of jobs": func(s *Stage, _ *Load) { s.TableWrites = 10 * (SyncSlot + SyncRecord) },
		"concurrency of the account":       func(s *Stage, _ *Load) { s.Concurrency = 10 * (0.22 + 0.2) },
		"invocations a second": func(s *Stage, l *Load) {
			s.Concurrency, l.RunTime = 10*2.0/EnvironmentRequests, time.Millisecond
		},
	} {
		l, s := small(), wide()
		plant(&s, &l)
		r := Play(l, s, 1)

		if first := r.Limits[0]; first.Name != name || first.First < 0 || first.First > 600 || math.Abs(first.At-10) > 0.01 {
			t.Errorf("%s: first is %+v", name, first)
		}
		if share := r.Refused / r.Offered; math.Abs(share-0.5) > 0.02 || r.Limits[0].Refused != r.Refused {
			t.Errorf("%s: %.3f refused, %.0f of %.0f because of it", name, share, r.Limits[0].Refused, r.Refused)
		}
		if r.Lost != 0 || math.Abs(r.Served()+r.Refused-r.Offered) > 1 {
			t.Errorf("%s: %.0f of %.0f are lost", name, r.Lost, r.Offered)
		}
	}
}

// TestTenantEnvironmentsThrottle: many small tenants need more environments than there may be.
func TestTenantEnvironmentsThrottle(t *testing.T) {
	l, s := small(), wide()
	l.Large, l.Tenants, s.Concurrency = 0, 10_000, 1000
	r := Play(l, s, 1)
	if first := r.Limits[0]; first.Name != "environments of tenants" || first.First < 0 || r.Refused == 0 || r.Lost != 0 {
		t.Errorf("first is %+v, %.0f refused, %.0f lost", first, r.Refused, r.Lost)
	}
	s.Concurrency = 4000
	if r = Play(l, s, 1); r.Refused != 0 {
		t.Errorf("with more environments %.0f are refused because of %+v", r.Refused, r.Limits[0])
	}
}

// TestAsynchronousRunsWait: runs beyond the capacity of the day wait in the queue, and none is refused.
func TestAsynchronousRunsWait(t *testing.T) {
	l, s := small(), wide()
	l.Async, l.Swing = 1, 0.05
	s.JobConcurrency = 20.9 * 0.2 / jobBatch // 21 at the peak of 20 ± 5 %, and the noise of each second
	r := Play(l, s, 1)
	if r.Refused != 0 || r.Lost != 0 || r.Wait(0.1) != 0 || r.Wait(1) < 5 {
		t.Errorf("%.0f refused, %.0f lost, waits of %d to %d s", r.Refused, r.Lost, r.Wait(0.1), r.Wait(1))
	}
	if name := r.Limits[0].Name; name != "batches of asynchronous runs" || r.Limits[0].Late == 0 {
		t.Errorf("first is %+v", r.Limits[0])
	}

	// With half the capacity, runs wait until they are given up.
	s.JobConcurrency /= 2
	if r = Play(l, s, 1); r.Refused/r.Offered < 0.45 || r.Lost != 0 || r.Wait(1) != 300 {
		t.Errorf("%.2f refused, %.0f lost, at most %d s", r.Refused/r.Offered, r.Lost, r.Wait(1))
	}
}

// TestDefaultDay: 200 million runs pass with raised quotas. With the default ones the gateway throttles first.
func TestDefaultDay(t *testing.T) {
	fresh, quotas, raised := Stages()[0], Stages()[1], Stages()[2]
	if r := Play(Default(), raised, 1); r.Refused != 0 || r.Lost != 0 || r.Wait(1) != 0 || r.Behind > 2*time.Second {
		t.Errorf("%+v", r)
	}
	if r := Play(Default(), quotas, 1); r.Limits[0].Name != "gateway" || r.Lost != 0 {
		t.Errorf("%+v", r.Limits[0])
	}
	if r := Play(Default(), fresh, 1); r.Limits[0].Name != "concurrency of the account" || r.Lost != 0 {
		t.Errorf("%+v", r.Limits[0])
	}
}

// TestBill compares the bill of a small day with a sum by hand, and prints its report.
func TestBill(t *testing.T) {
	prices := units.Ceilings{
		"synchronous run": {Write: 4, Logged: 2000}, "asynchronous run, until it has ended": {Write: 8},
		"row list, first page": {Dollars: 3, Read: 24},
	}
	l := small()
	l.Others = 2
	r := Play(l, wide(), 1)
	millions := r.Served() / 1e6
	b := r.Bill(l, prices)
	for name, c := range map[string]struct{ got, want float64 }{
		"requests": {b.Requests, millions * 2.5}, "logs": {b.Logs, millions}, "others": {b.Others, millions * 2 * 3},
		"time": {b.Time, millions * (0.2*0.25 + 0.22*0.5) * price.GigabyteSecond}, "environments": {b.Environments, 0},
		// Each second of the function is a batch.
		"counting": {b.Counting, day / 1e6 * (CountNodes*0.625 + minShards*0.2)},
		"sum":      {b.Sum(), b.Requests + b.Logs + b.Counting + b.Time + b.Others},
	} {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("%s: %.4f, want %.4f", name, c.got, c.want)
		}
	}

	var text strings.Builder
	r.Print(&text, l, wide(), prices)
	if !strings.Contains(text.String(), "wide: 1.7 million runs") || !strings.Contains(text.String(), "lost 0") {
		t.Error(text.String())
	}
}

// TestSeedRepeatsDay: the seed determines everything.
func TestSeedRepeatsDay(t *testing.T) {
	a, b, other := Play(small(), wide(), 7), Play(small(), wide(), 7), Play(small(), wide(), 8)
	if a.Served() != b.Served() || a.PeakRuns != b.PeakRuns || a.Served() == other.Served() {
		t.Errorf("%.0f, %.0f, %.0f", a.Served(), b.Served(), other.Served())
	}
}
