package engine

import (
	"encoding/json"
	"runtime"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// States of a promise, as JS_PromiseState gives them.
const (
	promisePending   = 0
	promiseFulfilled = 1
	promiseRejected  = 2
)

// loadModule begins to evaluate an ES module; loaded goes on when it is done.
func (r *run) loadModule(module value) {
	w := r.world
	definition := uintptr(bits(module))
	if lib.XJS_ResolveModule(w.tls, w.ctx, module) < 0 {
		r.reject(w.caught())
		return
	}
	promise := lib.XJS_EvalFunction(w.tls, w.ctx, module)
	if isException(promise) {
		r.reject(w.caught())
		return
	}
	r.loading = promise
	r.namespace = lib.XJS_GetModuleNamespace(w.tls, w.ctx, definition)
}

// loaded calls main once the module is evaluated; it reports whether it did
// something.
func (r *run) loaded() bool {
	if isUndefined(r.loading) {
		return false
	}

	w := r.world
	state := lib.XJS_PromiseState(w.tls, w.ctx, r.loading)
	if state == promisePending {
		return false
	}

	promise := r.loading
	r.loading = undefined
	if state == promiseRejected {
		r.reject(lib.XJS_PromiseResult(w.tls, w.ctx, promise))
		return true
	}

	r.callMain(r.namespace)

	return true
}

// onImportName leaves the name of an import as it is written, so that messages
// about it can be found in the source; there is no folder it could be relative to.
func onImportName(tls *libc.TLS, ctx, _, name, _ uintptr) uintptr {
	return lib.Xjs_strdup(tls, ctx, name)
}

// onImport gives "import … from 'crypto'" what require('crypto') gives.
func onImport(tls *libc.TLS, ctx, name, opaque uintptr) uintptr {
	w := worldAt(opaque)
	if w.run == nil {
		return 0
	}

	exports := w.call(w.hooks.require, undefined, w.newString(libc.GoString(name)))
	if isException(exports) {
		return 0
	}

	list, ok := w.text(w.call(w.boot.keysOf, undefined, exports))
	if !ok {
		return 0
	}

	var keys []string
	if json.Unmarshal([]byte(list), &keys) != nil {
		return 0
	}

	module := lib.XJS_NewCModule(tls, ctx, name, functionPointer(onModuleInit))
	if module == 0 {
		return 0
	}
	if w.run.imports == nil {
		w.run.imports = map[uintptr]imported{}
	}

	w.run.imports[module] = imported{exports, keys}
	for _, key := range append(keys, "default") {
		p, keep := cstring(key)
		lib.XJS_AddModuleExport(tls, ctx, module, p)
		runtime.KeepAlive(keep)
	}

	return module
}

// imported is a module of the prelude and the names it exports.
type imported struct {
	exports value
	keys    []string
}

// onModuleInit fills in the exports of a module that onImport made.
func onModuleInit(tls *libc.TLS, ctx, module uintptr) int32 {
	w := worldOf(ctx, tls)
	m := w.run.imports[module]
	export := func(key string, v value) {
		p, keep := cstring(key)
		lib.XJS_SetModuleExport(tls, ctx, module, p, v)
		runtime.KeepAlive(keep)
	}
	for _, key := range m.keys {
		v := w.get(m.exports, key)
		if isException(v) {
			return -1
		}
		export(key, v)
	}

	export("default", w.keep(m.exports))
	return 0
}
