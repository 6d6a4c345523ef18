package prelude

import (
	"testing"

	"minicloud/shared/runtime/engine"
)

// BenchmarkWorld is a new engine: compiling what every run has, and the template.
func BenchmarkWorld(b *testing.B) {
	for b.Loop() {
		e, err := engine.New(engine.Options{Main: Main(), Module: Module})
		if err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}

// BenchmarkPart is a run that uses one part, compiled before; what "none" takes
// is the run itself.
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
