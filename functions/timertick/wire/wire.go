// Package wire assembles program timertick.
package wire

import (
	"minicloud/functions/timertick/consumer"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any { return Group(b, queues.Open(b)).Tick }

// Group returns the handler of the ticks.
func Group(b *backend.Backend, q *queues.Queues) *consumer.Group {
	triggers, matcher := b.Triggers(), q.Engine()
	return &consumer.Group{
		Timers: engine.Timers{Dues: triggers, Triggers: triggers, Engine: matcher, Log: b.Log},
		Waker:  run.Waker{Queue: matcher.Queue, Wakes: matcher.Wakes, Clock: b.Clock}, Log: b.Log,
	}
}
