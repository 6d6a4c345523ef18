// Package prelude is the JavaScript environment of cloud functions: console, timers, URL, Buffer, crypto, require
// and BaaS (decision D24).
//
// The prelude is pure JavaScript on top of a few host functions. One script, Main, defines lazy getters for all
// globals. Everything behind them is in Modules, which are loaded when a run first uses them:
//
//	Main()          script, its value is install(host) → hooks
//	Module("url")   script, its value is factory(host, load, primordials) → exports
//
// The engine builds the host object; install returns the hooks:
//
//	host.log(level, text)         level LOG, INFO, WARN or ERROR; one whole message
//	host.timer(id, ms)            one-shot; the engine calls hooks.fire(id)
//	host.timer(id, ms, true)      a loose timer, which does not keep the run alive
//	host.clearTimer(id)
//	host.loosenTimer(id, loose)   makes a pending timer loose or not; optional
//	host.now()                    milliseconds since the run began, monotonic
//	host.random(n)                n random bytes
//	host.crypto(op, ...args)      one operation of package nodecrypto; a refusal is a list
//	                              [class, message, code, library, reason]
//	host.data(op, ...args)        the same for package nodedata: compression and text encodings
//	host.encode(s), decode(b)     UTF-8; optional
//	host.bytes(b)                 an ArrayBuffer with these bytes; optional
//	host.base64(b, safe)          base64 of the bytes; safe = URL alphabet without padding; optional
//	host.fromBase64(s)            decodes either alphabet, skips other characters, stops at "="; optional
//	host.stack(error)             the engine's frames of the user's file; if present, Main defines error.stack
//	host.zone(name, ms)           UTC offset in minutes, positive to the east, undefined for an unknown zone; optional
//	host.collate(a, b, numeric, sensitivity, language)  compares two strings for localeCompare; optional
//	host.proxy(v)                 [target, handler] of a Proxy; optional
//	host.heap(limit)              bytes of heap in use; with true the memory limit; optional
//	host.context(next?)           the asynchronous context, kept by then, await and microtasks; sets it if given
//	host.load(name)               the factory of a Module
//	host.call(op, json, id)       op invoke, request or api; answered by hooks.settle
//
//	hooks.begin(file, variables, event)  called before each run; variables as JSON
//	hooks.fire(id)                  a timer is due
//	hooks.settle(id, ok, text)      the reply to a call: JSON, or the reason of the failure
//	hooks.format(...args)           the text that console.log would write
//	hooks.describeError(e)          {type, message, stack} of any thrown value
//	hooks.stringify(v)              the original JSON.stringify, even if user code replaced it
//	hooks.require(name)
//
// Binary data crosses as strings whose char codes are the bytes ("latin1"). User code cannot reach host: it exists
// only in closures, and code that uses it relies only on syntax and captured primordials, never on a method that
// user code may have replaced.
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

// declarations are the TypeScript declarations, one file per subject, baas.d.ts first.
//
//go:embed declarations/*.d.ts
var declarations embed.FS

// Main returns the source of the script whose completion value is the function install(host).
func Main() string {
	src, _ := read("main")
	return src
}

// Module returns the source of a lazily loaded part; ok is false if there is none with that name. Its completion
// value is a function (host, load, primordials) that returns the exports of the part.
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
		panic(err) // an embedded directory is always readable
	}
	slices.Sort(names)

	return names
}

// Declarations returns the TypeScript declarations of all globals and modules, served as one file at GET
// /oserve/v1/baas.d.ts.
var Declarations = sync.OnceValue(func() string {
	names, err := fs.Glob(declarations, "declarations/*.d.ts")
	if err != nil {
		panic(err) // the pattern is valid
	}

	var b strings.Builder
	for _, name := range names {
		text, err := declarations.ReadFile(name)
		if err != nil {
			panic(err) // an embedded file is always readable
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
