package prelude

import (
	"encoding/json"
	"strings"
	"testing"

	"modernc.org/quickjs"

	"minicloud/shared/sandbox/conformance"
)

// runProgram runs a whole function the way the engine does, without its
// limits: CommonJS, or a module by import.
const runProgram = `(source, event, isModule, done) => {
	const module = { exports: {} };
	const settle = (v) => done("ok", String(v));
	const fail = (e) => done("error", e && e.name + ": " + e.message + "\n" + e.stack);
	const start = (main) => {
		const result = main(JSON.parse(event), (error, data) => (error ? fail(error) : settle(data)));
		if (result instanceof Promise) result.then((v) => { if (v !== undefined) settle(v); }, fail);
	};
	if (isModule) return import("program").then((ns) => start(ns.main)).catch(fail);
	try {
		new Function("exports", "require", "module", source)(module.exports, require, module);
		start(module.exports.main);
	} catch (e) {
		fail(e);
	}
}`

func TestConformance(t *testing.T) {
	for _, p := range conformance.Programs() {
		if strings.Contains(p.Source, "crypto") || strings.HasPrefix(p.Name, "intl/") || strings.HasPrefix(p.Name, "node/") {
			continue // needs the engine's host: package process runs all of them
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			got := runFunction(t, p)
			if got != p.Want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", p.Source, got, p.Want)
			}
		})
	}
}

// runFunction gives what main gave first.
func runFunction(t *testing.T, p conformance.Program) string {
	t.Helper()
	r := newRealm(t, nil)
	var results []string
	done := func(a []any) (any, error) {
		text, err := json.Marshal(a)
		results = append(results, string(text))
		return nil, err
	}
	if err := r.vm.RegisterHostFunc("done_", done); err != nil {
		t.Fatal(err)
	}
	finish := r.value(r.vm.EvalValue("(() => { const d = done_; delete globalThis.done_; return d; })()", 0))
	defer finish.Free()
	r.vm.SetModuleLoader(func(_ *quickjs.VM, _ string) (string, error) { return p.Source, nil }, nil)
	run := r.value(r.vm.EvalValue(runProgram, 0))
	defer run.Free()
	this := r.vm.GlobalObject()
	defer this.Free()
	v := r.value(run.CallValue(this, p.Source, conformance.Event, p.Module, finish))
	v.Free()
	r.drain()
	if len(results) == 0 {
		t.Fatalf("main gave nothing\n%s", r.log.String())
	}
	var first [2]string
	if err := json.Unmarshal([]byte(results[0]), &first); err != nil {
		t.Fatal(err)
	}
	if first[0] != "ok" {
		t.Fatal(first[1])
	}
	return first[1]
}
