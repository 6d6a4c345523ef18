package prelude

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/shared/runtime/engine"
)

// realm runs programs on the engine of functions, each in a fresh heap. It keeps the log in memory and answers
// calls with a function. No part of the prelude is preloaded, so that the changes a program makes to builtins also
// affect the parts it loads.
type realm struct {
	t         testing.TB
	engine    *engine.Engine
	function  string
	variables map[string]string
	log       strings.Builder
	calls     []call
	answer    func(op, text string) (string, error)
	replies   chan engine.Reply
}

type call struct{ op, text string }

// atNoTime stops the clock of a run, for output that contains durations.
const atNoTime = `host.now = () => 0;`

func newRealm(t testing.TB, variables map[string]string) *realm {
	t.Helper()
	return newRealmAfter(t, atNoTime, variables)
}

// newRealmAfter returns a realm for which prepare runs before the prelude receives the host.
func newRealmAfter(t testing.TB, prepare string, variables map[string]string) *realm {
	t.Helper()
	e := takeEngine(t, prepare)
	t.Cleanup(func() { giveEngine(prepare, e) })
	return &realm{
		t: t, engine: e, function: "main", variables: variables, replies: make(chan engine.Reply, 100),
		answer: func(op, _ string) (string, error) { return "", fmt.Errorf("nobody answers %s", op) },
	}
}

// engines is the pool of unused engines, by the prepare code of their host.
var engines = struct {
	sync.Mutex
	free map[string][]*engine.Engine
}{free: map[string][]*engine.Engine{}}

func takeEngine(t testing.TB, prepare string) *engine.Engine {
	t.Helper()
	engines.Lock()
	defer engines.Unlock()
	if free := engines.free[prepare]; len(free) > 0 {
		engines.free[prepare] = free[:len(free)-1]
		return free[len(free)-1]
	}

	install := strings.TrimSuffix(strings.TrimSpace(Main()), ";")
	e, err := engine.New(engine.Options{
		Main: "(function (host) { " + prepare + "\nreturn (" + install + ")(host); })", Module: Module,
	})
	if err != nil {
		t.Fatal(err)
	}

	return e
}

func giveEngine(prepare string, e *engine.Engine) {
	engines.Lock()
	defer engines.Unlock()
	engines.free[prepare] = append(engines.free[prepare], e)
}

func (r *realm) Log(level, text string)       { fmt.Fprintf(&r.log, "%s %s\n", level, text) }
func (r *realm) Settled(engine.Settlement)    {}
func (r *realm) Replies() <-chan engine.Reply { return r.replies }

func (r *realm) Call(id int32, op, text string) {
	r.calls = append(r.calls, call{op, text})
	reply, err := r.answer(op, text)
	if err != nil {
		reply = err.Error()
	}
	r.replies <- engine.Reply{ID: id, OK: err == nil, Text: reply}
}

// run runs a whole function.
func (r *realm) run(source string, event json.RawMessage) engine.Report {
	sum := sha256.Sum256([]byte(source))
	return r.engine.Run(engine.Job{
		Function: r.function, Digest: hex.EncodeToString(sum[:]),
		Source: func() ([]byte, error) { return []byte(source), nil },
		Event:  event, Timeout: time.Minute, Memory: 256 << 20, Variables: r.variables,
	}, r)
}

// eval runs a program until no job, timer or call is left and returns its log. An uncaught error is the last entry,
// "THROW …".
func (r *realm) eval(src string) string {
	r.t.Helper()
	if report := r.run(src+"\n;exports.main = async () => null", nil); report.Error != nil {
		fmt.Fprintf(&r.log, "THROW %s", engine.Trace(report.Error))
	}
	out := r.log.String()
	r.log.Reset()
	return out
}

// apply calls a function, given as source, with a text and returns its result.
func (r *realm) apply(function, text string) (result string) {
	r.t.Helper()
	event, err := json.Marshal(text)
	if err != nil {
		r.t.Fatal(err)
	}
	report := r.run("exports.main = async (text) => ("+function+")(text) ?? null", event)
	if report.Error != nil {
		r.t.Fatal(engine.Trace(report.Error))
	}
	if err := json.Unmarshal(report.Data, &result); err != nil {
		r.t.Fatal(err)
	}
	return result
}

// describe returns the error of a run that throws the value of src.
func (r *realm) describe(src string) (d struct{ Type, Message, Stack string }) {
	r.t.Helper()
	report := r.run("exports.main = () => { "+src+"\n}", nil)
	if report.Error == nil {
		r.t.Fatalf("%s gives %s", src, report.Data)
	}
	d.Type, d.Message, d.Stack = report.Error.Type, report.Error.Message, report.Error.Stack
	return d
}
