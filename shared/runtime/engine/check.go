package engine

import (
	"time"

	"minicloud/shared/runtime/engine/bridge"
	"minicloud/shared/runtime/engine/compile"
	"minicloud/shared/runtime/engine/realm"
	"minicloud/shared/sandbox"
)

// Limits of a check.
const (
	checkTime   = 5 * time.Second
	checkMemory = 128 << 20
)

// Check compiles source without running it and returns the errors, none if it compiles.
func (e *Engine) Check(function string, source []byte) []sandbox.Diagnostic {
	e.Reset()
	e.fresh = false
	e.Heap.SetLimit(checkMemory)
	now := time.Now()
	r := &run{
		world: &e.world, host: nobody{}, file: fileName(function), started: now, loading: realm.Undefined,
		Bridge: bridge.Bridge{Realm: &e.Realm, Deadline: now.Add(checkTime)},
	}
	e.world.run = r
	defer func() { e.world.run = nil }()
	// Pass e.stopped to interrupt the compiler like a run: hostile code may take minutes or gigabytes to compile.
	_, failure := compile.Function(&e.Realm, fileName(function), string(source), e.stopped)
	switch {
	case failure == nil:
		return nil
	case r.Interrupted:
		failure = compile.Failed("", "the code takes too long to compile")
	case e.Heap.Refused != 0:
		failure = compile.Failed("", "the code takes too much memory to compile")
	}

	return []sandbox.Diagnostic{failure.Diagnostic(string(source))}
}

// nobody is the Host of a check, which runs no user code.
type nobody struct{}

func (nobody) Log(string, string)         {}
func (nobody) Settled(Settlement)         {}
func (nobody) Call(int32, string, string) {}
func (nobody) Replies() <-chan Reply      { return nil }

// stopped reports whether the run has reached its time or memory limit.
func (w *world) stopped() bool {
	return w.Heap.Refused != 0 || w.run != nil && w.run.Interrupted
}
