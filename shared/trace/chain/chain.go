// Package chain bounds chains of messages. A program that does long work sends itself the rest as the next message, and so
// on: a mistake in the work would go on for ever, because Lambda's own protection is off for such programs
// (RecursiveLoop: Allow).
//
//	message ─► work ─► Next ─► message ─► …
//	             └─ Progressed
//
// A message has its place in the chain as an attribute, not in its body: one that is put back by hand begins a new chain.
package chain

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
)

// Link is the place of a message in its chain. The zero value is the first message.
type Link struct {
	Generation int // how many messages came before
	Idle       int // how many of the last ones made no progress
}

// String returns the link as Parse reads it.
func (l Link) String() string { return fmt.Sprintf("%d %d", l.Generation, l.Idle) }

// Parse reads a link; any other text is the first message.
func Parse(text string) Link {
	var l Link
	if _, err := fmt.Sscanf(text, "%d %d", &l.Generation, &l.Idle); err != nil {
		return Link{}
	}
	return l
}

// Limits bound the chains of a program.
type Limits struct {
	Generations int // most messages of a chain
	Idle        int // most messages in a row that make no progress
}

// Broken returns why no work may be done for a message, "" if it may.
func (l Limits) Broken(at Link) string {
	switch {
	case at.Generation >= l.Generations:
		return fmt.Sprintf("the work did not end within %d messages", l.Generations)
	case at.Idle >= l.Idle:
		return fmt.Sprintf("the work made no progress in %d messages", l.Idle)
	}
	return ""
}

type key struct{}

// place is the place in a chain at which a message is worked on.
type place struct {
	at         Link
	queues     []string // URLs; messages to other queues begin chains of their own
	progressed atomic.Bool
}

// NewContext returns a context for the work on a message at a place in its chain. Messages to these queues continue the
// chain.
func NewContext(ctx context.Context, at Link, queues ...string) context.Context {
	return context.WithValue(ctx, key{}, &place{at: at, queues: queues})
}

// Apart returns a context whose messages begin chains of their own, because they are about other work.
func Apart(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, (*place)(nil))
}

// Progressed notes that the work on the message got further, so that the next message is not idle.
func Progressed(ctx context.Context) {
	if p, _ := ctx.Value(key{}).(*place); p != nil {
		p.progressed.Store(true)
	}
}

// Next returns the link of a message to a queue; ok is false if it begins a chain.
func Next(ctx context.Context, queue string) (next Link, ok bool) {
	p, _ := ctx.Value(key{}).(*place)
	if p == nil || !slices.Contains(p.queues, queue) {
		return Link{}, false
	}
	next = Link{Generation: p.at.Generation + 1, Idle: p.at.Idle + 1}
	if p.progressed.Load() {
		next.Idle = 0
	}
	return next, true
}
