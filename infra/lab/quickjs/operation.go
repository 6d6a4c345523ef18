package main

import (
	"encoding/binary"
	"fmt"
	"math"
)

// expression is an operation without effects: its result, and how Go writes it.
type expression struct {
	kind byte
	text string
}

// comparisons give 0 or 1; binary and unary give the expression's kind.
var comparisons = map[byte]string{
	0x46: "%s == %s", 0x47: "%s != %s", 0x48: "int32(%s) < int32(%s)", 0x49: "%s < %s",
	0x4a: "int32(%s) > int32(%s)", 0x4b: "%s > %s", 0x4c: "int32(%s) <= int32(%s)", 0x4d: "%s <= %s",
	0x4e: "int32(%s) >= int32(%s)", 0x4f: "%s >= %s", 0x51: "%s == %s", 0x52: "%s != %s",
	0x53: "int64(%s) < int64(%s)", 0x54: "%s < %s", 0x55: "int64(%s) > int64(%s)", 0x56: "%s > %s",
	0x57: "int64(%s) <= int64(%s)", 0x58: "%s <= %s", 0x59: "int64(%s) >= int64(%s)", 0x5a: "%s >= %s",
	0x5b: "%s == %s", 0x5c: "%s != %s", 0x5d: "%s < %s", 0x5e: "%s > %s", 0x5f: "%s <= %s", 0x60: "%s >= %s",
	0x61: "%s == %s", 0x62: "%s != %s", 0x63: "%s < %s", 0x64: "%s > %s", 0x65: "%s <= %s", 0x66: "%s >= %s",
}

var binaries = map[byte]expression{
	0x6a: {i32, "%s + %s"}, 0x6b: {i32, "%s - %s"}, 0x6c: {i32, "%s * %s"},
	0x6d: {i32, "uint32(int32(%s) / int32(%s))"}, 0x6e: {i32, "%s / %s"},
	0x6f: {i32, "uint32(int32(%s) %% int32(%s))"}, 0x70: {i32, "%s %% %s"},
	0x71: {i32, "%s & %s"}, 0x72: {i32, "%s | %s"}, 0x73: {i32, "%s ^ %s"},
	0x74: {i32, "%s << (%s & 31)"}, 0x75: {i32, "uint32(int32(%s) >> (%s & 31))"}, 0x76: {i32, "%s >> (%s & 31)"},
	0x77: {i32, "bits.RotateLeft32(%s, int(%s&31))"}, 0x78: {i32, "bits.RotateLeft32(%s, -int(%s&31))"},
	0x7c: {i64, "%s + %s"}, 0x7d: {i64, "%s - %s"}, 0x7e: {i64, "%s * %s"},
	0x7f: {i64, "uint64(int64(%s) / int64(%s))"}, 0x80: {i64, "%s / %s"},
	0x81: {i64, "uint64(int64(%s) %% int64(%s))"}, 0x82: {i64, "%s %% %s"},
	0x83: {i64, "%s & %s"}, 0x84: {i64, "%s | %s"}, 0x85: {i64, "%s ^ %s"},
	0x86: {i64, "%s << (%s & 63)"}, 0x87: {i64, "uint64(int64(%s) >> (%s & 63))"}, 0x88: {i64, "%s >> (%s & 63)"},
	0x89: {i64, "bits.RotateLeft64(%s, int(%s&63))"}, 0x8a: {i64, "bits.RotateLeft64(%s, -int(%s&63))"},
	// The conversions keep arm64 from fusing a product with a sum.
	0x92: {f32, "%s + %s"}, 0x93: {f32, "%s - %s"}, 0x94: {f32, "float32(%s * %s)"}, 0x95: {f32, "%s / %s"},
	0xa0: {f64, "%s + %s"}, 0xa1: {f64, "%s - %s"}, 0xa2: {f64, "float64(%s * %s)"}, 0xa3: {f64, "%s / %s"},
	0xa4: {f64, "min(%s, %s)"}, 0xa5: {f64, "max(%s, %s)"}, 0xa6: {f64, "math.Copysign(%s, %s)"},
}

var unaries = map[byte]expression{
	0x67: {i32, "uint32(bits.LeadingZeros32(%s))"}, 0x68: {i32, "uint32(bits.TrailingZeros32(%s))"},
	0x69: {i32, "uint32(bits.OnesCount32(%s))"},
	0x79: {i64, "uint64(bits.LeadingZeros64(%s))"}, 0x7a: {i64, "uint64(bits.TrailingZeros64(%s))"},
	0x7b: {i64, "uint64(bits.OnesCount64(%s))"},
	0x8b: {f32, "float32(math.Abs(float64(%s)))"}, 0x8c: {f32, "-%s"},
	0x99: {f64, "math.Abs(%s)"}, 0x9a: {f64, "-%s"}, 0x9b: {f64, "math.Ceil(%s)"}, 0x9c: {f64, "math.Floor(%s)"},
	0x9d: {f64, "math.Trunc(%s)"}, 0x9e: {f64, "math.RoundToEven(%s)"}, 0x9f: {f64, "math.Sqrt(%s)"},
	0xa7: {i32, "uint32(%s)"}, 0xac: {i64, "uint64(int32(%s))"}, 0xad: {i64, "uint64(%s)"},
	// A float that does not fit traps in wasm; here it saturates, as C does not care.
	0xa8: {i32, "toInt32(float64(%s))"}, 0xa9: {i32, "toUint32(float64(%s))"}, 0xaa: {i32, "toInt32(%s)"},
	0xab: {i32, "toUint32(%s)"}, 0xae: {i64, "toInt64(float64(%s))"}, 0xaf: {i64, "toUint64(float64(%s))"},
	0xb0: {i64, "toInt64(%s)"}, 0xb1: {i64, "toUint64(%s)"},
	0xb2: {f32, "float32(int32(%s))"}, 0xb3: {f32, "float32(%s)"}, 0xb4: {f32, "float32(int64(%s))"},
	0xb5: {f32, "float32(%s)"}, 0xb6: {f32, "float32(%s)"},
	0xb7: {f64, "float64(int32(%s))"}, 0xb8: {f64, "float64(%s)"}, 0xb9: {f64, "float64(int64(%s))"},
	0xba: {f64, "float64(%s)"}, 0xbb: {f64, "float64(%s)"},
	0xbc: {i32, "math.Float32bits(%s)"}, 0xbd: {i64, "math.Float64bits(%s)"},
	0xbe: {f32, "math.Float32frombits(%s)"}, 0xbf: {f64, "math.Float64frombits(%s)"},
	0xc0: {i32, "uint32(int32(int8(%s)))"}, 0xc1: {i32, "uint32(int32(int16(%s)))"},
	0xc2: {i64, "uint64(int64(int8(%s)))"}, 0xc3: {i64, "uint64(int64(int16(%s)))"},
	0xc4: {i64, "uint64(int64(int32(%s)))"},
}

// saturating are conversions of floats that have a result for every float.
var saturating = map[int]expression{
	0: {i32, "toInt32(float64(%s))"}, 1: {i32, "toUint32(float64(%s))"},
	2: {i32, "toInt32(%s)"}, 3: {i32, "toUint32(%s)"},
	4: {i64, "toInt64(float64(%s))"}, 5: {i64, "toUint64(float64(%s))"},
	6: {i64, "toInt64(%s)"}, 7: {i64, "toUint64(%s)"},
}

// access is a load or store: the type in memory, and for a load the conversion.
type access struct {
	kind         byte
	memory, text string
}

var loads = map[byte]access{
	0x28: {i32, "uint32", "%s"}, 0x29: {i64, "uint64", "%s"}, 0x2a: {f32, "float32", "%s"}, 0x2b: {f64, "float64", "%s"},
	0x2c: {i32, "int8", "uint32(int32(%s))"}, 0x2d: {i32, "uint8", "uint32(%s)"},
	0x2e: {i32, "int16", "uint32(int32(%s))"}, 0x2f: {i32, "uint16", "uint32(%s)"},
	0x30: {i64, "int8", "uint64(int64(%s))"}, 0x31: {i64, "uint8", "uint64(%s)"},
	0x32: {i64, "int16", "uint64(int64(%s))"}, 0x33: {i64, "uint16", "uint64(%s)"},
	0x34: {i64, "int32", "uint64(int64(%s))"}, 0x35: {i64, "uint32", "uint64(%s)"},
}

var stores = map[byte]access{
	0x36: {i32, "uint32", "%s"}, 0x37: {i64, "uint64", "%s"}, 0x38: {f32, "float32", "%s"}, 0x39: {f64, "float64", "%s"},
	0x3a: {i32, "uint8", "uint8(%s)"}, 0x3b: {i32, "uint16", "uint16(%s)"},
	0x3c: {i64, "uint8", "uint8(%s)"}, 0x3d: {i64, "uint16", "uint16(%s)"}, 0x3e: {i64, "uint32", "uint32(%s)"},
}

// maxOffset bounds the constant part of an address: so much more than 4 GB is reserved.
const maxOffset = 16 << 20

// operation translates one operation.
func (b *body) operation() {
	op := b.code.byte()
	if text, ok := comparisons[op]; ok {
		y, x := b.pop(), b.pop()
		b.truth(fmt.Sprintf(text, x, y))
	} else if e, ok := binaries[op]; ok {
		y, x := b.pop(), b.pop()
		b.emit("%s = "+e.text, b.push(e.kind), x, y)
	} else if e, ok := unaries[op]; ok {
		x := b.pop()
		b.emit("%s = "+e.text, b.push(e.kind), x)
	} else if a, ok := loads[op]; ok {
		from := fmt.Sprintf(b.address()(b.pop()), a.memory)
		b.emit("%s = "+a.text, b.push(a.kind), from)
	} else if a, ok := stores[op]; ok {
		address, value := b.address(), b.pop()
		to := fmt.Sprintf(address(b.pop()), a.memory)
		b.emit("%s = "+a.text, to, value)
	} else if !b.control(op) && !b.variable(op) {
		b.other(op)
	}
}

// address reads alignment and offset of a load or store.
func (b *body) address() func(base string) string {
	b.code.number()
	offset := b.code.number()
	must(offset < maxOffset, "an address with a large offset")
	return func(base string) string {
		if offset == 0 {
			return "*(*%s)(unsafe.Add(m, uintptr(" + base + ")))"
		}
		return fmt.Sprintf("*(*%%s)(unsafe.Add(m, uintptr(%s)+%d))", base, offset)
	}
}

// truth leaves a condition for the operation that consumes it at once, or
// stores 0 or 1.
func (b *body) truth(condition string) {
	switch next := b.code.bytes[b.code.at]; next {
	case 0x04, 0x0d, 0x45: // if, br_if, eqz
		b.test = condition
		b.push(i32)
	default:
		place := b.push(i32)
		b.emit("if %s {", condition)
		b.emit("\t%s = 1", place)
		b.emit("} else {")
		b.emit("\t%s = 0", place)
		b.emit("}")
	}
}

// condition pops what if, br_if and eqz test.
func (b *body) condition() string {
	value := b.pop()
	if b.test != "" {
		test := b.test
		b.test = ""
		return test
	}
	return value + " != 0"
}

// control translates blocks, branches and calls.
func (b *body) control(op byte) bool {
	switch op {
	case 0x00:
		b.emit(`panic("unreachable")`)
		b.skip()
	case 0x01:
	case 0x02:
		b.open('b')
	case 0x03:
		label := b.open('l').label
		b.label(label)
		b.emit("vm.loop()")
	case 0x04:
		test := b.condition()
		label := b.open('i').label + 1
		b.used[label] = true
		b.emit("if !(%s) {\n\t\tgoto label%d\n\t}", test, label)
	case 0x05:
		b.otherwise()
	case 0x0b:
		b.end()
	case 0x0c:
		b.emit("%s", b.jump(b.code.number()))
		b.skip()
	case 0x0d:
		depth := b.code.number()
		test := b.condition()
		b.emit("if %s {\n\t\t%s\n\t}", test, b.jump(depth))
	case 0x0e:
		b.choice()
		b.skip()
	case 0x0f:
		b.emit("%s", b.jump(len(b.blocks)-1))
		b.skip()
	case 0x10:
		index := b.code.number()
		b.call(b.types[b.kinds[index]], b.funcs[index])
	case 0x11:
		kind := b.code.number()
		b.code.number()
		b.call(b.types[kind], fmt.Sprintf("table%d[%s]", kind, b.pop()))
	default:
		return false
	}
	return true
}

// choice is a branch by number.
func (b *body) choice() {
	b.emit("switch %s {", b.pop())
	n := b.code.number()
	for i := range n {
		b.emit("case %d:\n\t\t%s", i, b.jump(b.code.number()))
	}
	b.emit("default:\n\t\t%s\n\t}", b.jump(b.code.number()))
}

func (b *body) call(s signature, function string) {
	list := ""
	for range s.in {
		list = ", " + b.pop() + list
	}
	if len(s.out) == 1 {
		b.emit("%s = %s(vm%s)", b.push(s.out[0]), function, list)
	} else {
		b.emit("%s(vm%s)", function, list)
	}
}

// variable translates locals, the stack pointer and constants.
func (b *body) variable(op byte) bool {
	switch op {
	case 0x20:
		n := b.code.number()
		b.stack = append(b.stack, operand{b.locals[n], fmt.Sprintf("l%d", n), n})
	case 0x21, 0x22:
		n := b.code.number()
		value := b.pop()
		b.settle(n)
		if name := fmt.Sprintf("l%d", n); name != value {
			b.emit("%s = %s", name, value)
		}
		if op == 0x22 {
			b.stack = append(b.stack, operand{b.locals[n], fmt.Sprintf("l%d", n), n})
		}
	case 0x23:
		must(b.code.number() == 0, "another global variable")
		b.emit("%s = vm.sp", b.push(i32))
	case 0x24:
		must(b.code.number() == 0, "another global variable")
		b.emit("vm.setStack(%s)", b.pop())
	case 0x41:
		n := uint32(b.code.signed())
		b.constant(i32, fmt.Sprintf("uint32(%d)", n), n > math.MaxInt32)
	case 0x42:
		n := uint64(b.code.signed())
		b.constant(i64, fmt.Sprintf("uint64(%d)", n), n > math.MaxInt64)
	case 0x43:
		b.constant(f32, fmt.Sprintf("math.Float32frombits(%d)", binary.LittleEndian.Uint32(b.code.take(4))), false)
	case 0x44:
		number := binary.LittleEndian.Uint64(b.code.take(8))
		if f := math.Float64frombits(number); f == math.Trunc(f) && math.Abs(f) < 1e15 && (f != 0 || number == 0) {
			b.constant(f64, fmt.Sprintf("float64(%g)", f), false)
		} else {
			b.constant(f64, fmt.Sprintf("math.Float64frombits(%d)", number), false)
		}
	default:
		return false
	}
	return true
}

// constant pushes a number. One that does not fit into the signed type gets a
// variable: Go refuses to convert such constants.
func (b *body) constant(kind byte, text string, large bool) {
	if large {
		b.emit("%s = %s", b.push(kind), text)
		return
	}
	b.stack = append(b.stack, operand{kind, text, -1})
}

// other translates what is left.
func (b *body) other(op byte) {
	switch op {
	case 0x1a:
		b.pop()
	case 0x1b:
		test := b.condition()
		y := b.pop()
		kind := b.stack[len(b.stack)-1].kind
		value := b.pop()
		place := b.push(kind)
		if place != value {
			b.emit("%s = %s", place, value)
		}
		b.emit("if !(%s) {\n\t\t%s = %s\n\t}", test, place, y)
	case 0x45, 0x50:
		b.truth("!(" + b.condition() + ")")
	case 0x3f:
		b.code.number()
		b.emit("%s = firstPages", b.push(i32))
	case 0x40:
		b.code.number()
		b.pop()
		b.constant(i32, "uint32(math.MaxUint32)", true) // memory is got from Go
	case 0xfc:
		b.extended(b.code.number())
	default:
		panic(fmt.Sprintf("operation %#x", op))
	}
}

func (b *body) extended(op int) {
	if e, ok := saturating[op]; ok {
		x := b.pop()
		b.emit("%s = "+e.text, b.push(e.kind), x)
		return
	}
	n, from, to := b.pop(), b.pop(), b.pop()
	switch op {
	case 10:
		b.code.take(2)
		b.emit("vm.copy(%s, %s, %s)", to, from, n)
	case 11:
		b.code.take(1)
		b.emit("vm.fill(%s, %s, %s)", to, from, n)
	default:
		panic(fmt.Sprintf("operation 0xfc %d", op))
	}
}
