package prelude

import (
	"testing"

	"minicloud/shared/runtime/engine"
)

// BenchmarkWorld measures the creation of an engine: it compiles the main part of the prelude and makes the
// template.
func BenchmarkWorld(b *testing.B) {
	for b.Loop() {
		e, err := engine.New(engine.Options{Main: Main(), Module: Module})
		if err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}

// BenchmarkPart measures a run that uses one part, which is compiled beforehand; "none" is the cost of the run
// itself.
func BenchmarkPart(b *testing.B) {
	for _, use := range []struct{ name, src string }{
		{"none", `0`},
		{"console", `console.log("x")`},
		{"inspect", `console.log({})`},
		{"timers", `setTimeout(() => {}, 1)`},
		{"process", `process.env`},
		{"url", `new URL("http://a/")`},
		{"buffer", `Buffer`},
		{"baas", `BaaS`},
		{"node_crypto", `require("crypto")`},
		{"util", `require("util")`},
		{"stream", `require("stream")`},
	} {
		b.Run(use.name, func(b *testing.B) {
			r := newRealm(b, nil)
			for b.Loop() {
				r.eval(use.src)
			}
		})
	}
}
