package game

import (
	"context"
	"maps"
	"time"

	"github.com/aws/aws-lambda-go/events"

	jobrunner "minicloud/functions/jobrunner/wire"
	order "minicloud/functions/order/wire"
	paymentcheck "minicloud/functions/paymentcheck/wire"
	"minicloud/infra/lab/sim"
	"minicloud/infra/local/programs"
	"minicloud/infra/local/programs/phones"
	"minicloud/infra/local/programs/plain"
	"minicloud/infra/local/template"
)

// Cloud is a world with all programs of the template.
type Cloud struct {
	world     *sim.World
	Sandbox   *Sandbox
	Receivers *Receivers
	Mailbox   *Mailbox
	// PayVendors are the payment vendors.
	PayVendors *PayVendors
	template   *template.Template
	mappings   []*sim.Mapping
}

// Deployment is how the template is read for a game.
var Deployment = template.Options{
	APIBase:  "http://simulated",
	QueueURL: func(name string) string { return "http://simulated/" + template.Account + "/" + name },
}

// machines are how many of each program there are: when one dies, others go on.
const machines = 2

// atOnce are how many batches of a queue are worked on at a time: enough that runs of five minutes leave some free.
const atOnce = 20

func newCloud(g *Game) *Cloud {
	g.Open(g.Template)
	c := &Cloud{template: g.Template, world: g.World}
	c.Sandbox = &Sandbox{world: c.world, Tries: map[string]int{}, Begun: map[string][]Begin{}}
	c.Receivers = &Receivers{world: c.world, tries: map[string]int{}, Got: map[string][]Callback{}}
	c.world.Sandbox = c.Sandbox.invoke
	c.Mailbox = &Mailbox{}
	c.world.Mail = c.Mailbox
	c.PayVendors = newPayVendors(c.world)

	starts := c.programs()
	c.world.Serve(c.template, starts, machines)
	for _, f := range c.template.Functions {
		c.connect(f, starts[f.Program])
	}
	return c
}

// programs are those that the local cloud runs, by name. Only callbacks and vendors are elsewhere: there is no network.
func (c *Cloud) programs() map[string]sim.Program {
	all := programs.Set{}
	maps.Copy(all, plain.Programs)
	maps.Copy(all, phones.Programs)
	starts := map[string]sim.Program{}
	for name, wire := range all {
		starts[name] = func(i *sim.Instance) any { return wire(i.Backend) }
	}
	starts["session"] = c.sessionProgram
	starts["jobrunner"] = func(i *sim.Instance) any { return jobrunner.Handler(i.Backend, sender{c.Receivers, i}) }
	starts["order"] = func(i *sim.Instance) any { return order.Handler(i.Backend, payClient{c.PayVendors, i}) }
	starts["paymentcheck"] = func(i *sim.Instance) any { return paymentcheck.Handler(i.Backend, payClient{c.PayVendors, i}) }
	return starts
}

// connect connects a function with its queues, streams and schedules. Batches are small, so that a few events make
// several.
func (c *Cloud) connect(f *template.Function, start sim.Program) {
	names := c.world.Machines(f, machines)
	for _, q := range f.Queues {
		c.world.Consume(q.Queue, names, start, atOnce, func(handlers any) sim.SQSHandler { return handlers.(sim.SQSHandler) })
	}
	for _, s := range f.Streams {
		s.Size, s.Parallel = min(s.Size, 20), min(s.Parallel, 2)
		m := &sim.Mapping{
			StreamEvent: s, Program: f.Program, Start: start, Shards: 1,
			Handler: func(handlers any) sim.StreamHandler { return handlers.(sim.StreamHandler) },
		}
		c.world.Follow(m)
		c.mappings = append(c.mappings, m)
	}
	for range f.Schedules {
		c.world.Tick(f.Program, start, func(ctx context.Context, handlers any, at time.Time) error {
			if tick, plain := handlers.(func(context.Context) error); plain {
				return tick(ctx)
			}
			return handlers.(func(context.Context, events.CloudWatchEvent) error)(ctx, events.CloudWatchEvent{Time: at})
		})
	}
}

// redrive puts back messages whose programs died too often, as an operator does.
func (c *Cloud) redrive() {
	for _, q := range c.template.Queues {
		if q.DeadQueue != "" {
			c.world.Redrive(q.Name)
		}
	}
}

// Keeper is a process that looks at what there is; no fault befalls it once they have ended.
func (c *Cloud) Keeper() *sim.Instance {
	return c.world.Instance("keeper", func(i *sim.Instance) any { return nil })
}

// Messages are those of a queue, but for some.
func (c *Cloud) Messages(queue string, but func(body string) bool) (n int) {
	for _, m := range c.world.Messages(queue) {
		if but == nil || !but(m.Body) {
			n++
		}
	}
	return n
}
