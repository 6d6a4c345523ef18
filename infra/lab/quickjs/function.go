package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// block is a block, loop or if that is open.
type block struct {
	kind    byte // 'b', 'l', 'i'; 'f' is the function
	label   int
	height  int // of the stack below it
	in, out []byte
	other   bool // its else was met
}

// operand is a value on wasm's stack. A constant or a local needs no variable
// until something else happens to it.
type operand struct {
	kind  byte
	text  string // of a constant or a local
	local int    // -1: no local
}

// body translates one function.
type body struct {
	*translator
	code   *reader
	out    strings.Builder
	stack  []operand
	blocks []block
	locals []byte
	places map[string]byte // variables of the stack
	used   map[int]bool    // labels
	labels int
	test   string // the condition that the next operation consumes
	dead   bool   // nothing gets to the end of the innermost block from above it
}

func (t *translator) function(index int, code *reader) {
	s := t.types[t.kinds[index]]
	b := &body{
		translator: t, code: code, locals: slices.Clone(s.in), places: map[string]byte{}, used: map[int]bool{},
		blocks: []block{{kind: 'f', out: s.out}},
	}
	each(code, func() {
		n, kind := code.number(), code.byte()
		b.locals = append(b.locals, slices.Repeat([]byte{kind}, n)...)
	})
	for len(b.blocks) > 0 {
		b.operation()
	}

	t.print("func %s%s {\n\tm := vm.memory\n\t_ = m\n", t.funcs[index], parameters(s, "vm *VM", true))
	b.variables(len(s.in))
	t.print("%s}\n\n", b.usedLabels())
}

// variables declares the locals behind the parameters and the places of the stack.
func (b *body) variables(parameters int) {
	names := map[byte][]string{}
	for i, kind := range b.locals[parameters:] {
		names[kind] = append(names[kind], fmt.Sprintf("l%d", parameters+i))
	}
	for _, place := range slices.Sorted(maps.Keys(b.places)) {
		names[b.places[place]] = append(names[b.places[place]], place)
	}
	for _, kind := range []byte{i32, i64, f32, f64} {
		if list := names[kind]; len(list) > 0 {
			b.print("\tvar %s %s\n", strings.Join(list, ", "), goTypes[kind])
			b.print("\t%s = %s\n", strings.TrimSuffix(strings.Repeat("_, ", len(list)), ", "), strings.Join(list, ", "))
		}
	}
}

// usedLabels is the body without the labels that nothing jumps to, which Go forbids.
func (b *body) usedLabels() string {
	var out strings.Builder
	for line := range strings.Lines(b.out.String()) {
		var label int
		if _, err := fmt.Sscanf(line, "label%d:", &label); err == nil && !b.used[label] {
			continue
		}
		out.WriteString(line)
	}
	return out.String()
}

func (b *body) emit(format string, args ...any) { fmt.Fprintf(&b.out, "\t"+format+"\n", args...) }

func (b *body) label(n int) { fmt.Fprintf(&b.out, "label%d:\n", n) }

// place is the variable for a height of the stack.
func (b *body) place(height int, kind byte) string {
	name := fmt.Sprintf("s%d%c", height, map[byte]rune{i32: 'i', i64: 'l', f32: 'f', f64: 'd'}[kind])
	b.places[name] = kind
	return name
}

// push puts a value on the stack and returns the variable to store it in.
func (b *body) push(kind byte) string {
	b.stack = append(b.stack, operand{kind: kind, local: -1})
	return b.place(len(b.stack)-1, kind)
}

// text is how an operand is written.
func (b *body) text(height int) string {
	o := b.stack[height]
	if o.text != "" {
		return o.text
	}
	return b.place(height, o.kind)
}

func (b *body) pop() string {
	text := b.text(len(b.stack) - 1)
	b.stack = b.stack[:len(b.stack)-1]
	return text
}

// settle stores operands that have no variable yet; those of one local, or all.
func (b *body) settle(local int) {
	for height := range b.stack {
		o := &b.stack[height]
		if o.text == "" || local >= 0 && o.local != local {
			continue
		}
		b.emit("%s = %s", b.place(height, o.kind), o.text)
		o.text, o.local = "", -1
	}
}

// open begins a block whose parameters are on the stack.
func (b *body) open(kind byte) *block {
	var in, out []byte
	switch v := b.code.signed(); {
	case v >= 0:
		in, out = b.types[v].in, b.types[v].out
	case v != -64:
		out = []byte{byte(v & 0x7f)}
	}
	b.settle(-1)
	b.labels++
	b.blocks = append(b.blocks, block{kind: kind, label: 2 * b.labels, height: len(b.stack) - len(in), in: in, out: out})
	return &b.blocks[len(b.blocks)-1]
}

// jump is the code of a branch out of so many blocks.
func (b *body) jump(depth int) string {
	target := b.blocks[len(b.blocks)-1-depth]
	values := target.out
	if target.kind == 'l' {
		values = target.in
	}
	from := len(b.stack) - len(values)
	if target.kind == 'f' {
		if len(values) == 1 {
			return "return " + b.text(from)
		}
		return "return"
	}

	var code strings.Builder
	for i, kind := range values {
		if to, value := b.place(target.height+i, kind), b.text(from+i); to != value {
			fmt.Fprintf(&code, "%s = %s; ", to, value)
		}
	}
	b.used[target.label] = true
	fmt.Fprintf(&code, "goto label%d", target.label)
	return code.String()
}

// end closes a block.
func (b *body) end() {
	c := b.blocks[len(b.blocks)-1]
	b.blocks = b.blocks[:len(b.blocks)-1]
	if c.kind == 'f' {
		if b.dead {
			return
		}
		if len(c.out) == 1 && len(b.stack) > 0 {
			b.emit("return %s", b.pop())
		} else if len(c.out) == 1 {
			b.emit(`panic("unreachable")`)
		}
		return
	}
	b.settle(-1)
	if c.kind == 'i' && !c.other {
		b.label(c.label + 1)
		b.dead = false
	}
	if c.kind != 'l' {
		b.label(c.label)
		b.dead = b.dead && !b.used[c.label]
	}
	b.stack = b.stack[:c.height]
	for _, kind := range c.out {
		b.push(kind)
	}
	if b.dead {
		b.skip()
	}
}

// otherwise begins the else of an if.
func (b *body) otherwise() {
	c := &b.blocks[len(b.blocks)-1]
	b.dead = false
	if !c.other {
		c.other = true
		b.settle(-1)
		b.emit("goto label%d", c.label)
		b.used[c.label] = true
	}
	b.label(c.label + 1)
	b.stack = b.stack[:c.height]
	for _, kind := range c.in {
		b.push(kind)
	}
}

// skip reads what can never run, behind a jump, to the end of the block or its else.
func (b *body) skip() {
	for depth := 0; ; {
		op := b.code.byte()
		switch {
		case op == 0x02 || op == 0x03 || op == 0x04:
			b.code.signed()
			depth++
		case (op == 0x05 || op == 0x0b) && depth == 0:
			b.code.at--
			if op == 0x05 {
				b.blocks[len(b.blocks)-1].other = true // no jump over the else
			}
			b.dead = true
			b.stack = b.stack[:b.blocks[len(b.blocks)-1].height]
			if op == 0x0b {
				b.pretend()
			}
			return
		case op == 0x0b:
			depth--
		default:
			b.skipOperands(op)
		}
	}
}

// pretend puts the results of the innermost block on the stack, whose end nothing gets to from above it.
func (b *body) pretend() {
	for _, kind := range b.blocks[len(b.blocks)-1].out {
		b.push(kind)
	}
}

func (b *body) skipOperands(op byte) {
	switch {
	case op == 0x0c, op == 0x0d, op == 0x10, op >= 0x20 && op <= 0x24, op == 0x3f, op == 0x40:
		b.code.number()
	case op == 0x0e:
		each(b.code, func() { b.code.number() })
		b.code.number()
	case op == 0x11, op >= 0x28 && op <= 0x3e:
		b.code.number()
		b.code.number()
	case op == 0x41, op == 0x42:
		b.code.signed()
	case op == 0x43:
		b.code.take(4)
	case op == 0x44:
		b.code.take(8)
	case op == 0xfc:
		switch sub := b.code.number(); sub {
		case 10:
			b.code.take(2)
		case 11:
			b.code.take(1)
		}
	}
}
