package cloud

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"minicloud/infra/local/capacity"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/eventsource"
	"minicloud/infra/local/iam"
	"minicloud/shared/clock"
)

// nudgeStreams wakes the pollers of the streams that an operation may have written to. It skips tables that the
// request does not name, because a read costs the database nearly as much as a write.
func (c *Cloud) nudgeStreams(operation string, body []byte) {
	if !capacity.Writes(operation) {
		return
	}
	for _, p := range c.streams {
		if bytes.Contains(body, []byte(p.Mapping.Table)) {
			p.Nudge()
		}
	}
}

// unitCounter returns a callback that counts consumed capacity, or nil unless CountUnits is set.
func (c *Cloud) unitCounter() ddb.Measure {
	if !c.cfg.CountUnits {
		return nil
	}
	return func(authorization, operation string, used []capacity.Used) {
		program := iam.Caller(authorization)
		c.counters.Add("asked", program+" "+operation)
		for _, u := range used {
			c.counters.AddUnits(program+" "+u.Table+" "+operation, u.Read, u.Write)
		}
	}
}

// startPollers starts the event sources. Stop ends them and waits.
func (c *Cloud) startPollers() error {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	c.onStop(func() { cancel(); running.Wait() })
	run := func(name string, loop func(context.Context) error) {
		running.Go(func() { keepRunning(ctx, c.log.With("name", name), time.Second, loop) })
	}
	for _, p := range c.streams {
		run(p.Function, p.Run)
	}

	for _, f := range c.Template.Functions {
		for _, e := range f.Queues {
			if !c.cfg.HeldQueues {
				poller := &eventsource.QueuePoller{
					Broker: c.broker, Invoker: c.host, Function: f.Name, Mapping: e, Region: ddb.Region, Log: c.log,
				}
				run(f.Name, poller.Run)
			}
		}
	}

	run("event invocations", c.runner.Run)
	run("time to live", c.sweep)
	// With a stopped clock, only /_local/tick fires schedules.
	if !c.cfg.StoppedClock {
		run("schedules", c.bus.Run)
		run("alarms", c.watchAlarms)
	}

	return nil
}

// keepRunning restarts loop after an error, because a full disk or an unavailable database may recover. The backoff
// doubles up to a minute, and resets after a run of more than a minute.
func keepRunning(ctx context.Context, log *slog.Logger, first time.Duration, loop func(context.Context) error) {
	pause := first
	for ctx.Err() == nil {
		begun := time.Now()
		err := loop(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}

		if time.Since(begun) > time.Minute {
			pause = first
		}
		log.Error("an event source ended and begins again", "after", pause, "error", err.Error())
		_ = clock.Sleep(ctx, pause) // the loop ends with ctx
		pause = min(2*pause, time.Minute)
	}
}

// watchAlarms evaluates the alarms each minute. Without schedules, those that miss the programs of schedules would ring.
func (c *Cloud) watchAlarms(ctx context.Context) error {
	for clock.Sleep(ctx, time.Minute) == nil {
		c.broker.Report()
		c.mails.Report()
		c.watch.Evaluate()
	}
	return nil
}

// makeStreamPollers creates the stream pollers before any write.
func (c *Cloud) makeStreamPollers(context.Context) error {
	checkpoints, err := eventsource.OpenCheckpoints(filepath.Join(c.cfg.DataDir, "streams.json"))
	if err != nil {
		return err
	}

	for _, f := range c.Template.Functions {
		for _, e := range f.Streams {
			if c.cfg.NoWindow {
				e.Window = 0
			}

			p := &eventsource.StreamPoller{
				Database: c.database.URL, Region: ddb.Region, Invoker: c.host, Broker: c.broker, Bucket: c.buckets.Store,
				Function: f.Name, Mapping: e, Checkpoints: checkpoints, Log: c.log, Unkind: c.unkind,
				Metrics: c.metrics,
			}
			// Init must precede the first write: the database proxy wakes these pollers after each write.
			if err := p.Init(); err != nil {
				return err
			}

			c.streams = append(c.streams, p)
		}
	}

	return nil
}

// sweepEvery is the interval at which expired items are deleted. Programs check expiry on reads, because AWS may take
// days to delete.
const sweepEvery = 10 * time.Minute

func (c *Cloud) sweep(ctx context.Context) error {
	for clock.Sleep(ctx, sweepEvery) == nil {
		if _, err := c.database.Sweep(ctx, c.tables, clock.System()); err != nil && ctx.Err() == nil {
			c.log.Error("expired items stay", "error", err.Error())
		}
	}
	return nil
}
