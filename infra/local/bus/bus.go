// Package bus is the EventBridge of the local cloud: event buses, rules with event patterns, and scheduled rules.
//
//	PutEvents ──► rules of that bus whose pattern matches ──┐
//	every minute ──► rules whose schedule is due ───────────┴─► targets
//
// A function target is invoked asynchronously (package async), so an accepted event is delivered at least once. A
// queue target gets the event at once.
package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/pattern"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/schedule"
	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
	"minicloud/shared/clock"
)

// Config holds the dependencies of a bus.
type Config struct {
	Template *template.Template
	Broker   *queue.Broker
	Later    func(lambdahost.Request) error // stores an asynchronous invocation
	Invoker  lambdahost.Invoker             // for Tick, which waits for the functions
	Region   string
	Clock    clock.Clock
	Log      *slog.Logger
	Count    func(operation string) // called for every request; not nil
	Unkind   *unkind.Switches       // refuses some entries; nil refuses none
}

// Bus delivers events.
type Bus struct {
	cfg   Config
	buses map[string]bool
	rules []*rule
}

type rule struct {
	name     string
	bus      string
	pattern  *pattern.Pattern // nil for a scheduled rule
	schedule schedule.Schedule
	targets  []template.Target
}

// New returns a bus with the rules and schedules of the template.
func New(cfg Config) (*Bus, error) {
	b := &Bus{cfg: cfg, buses: map[string]bool{"default": true}}
	for _, bus := range cfg.Template.Buses {
		b.buses[bus.Name] = true
	}

	for _, r := range cfg.Template.Rules {
		matches, err := pattern.Compile(r.Pattern)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.Name, err)
		}
		b.rules = append(b.rules, &rule{name: r.Name, bus: r.Bus, pattern: matches, targets: r.Targets})
	}

	for _, f := range cfg.Template.Functions {
		for _, e := range f.Schedules {
			due, err := schedule.Parse(e.Expression)
			if err != nil {
				return nil, fmt.Errorf("rule %s: %w", e.Name, err)
			}
			b.rules = append(b.rules, &rule{name: e.Name, schedule: due, targets: []template.Target{{Function: f.Name}}})
		}
	}

	return b, nil
}

// event returns an event as targets receive it.
func (b *Bus) event(
	detailType, source string, at time.Time, resources []string, detail []byte,
) events.EventBridgeEvent {
	if resources == nil {
		resources = []string{}
	}
	return events.EventBridgeEvent{
		Version: "0", ID: queue.NewID(), DetailType: detailType, Source: source, AccountID: template.Account,
		Time: at.UTC().Truncate(time.Second), Region: b.cfg.Region, Resources: resources, Detail: detail,
	}
}

// Put puts an event on a bus and returns its ID and the names of the matching rules. After an error, targets may have the
// event, and get it once more if it is put again.
func (b *Bus) Put(
	bus, detailType, source string, at time.Time, resources []string, detail []byte,
) (id string, matched []string, err error) {
	e := b.event(detailType, source, at, resources, detail)
	payload, err := json.Marshal(e)
	if err != nil {
		return "", nil, err
	}

	// Patterns match the event as JSON, so the event is decoded from the payload that targets receive.
	var decoded any
	if err := json.Unmarshal(payload, &decoded); err != nil {
		return "", nil, err
	}

	for _, r := range b.rules {
		if r.pattern == nil || r.bus != bus || !r.pattern.Match(decoded) {
			continue
		}

		matched = append(matched, r.name)
		for _, t := range r.targets {
			// As on EventBridge, a failing target must not keep the event from the other targets.
			failed := b.deliver(t, payload)
			if failed != nil {
				b.cfg.Log.Error("an event was not delivered", "rule", r.name, "event", e.ID, "error", failed.Error())
			}
			// EventBridge drops what a target refuses, and keeps everything else until it is delivered. The local bus keeps
			// nothing, so the sender must learn that the event was not stored.
			if _, refused := errors.AsType[*queue.Error](failed); !refused {
				err = errors.Join(err, failed)
			}
		}
	}

	return e.ID, matched, err
}

// deliver sends an event to a queue, or to the dead-letter queue if that fails; a function target is invoked
// asynchronously.
func (b *Bus) deliver(t template.Target, payload []byte) error {
	if t.Queue == "" {
		return b.cfg.Later(lambdahost.Request{Function: t.Function, Payload: payload})
	}
	_, err := b.cfg.Broker.Send(t.Queue, queue.Outgoing{Body: string(payload)})
	if err == nil || t.DeadQueue == "" {
		return err
	}
	_, sent := b.cfg.Broker.Send(t.DeadQueue, queue.Outgoing{Body: string(payload), Attributes: map[string]queue.Attribute{
		"ERROR_MESSAGE": {DataType: "String", StringValue: err.Error()},
	}})
	return errors.Join(err, sent)
}

// Ticked is the result of one scheduled invocation.
type Ticked struct {
	Rule     string `json:"rule"`
	Function string `json:"function"`
	OK       bool   `json:"ok"`
	Error    string `json:"error,omitempty"`
}

// Tick fires the rules scheduled for the minute of t and waits for their functions.
func (b *Bus) Tick(ctx context.Context, t time.Time) []Ticked {
	out := []Ticked{}
	b.due(t, func(r *rule, target template.Target, payload []byte) {
		done := Ticked{Rule: r.name, Function: target.Function}
		result, err := b.cfg.Invoker.Invoke(ctx, lambdahost.Request{Function: target.Function, Payload: payload})
		if err == nil && result.FunctionError != "" {
			err = errors.New(string(result.Payload))
		}
		if err != nil {
			done.Error = err.Error()
		}
		done.OK = done.Error == ""
		out = append(out, done)
	})
	return out
}

// due calls f for every target of every rule scheduled for the minute of t.
func (b *Bus) due(t time.Time, f func(*rule, template.Target, []byte)) {
	for _, r := range b.rules {
		if r.pattern != nil || !r.schedule.Due(t) {
			continue
		}
		// Use the scheduled minute, not the current time: a repeated tick then carries the same time.
		e := b.event("Scheduled Event", "aws.events", t.Truncate(time.Minute),
			[]string{"arn:aws:events:" + b.cfg.Region + ":" + template.Account + ":rule/" + r.name}, []byte("{}"))
		payload, err := json.Marshal(e)
		if err != nil {
			b.cfg.Log.Error("a tick", "error", err.Error())
			continue
		}
		for _, target := range r.targets {
			f(r, target, payload)
		}
	}
}

// Run fires the scheduled rules at the start of each minute, until the context ends. Rules with rate(1 minute) also
// fire at once: EventBridge counts a rate from the creation of its rule, and a program that recovers work should not
// wait after a crash. As on EventBridge, minutes missed while nothing runs are not delivered later.
func (b *Bus) Run(ctx context.Context) error {
	send := func(r *rule, target template.Target, payload []byte) {
		if err := b.deliver(target, payload); err != nil {
			b.cfg.Log.Error("a tick was not delivered", "rule", r.name, "error", err.Error())
		}
	}
	b.due(b.cfg.Clock(), func(r *rule, target template.Target, payload []byte) {
		if r.schedule.EveryMinute() {
			send(r, target, payload)
		}
	})
	for {
		now := b.cfg.Clock()
		// Compute each wait from the clock, so that delays do not add up.
		next := now.Truncate(time.Minute).Add(time.Minute)
		if clock.Sleep(ctx, next.Sub(now)) != nil {
			return nil
		}
		b.due(next, send)
	}
}
