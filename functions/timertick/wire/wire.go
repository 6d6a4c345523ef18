// Package wire puts program timertick together.
package wire

import (
	"minicloud/functions/timertick/consumer"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/trigger"
)

// Program opens what the program needs, and returns its handler.
func Program(b *backend.Backend) any { return Group(b, queues.Open(b)).Tick }

// Group fires the timers.
func Group(b *backend.Backend, q *queues.Queues) *consumer.Group {
	triggers, engine := b.Triggers(), q.Engine()
	return &consumer.Group{
		Timers: trigger.Timers{Dues: triggers, Triggers: triggers, Engine: engine, Log: b.Log},
		Waker:  trigger.Waker{Queue: engine.Queue, Wakes: engine.Wakes, Clock: b.Clock}, Log: b.Log,
	}
}
