package prelude

import (
	"testing"

	"modernc.org/quickjs"
)

// BenchmarkMain is what install costs a fresh VM: reading Main's bytecode and
// running install. The VM's own creation is BenchmarkVM.
func BenchmarkMain(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		vm, host := benchVM(b)
		b.StartTimer()
		f, err := vm.EvalBytecodeValue(compiled(b, vm, "main", Main()))
		if err != nil {
			b.Fatal(err)
		}
		hooks, err := f.CallValue(quickjs.UndefinedValue, host)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		hooks.Free()
		f.Free()
		host.Free()
		vm.Close()
		b.StartTimer()
	}
}

func BenchmarkVM(b *testing.B) {
	for b.Loop() {
		vm, err := quickjs.NewVM()
		if err != nil {
			b.Fatal(err)
		}
		vm.Close()
	}
}

// BenchmarkPart is the first use of one part in a realm.
func BenchmarkPart(b *testing.B) {
	for _, use := range []struct{ name, src string }{
		{"console", `console.log("x")`},
		{"inspect", `console.log({})`},
		{"timers", `setTimeout(() => {}, 1)`},
		{"process", `process.env`},
		{"url", `new URL("http://a/")`},
		{"buffer", `Buffer`},
		{"baas", `BaaS`},
		{"node_crypto", `require("crypto")`},
		{"util", `require("util")`},
	} {
		b.Run(use.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				r := newRealm(b, nil)
				b.StartTimer()
				v, err := r.vm.EvalValue(use.src, quickjs.EvalGlobal)
				if err != nil {
					b.Fatal(err)
				}
				v.Free()
				b.StopTimer()
				r.close()
				b.StartTimer()
			}
		})
	}
}

func benchVM(b *testing.B) (*quickjs.VM, quickjs.Value) {
	vm, err := quickjs.NewVM()
	if err != nil {
		b.Fatal(err)
	}
	host, err := vm.NewObjectValue()
	if err != nil {
		b.Fatal(err)
	}
	return vm, host
}
