package cloud

import (
	"context"
	"sync"

	"minicloud/infra/local/ddb"
	"minicloud/infra/local/eventsource"
)

// startPollers feeds queues to functions until Stop, which waits for them.
func (c *Cloud) startPollers() {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	c.onStop(func() { cancel(); running.Wait() })
	run := func(name string, poll func(context.Context) error) {
		running.Go(func() {
			if err := poll(ctx); err != nil {
				c.log.Error("an event source ended", "function", name, "error", err.Error())
			}
		})
	}
	for _, f := range c.Template.Functions {
		for _, e := range f.Queues {
			if e.Disabled {
				continue
			}
			run(f.Name, (&eventsource.QueuePoller{
				Broker: c.broker, Invoker: c.host, Function: f.Name, Mapping: e, Region: ddb.Region, Log: c.log,
			}).Run)
		}
	}
}
