// Package prelude is the JavaScript that a cloud function finds around itself:
// console, timers, URL, Buffer, crypto, require, BaaS (decision D24).
//
// The prelude is pure JavaScript over a handful of host functions. One script, Main,
// hangs lazy getters for all globals on the realm; everything behind them is a
// Module of its own, loaded when a run first touches it:
//
//	Main()          script, its value is install(host) → hooks
//	Module("url")   script, its value is factory(host, load, primordials) → exports
//
// The host, an object the engine builds, and what install returns:
//
//	host.log(level, text)         level LOG, INFO, WARN or ERROR; one whole message
//	host.timer(id, ms)            one-shot; the engine calls hooks.fire(id)
//	host.timer(id, ms, true)      one that does not keep the run going
//	host.clearTimer(id)
//	host.loosenTimer(id, loose)   says so later; optional
//	host.now()                    milliseconds since the run began, monotonic
//	host.random(n)                n random bytes
//	host.crypto(op, ...args)      one operation of package nodecrypto; what it refuses is a list
//	                              [class, message, code, library, reason]
//	host.data(op, ...args)        the same for package nodedata: compression, texts in other encodings
//	host.encode(s), decode(b)     UTF-8; optional
//	host.bytes(b)                 an ArrayBuffer of them; optional
//	host.base64(b, safe)          their base64, safe without padding for URLs; optional
//	host.fromBase64(s)            the bytes of both alphabets; what is not base64 is skipped, = ends it; optional
//	host.stack(error)             the frames the engine wrote of the user's file, which error.stack is then not; optional
//	host.zone(name, ms)           minutes east of Greenwich, undefined if there is no such zone; optional
//	host.collate(a, b, numeric, sensitivity, language)  how localeCompare orders two texts; optional
//	host.proxy(v)                 [target, handler] of a Proxy; optional
//	host.heap(limit)              bytes of heap in use, or with true the most there may be; optional
//	host.context(next?)           what asynchronous code of now runs in, kept by then, await and microtasks
//	host.load(name)               the factory of a Module
//	host.call(op, json, id)       op invoke, request or api; answered by hooks.settle
//
//	hooks.begin(file, variables, event)  before each run; variables as JSON
//	hooks.fire(id)                  a timer is due
//	hooks.settle(id, ok, text)      a call is answered: JSON, or why it failed
//	hooks.format(...args)           the text console.log would write
//	hooks.describeError(e)          {type, message, stack} of anything thrown
//	hooks.stringify(v)              JSON.stringify, as it was before user code
//	hooks.require(name)
//
// Binary data crosses as strings whose char codes are the bytes ("latin1").
// No user code can reach host: it lives in closures, and whatever touches it
// uses syntax and captured primordials only, never a method that user code may
// have replaced.
package prelude

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

//go:embed *.js intl/*.js node/*.js vendor/*.js
var sources embed.FS

// declarations are one file of TypeScript for each subject, baas.d.ts first.
//
//go:embed declarations/*.d.ts
var declarations embed.FS

// Main returns the source of the script whose completion value is the function
// install(host).
func Main() string {
	src, _ := read("main")
	return src
}

// Module returns the source of a lazily loaded part; false if there is none of
// that name. Its completion value is a function (host, load, primordials) that
// returns the part's exports.
func Module(name string) (src string, ok bool) {
	if name == "main" {
		return "", false
	}
	return read(name)
}

// Modules returns the names of all lazily loaded parts, sorted.
func Modules() []string {
	var names []string
	err := fs.WalkDir(sources, ".", func(path string, _ fs.DirEntry, err error) error {
		if name, found := strings.CutSuffix(path, ".js"); found && name != "main" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		panic(err) // an embedded directory can be read
	}
	slices.Sort(names)

	return names
}

// Declarations returns the TypeScript declarations of every global and module,
// served as one file at GET /oserve/v1/baas.d.ts.
var Declarations = sync.OnceValue(func() string {
	names, err := fs.Glob(declarations, "declarations/*.d.ts")
	if err != nil {
		panic(err) // the pattern is one
	}

	var b strings.Builder
	for _, name := range names {
		text, err := declarations.ReadFile(name)
		if err != nil {
			panic(err) // an embedded file can be read
		}
		b.Write(text)
		b.WriteByte('\n')
	}

	return b.String()
})

func read(name string) (string, bool) {
	b, err := sources.ReadFile(name + ".js")
	if err != nil {
		return "", false
	}
	return string(b), true
}
