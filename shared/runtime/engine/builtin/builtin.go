// Package builtin has the host functions that do not depend on a run: conversions between strings and bytes, string
// comparison, time zones, random bytes, proxies and iterators.
package builtin

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"minicloud/shared/runtime/engine/realm"
)

// Function is a Go function that JavaScript calls. It returns realm.ErrThrown if an exception is pending.
type Function func(r *realm.Realm, args realm.Arguments) (realm.Value, error)

// New returns the functions by name in the host object.
func New() map[string]Function {
	return map[string]Function{
		"bytes": hostBytes, "base64": hostBase64, "fromBase64": hostFromBase64, "encode": hostEncode, "decode": hostDecode,
		"random": hostRandom, "zone": hostZone, "collate": new(collators).hostCollate, "proxy": hostProxy,
		"iterator": hostIterator,
	}
}

func hostEncode(r *realm.Realm, args realm.Arguments) (realm.Value, error) {
	text, err := r.Text(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}
	return r.Latin1([]byte(realm.WellFormed(text))), nil
}

func hostDecode(r *realm.Realm, args realm.Arguments) (realm.Value, error) {
	data, err := r.BytesOf(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}
	if utf8.Valid(data) {
		return r.NewString(string(data)), nil
	}
	return r.NewString(string([]rune(string(data)))), nil
}

// hostRandom is host.random(n): it returns n random bytes as a binary string.
func hostRandom(r *realm.Realm, args realm.Arguments) (realm.Value, error) {
	n, err := r.Number(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}
	if !(n >= 0 && n <= 65536) {
		return realm.Undefined, fmt.Errorf("at most 65536 random bytes at once, not %v", n)
	}
	data := make([]byte, int(n))
	rand.Read(data)
	return r.Latin1(data), nil
}

// hostProxy returns [target, handler] of a proxy, [] for a revoked one, and undefined for other values. The console
// uses it.
func hostProxy(r *realm.Realm, args realm.Arguments) (realm.Value, error) {
	switch r.VM.ProxyParts(uint64(args.At(0)), r.Scratch) {
	case 0:
		return realm.Undefined, nil
	case 1:
		return r.NewArray()
	}
	memory := r.VM.Memory(r.Scratch, 2*realm.ValueSize)
	target, handler := binary.LittleEndian.Uint64(memory), binary.LittleEndian.Uint64(memory[realm.ValueSize:])
	return r.NewArray(realm.Value(target), realm.Value(handler))
}

// hostIterator returns [whether it is of a Set, whether it gives pairs, ...the values that it has left] of an iterator of
// a Map or a Set, and undefined for other values. It does not advance the iterator. The console uses it.
func hostIterator(r *realm.Realm, args realm.Arguments) (realm.Value, error) {
	rest := realm.Value(r.VM.IteratorRest(uint64(args.At(0))))
	if realm.IsException(rest) {
		return realm.Undefined, realm.ErrThrown
	}
	return rest, nil
}
