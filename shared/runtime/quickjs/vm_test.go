package quickjs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"
)

// bare is a Host without functions; its memory is mapped beforehand.
type bare struct{}

const bareHeap = 64 << 20

func (bare) Call(_, _, _ uint32) uint64     { return 3 << 32 }
func (bare) Interrupted() uint32            { return 0 }
func (bare) Rejected(_, _ uint64, _ uint32) {}
func (bare) Thrown(_, _ uint64)             {}
func (bare) Load(uint32) uint32             { return 0 }
func (bare) Fill(uint32) uint32             { return 0 }
func (bare) Reserve(end uint32) uint32      { return min(bareHeap, max(end, bareHeap)) }
func (bare) Large(uint32) uint32            { return 0 }
func (bare) Resize(_, _, _ uint32) uint32   { return 0 }
func (bare) Release(_, _ uint32)            {}
func (bare) Freed(uint32)                   {}

func open(t *testing.T) *VM {
	t.Helper()
	vm, err := New(bare{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { vm.Close() })
	if err := vm.Map(Mapped, bareHeap); err != nil {
		t.Fatal(err)
	}
	if vm.Open(bareHeap/2, 1<<20) != 1 {
		t.Fatal("the world does not open")
	}
	return vm
}

// eval runs a script and returns its value as a string.
func eval(vm *VM, source string) string {
	lend := func(text string) uint32 {
		at := vm.Take(uint32(len(text) + 1))
		copy(vm.Memory(at, uint32(len(text)+1)), text+"\x00")
		return at
	}
	v := vm.Eval(lend(source), uint32(len(source)), lend("test.js"), 0)
	failed := ""
	if v>>32 == 6 {
		failed, v = "throws ", vm.Caught()
	}
	size := vm.Take(8)
	at := vm.Text(v, size)
	return failed + string(vm.Memory(at, binary.LittleEndian.Uint32(vm.Memory(size, 4))))
}

// TestComputesNumbers covers typical errors of a translation: signs, shifts, overflow, rounding, NaN and its
// conversions, 64-bit and large integers.
func TestComputesNumbers(t *testing.T) {
	vm := open(t)
	for source, want := range map[string]string{
		`[1 << 31, 1 << 32, -1 >>> 0, -1 >> 31, -8 >>> 28, 5 << -1]`:                         "-2147483648,1,4294967295,-1,15,-2147483648",
		`[2147483647 + 1, -2147483648 - 1, Math.imul(0x7fffffff, 3), ~0]`:                    "2147483648,-2147483649,2147483645,-1",
		`[-7 % 3, 7 % -3, -7 / 0, 0 / 0, 5.5 % 2, -0 === 0, Object.is(-0, 0)]`:               "-1,1,-Infinity,NaN,1.5,true,false",
		`[NaN | 0, 1e20 | 0, -1e20 | 0, Infinity >>> 0, 2 ** 31 | 0, 4294967297 | 0]`:        "0,1661992960,-1661992960,0,-2147483648,1",
		`[0.1 + 0.2, 1e21, 1e-7, 123456789.123, 5e-324, 1.7976931348623157e308]`:             "0.30000000000000004,1e+21,1e-7,123456789.123,5e-324,1.7976931348623157e+308",
		`[Math.round(-0.5), Math.round(2.5), Math.trunc(-2.7), Math.fround(1.1)]`:            "0,3,-2,1.100000023841858",
		`[Math.max(NaN, 1), Math.min(-0, 0), Math.hypot(3, 4), Math.clz32(1)]`:               "NaN,0,5,31",
		`[2n ** 64n, -5n / 2n, BigInt.asIntN(8, 255n), BigInt.asUintN(64, -1n)]`:             "18446744073709551616,-2,-1,18446744073709551615",
		`[...new Int8Array([200, -200]), ...new Uint8ClampedArray([300, -5, 1.5])]`:          "-56,56,255,0,2",
		`[...new Float32Array([0.1, 1e40]), new DataView(new ArrayBuffer(8)).getFloat64(0)]`: "0.10000000149011612,Infinity,0",
		`(0.1).toFixed(20) + (255).toString(2)`:                                              "0.1000000000000000055511111111",
		`parseInt("9007199254740993") + "," + Number("0x1fffffffffffff")`:                    "9007199254740992,9007199254740991",
		`new Date(8.64e15).toISOString() + new Date(-1).getUTCMilliseconds()`:                "+275760-09-13T00:00:00.000Z999",
		`null.x`: "throws TypeError: cannot read property 'x' of null",
	} {
		if got := eval(vm, source); got != want {
			t.Errorf("%s\n  is   %s\n  want %s", source, got, want)
		}
	}
}

// TestStopEndsEveryLoop covers also loops inside the engine that never call the host.
func TestStopEndsEveryLoop(t *testing.T) {
	for _, source := range []string{
		`for (;;);`, `/(a+)+$/.test("a".repeat(40) + "b")`, `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`,
		`for (;;) (10n ** 100000n).toString()`,
	} {
		vm := open(t)
		time.AfterFunc(20*time.Millisecond, vm.Stop)
		if err := stopped(func() { eval(vm, source) }); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func stopped(f func()) (err error) {
	defer func() {
		if p := recover(); p != (Stopped{}) {
			err = fmt.Errorf("ended with %v", p)
		}
	}()
	f()
	return errors.New("ended by itself")
}

func TestMemoryIsBounded(t *testing.T) {
	vm := open(t)
	if got, want := eval(vm, `const a = []; for (;;) a.push({})`), "throws InternalError: out of memory"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := eval(open(t), `(function f() { f() })()`); got != "throws RangeError: Maximum call stack size exceeded" {
		t.Errorf("endless recursion: %s", got)
	}
}
