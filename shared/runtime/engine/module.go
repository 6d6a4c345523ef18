package engine

import (
	"bytes"
	"encoding/json"

	"minicloud/shared/runtime/engine/realm"
)

// failed is -1, the result of C functions that threw.
const failed = 1<<32 - 1

// States of a promise, as in JS_PromiseState.
const (
	promisePending   = 0
	promiseFulfilled = 1
	promiseRejected  = 2
)

// loadModule starts the evaluation of an ES module; loaded continues when it is done.
func (r *run) loadModule(module realm.Value) {
	w := r.world
	definition := w.VM.Definition(uint64(module))
	if int32(w.VM.Resolve(uint64(module))) < 0 {
		r.reject(w.Caught())
		return
	}
	promise := realm.Value(w.VM.Evaluate(uint64(module)))
	if realm.IsException(promise) {
		r.reject(w.Caught())
		return
	}
	r.loading = promise
	r.namespace = realm.Value(w.VM.Exports(definition))
}

// loaded calls main once the module is evaluated; it reports whether it did something.
func (r *run) loaded() bool {
	if realm.IsUndefined(r.loading) {
		return false
	}

	w := r.world
	state := w.promiseState(r.loading)
	if state == promisePending {
		return false
	}

	// Clear r.loading first: main may run long, and the loop calls loaded again.
	promise := r.loading
	r.loading = realm.Undefined
	if state == promiseRejected {
		r.reject(realm.Value(w.VM.PromiseResult(uint64(promise))))
		return true
	}

	r.callMain(r.namespace)

	return true
}

// promiseState returns one of the states above, a negative number for values that are no promises.
func (w *world) promiseState(promise realm.Value) int32 {
	return int32(w.VM.PromiseState(uint64(promise)))
}

// Load makes "import … from 'crypto'" return the same as require('crypto').
func (d doors) Load(name uint32) uint32 {
	w := d.world
	if w.run == nil {
		return 0
	}

	exports := w.Call(w.hooks.require, realm.Undefined, w.NewString(w.cText(name)))
	if realm.IsException(exports) {
		return 0
	}

	list, err := w.Text(w.Call(w.boot.keysOf, realm.Undefined, exports))
	var keys []string
	if err != nil || json.Unmarshal([]byte(list), &keys) != nil {
		return 0
	}

	module := w.VM.Module(name)
	if module == 0 {
		return 0
	}
	if w.run.imports == nil {
		w.run.imports = map[uint32]imported{}
	}

	// The engine requests the values later, with Fill.
	w.run.imports[module] = imported{exports, keys}
	for _, key := range append(keys, "default") {
		at, giveBack := w.Lend(key)
		w.VM.AddExport(module, at)
		giveBack()
	}

	return module
}

// imported is a module of the prelude and the names of its exports.
type imported struct {
	exports realm.Value
	keys    []string
}

// cText reads a NUL-terminated string from the engine's memory.
func (w *world) cText(at uint32) string {
	const longest = 4096
	text, _, _ := bytes.Cut(w.VM.Memory(at, longest), []byte{0})
	return string(text)
}

// Fill sets the exports of a module that Load created.
func (d doors) Fill(module uint32) uint32 {
	w := d.world
	m := w.run.imports[module]
	export := func(key string, v realm.Value) {
		at, giveBack := w.Lend(key)
		w.VM.SetExport(module, at, uint64(v))
		giveBack()
	}
	for _, key := range m.keys {
		v := w.Get(m.exports, key)
		if realm.IsException(v) {
			return failed
		}
		export(key, v)
	}

	// As in Node, the default export is the whole result of require.
	export("default", w.Keep(m.exports))
	return 0
}
