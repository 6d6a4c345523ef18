package main

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Value types of wasm.
const (
	i32 = 0x7f
	i64 = 0x7e
	f32 = 0x7d
	f64 = 0x7c
)

// reader takes numbers and texts off the bytes of a wasm module.
type reader struct {
	bytes []byte
	at    int
}

func (r *reader) more() bool { return r.at < len(r.bytes) }

func (r *reader) byte() byte {
	b := r.bytes[r.at]
	r.at++
	return b
}

func (r *reader) take(n int) []byte {
	b := r.bytes[r.at : r.at+n]
	r.at += n
	return b
}

func (r *reader) number() int {
	v, n := binary.Uvarint(r.bytes[r.at:])
	r.at += n
	return int(v)
}

func (r *reader) signed() int64 {
	var v int64
	for shift := uint(0); ; {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if shift += 7; b&0x80 != 0 {
			continue
		}
		if shift < 64 && b&0x40 != 0 {
			v |= -1 << shift
		}
		return v
	}
}

func (r *reader) vector() []byte { return r.take(r.number()) }
func (r *reader) text() string   { return string(r.vector()) }

// signature is the type of a function.
type signature struct{ in, out []byte }

// importer is a function that the module wants from outside.
type importer struct{ module, name string }

// module is what the translator needs of a wasm module: one memory, one table,
// global variables, functions.
type module struct {
	types   []signature
	imports []importer
	kinds   []int // type of each function, imported ones first
	names   map[int]string
	exports map[string]int
	globals []global
	table   map[int]int // function by place
	code    []*reader
	data    []segment
	pages   int // of memory at the start
}

type global struct {
	kind  byte
	start uint64
}

// segment is a part of memory that is not zero at the start.
type segment struct {
	at    int
	bytes []byte
}

// parse reads a module. It panics on what the compiler that made it never writes.
func parse(wasm []byte) (m *module, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("wasm: %v", p)
		}
	}()
	if len(wasm) < 8 || string(wasm[:4]) != "\x00asm" {
		return nil, errors.New("this is no wasm module")
	}

	m = &module{names: map[int]string{}, exports: map[string]int{}, table: map[int]int{}}
	for r := (&reader{wasm, 8}); r.more(); {
		id := r.byte()
		m.section(id, &reader{bytes: r.vector()})
	}
	return m, nil
}

func (m *module) section(id byte, r *reader) {
	switch id {
	case 0:
		if r.text() == "name" {
			m.readNames(r)
		}
	case 1:
		each(r, func() {
			r.byte()
			m.types = append(m.types, signature{in: r.vector(), out: r.vector()})
		})
	case 2:
		each(r, func() { m.readImport(r) })
	case 3:
		each(r, func() { m.kinds = append(m.kinds, r.number()) })
	case 5:
		each(r, func() { r.byte(); m.pages = r.number() })
	case 6:
		each(r, func() {
			kind := r.byte()
			r.byte()
			m.globals = append(m.globals, global{kind, r.constant()})
		})
	case 7:
		each(r, func() { m.readExport(r) })
	case 9:
		each(r, func() { m.readElements(r) })
	case 10:
		each(r, func() { m.code = append(m.code, &reader{bytes: r.vector()}) })
	case 11:
		each(r, func() {
			must(r.byte() == 0, "a data segment that is not copied at the start")
			m.data = append(m.data, segment{int(r.constant()), r.vector()})
		})
	case 8:
		panic("a start function")
	}
}

func each(r *reader, read func()) {
	for n := r.number(); n > 0; n-- {
		read()
	}
}

func must(ok bool, what string) {
	if !ok {
		panic(what)
	}
}

func (m *module) readImport(r *reader) {
	m.imports = append(m.imports, importer{r.text(), r.text()})
	must(r.byte() == 0, "an import that is no function")
	m.kinds = append(m.kinds, r.number())
}

func (m *module) readExport(r *reader) {
	name := r.text()
	kind, index := r.byte(), r.number()
	if kind == 0 {
		m.exports[name] = index
	}
}

func (m *module) readElements(r *reader) {
	must(r.number() == 0, "an element segment of another kind")
	at := int(r.constant())
	each(r, func() {
		m.table[at] = r.number()
		at++
	})
}

// readNames reads what functions are called in the source.
func (m *module) readNames(r *reader) {
	for r.more() {
		kind := r.byte()
		part := &reader{bytes: r.vector()}
		if kind != 1 {
			continue
		}
		each(part, func() { m.names[part.number()] = part.text() })
	}
}

// constant reads an expression that is one constant.
func (r *reader) constant() (v uint64) {
	switch op := r.byte(); op {
	case 0x41:
		v = uint64(uint32(r.signed()))
	case 0x42:
		v = uint64(r.signed())
	default:
		panic(fmt.Sprintf("constant of operation %#x", op))
	}
	must(r.byte() == 0x0b, "a constant expression that goes on")
	return v
}
