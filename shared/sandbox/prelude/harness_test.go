package prelude

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"modernc.org/quickjs"
)

// A realm is one VM with the prelude installed over a host of its own: virtual
// time, a log in memory, calls answered by a function.
type realm struct {
	t      testing.TB
	vm     *quickjs.VM
	hooks  quickjs.Value
	log    strings.Builder
	now    float64
	timers map[int]float64
	calls  []call
	answer func(op, text string) (string, error)
}

type call struct {
	op, text string
	id       int
}

var bytecode = struct {
	sync.Mutex
	parts map[string][]byte
}{parts: map[string][]byte{}}

// compiled returns the bytecode of a part, compiled once per process as the
// engine does.
func compiled(t testing.TB, vm *quickjs.VM, name, src string) []byte {
	t.Helper()
	bytecode.Lock()
	defer bytecode.Unlock()
	if b, ok := bytecode.parts[name]; ok {
		return b
	}
	b, err := vm.Compile(src, quickjs.EvalGlobal)
	if err != nil {
		t.Fatalf("compile %s: %v", name, err)
	}
	bytecode.parts[name] = b
	return b
}

func newRealm(t testing.TB, variables map[string]string) *realm {
	t.Helper()
	vm, err := quickjs.NewVM()
	if err != nil {
		t.Fatal(err)
	}
	r := &realm{t: t, vm: vm, timers: map[int]float64{}}
	t.Cleanup(r.close)
	r.install(variables)
	return r
}

// close frees the VM, once.
func (r *realm) close() {
	if r.vm != nil {
		r.hooks.Free()
		r.vm.Close()
		r.vm = nil
	}
}

// hostSource gathers the registered functions in one object and takes their
// names off the realm again.
var hostSource = `(() => {
	const host = { __proto__: null };
	for (const name of ["log", "timer", "clearTimer", "now", "random", "load", "call"]) {
		host[name] = globalThis["host_" + name];
		delete globalThis["host_" + name];
	}
	return host;
})()`

func (r *realm) install(variables map[string]string) {
	r.t.Helper()
	funcs := map[string]quickjs.HostFunc{
		"log": func(a []any) (any, error) {
			fmt.Fprintf(&r.log, "%v %v\n", a[0], a[1])
			return nil, nil
		},
		"timer": func(a []any) (any, error) {
			r.timers[int(number(a[0]))] = r.now + number(a[1])
			return nil, nil
		},
		"clearTimer": func(a []any) (any, error) { delete(r.timers, int(number(a[0]))); return nil, nil },
		"now":        func([]any) (any, error) { return r.now, nil },
		"random": func(a []any) (any, error) {
			b := make(
				[]byte, int(number(a[0])),
			)
			rand.Read(b)
			return latin1(b), nil
		},
		"call": func(a []any) (any, error) {
			r.calls = append(r.calls, call{a[0].(string), a[1].(string), int(number(a[2]))})
			return quickjs.Undefined{}, nil
		},
	}
	for name, f := range funcs {
		if err := r.vm.RegisterHostFunc("host_"+name, f); err != nil {
			r.t.Fatal(err)
		}
	}
	load := func(name string) quickjs.Value {
		src, ok := Module(name)
		if !ok {
			panic("no module " + name)
		}
		v, err := r.vm.EvalBytecodeValue(compiled(r.t, r.vm, name, src))
		if err != nil {
			panic(fmt.Sprintf("load %s: %v", name, err))
		}
		return v
	}
	if err := r.vm.RegisterFunc("host_load", load, false); err != nil {
		r.t.Fatal(err)
	}
	host := r.value(r.vm.EvalValue(hostSource, quickjs.EvalGlobal))
	defer host.Free()
	install := r.value(r.vm.EvalBytecodeValue(compiled(r.t, r.vm, "main", Main())))
	defer install.Free()
	r.hooks = r.value(install.CallValue(quickjs.UndefinedValue, host))
	text, err := json.Marshal(maps.Collect(maps.All(variables))) // an empty object where there are none
	if err != nil {
		r.t.Fatal(err)
	}
	r.hook("begin", "", string(text))
}

func (r *realm) value(v quickjs.Value, err error) quickjs.Value {
	r.t.Helper()
	if err != nil {
		r.t.Fatalf("%v\n%s", err, stackOf(err))
	}
	return v
}

func stackOf(err error) string {
	if e, ok := err.(*quickjs.Error); ok {
		return e.Stack
	}
	return ""
}

// hook calls a function that install returned.
func (r *realm) hook(name string, args ...any) any {
	r.t.Helper()
	atom, err := r.vm.NewAtom(name)
	if err != nil {
		r.t.Fatal(err)
	}
	f := r.value(r.hooks.GetPropertyValue(atom))
	defer f.Free()
	v, err := f.Call(quickjs.UndefinedValue, args...)
	if err != nil {
		r.t.Fatalf("hook %s: %v\n%s", name, err, stackOf(err))
	}
	return v
}

// eval runs a script, its jobs, timers and calls until nothing is left, and
// returns what it logged. What it throws ends in the log as "THROW …".
func (r *realm) eval(src string) string {
	r.t.Helper()
	v, err := r.vm.EvalValue(src, quickjs.EvalGlobal)
	if err != nil {
		fmt.Fprintf(&r.log, "THROW %v\n%s", err, stackOf(err))
	} else {
		v.Free()
	}
	r.drain()
	out := r.log.String()
	r.log.Reset()
	return out
}

func (r *realm) drain() {
	r.t.Helper()
	for {
		if _, err := r.vm.ExecutePendingJobs(); err != nil {
			fmt.Fprintf(&r.log, "THROW in a job %v\n%s", err, stackOf(err))
		}
		if len(r.calls) > 0 {
			c := r.calls[0]
			r.calls = r.calls[1:]
			text, err := r.answer(c.op, c.text)
			if err != nil {
				r.hook("settle", c.id, false, err.Error())
			} else {
				r.hook("settle", c.id, true, text)
			}
			continue
		}
		if !r.tick() {
			return
		}
	}
}

// tick fires the timer that is due first; false if there is none.
func (r *realm) tick() bool {
	next := 0
	for id, at := range r.timers {
		if next == 0 || at < r.timers[next] || at == r.timers[next] && id < next {
			next = id
		}
	}
	if next == 0 {
		return false
	}
	r.now = max(r.now, r.timers[next])
	delete(r.timers, next)
	r.hook("fire", next)
	return true
}

func number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int32:
		return float64(v)
	case int64:
		return float64(v)
	case float64:
		return v
	}
	panic(fmt.Sprintf("not a number: %T", v))
}

func latin1(b []byte) string {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// describe is hooks.describeError of what src throws.
func (r *realm) describe(src string) (d struct{ Type, Message, Stack string }) {
	r.t.Helper()
	thrown := r.value(r.vm.EvalValue("(() => { try { "+src+" } catch (e) { return { e } } })()", quickjs.EvalGlobal))
	defer thrown.Free()
	atom, _ := r.vm.NewAtom("e")
	e := r.value(thrown.GetPropertyValue(atom))
	defer e.Free()
	b, err := json.Marshal(r.hook("describeError", e))
	if err != nil {
		r.t.Fatal(err)
	}
	if err := json.Unmarshal(b, &d); err != nil {
		r.t.Fatal(err)
	}
	return d
}
