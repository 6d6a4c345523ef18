package engine

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	lib "modernc.org/libquickjs"
)

// hideStack takes the property "stack" away from QuickJS, which writes it into
// every error as frames without the error's message, frames of ours among them.
// The atom that the engine knows as "stack" becomes a private name, as those of
// #fields are, and the text "stack" gets an atom of its own. What the engine
// wrote is read with hostStack; what user code sees as error.stack is a getter
// of the prelude. It must run before any other code, also in the compiler's
// world: bytecode names what the engine knows by number.
func (w *world) hideStack() error {
	symbol := w.eval("engine:stack", "Symbol('stack')", lib.MJS_EVAL_TYPE_GLOBAL)
	if isException(symbol) {
		return fmt.Errorf("engine: a symbol: %s", w.plainError(w.caught()))
	}
	const engines = lib.EJS_ATOM_stack
	runtime := (*lib.TJSRuntime)(unsafe.Add(nil, w.rt))
	atoms := unsafe.Slice((*uintptr)(unsafe.Add(nil, runtime.Fatom_array)), runtime.Fatom_size)
	at := func(index uint32) *lib.TJSAtomStruct { return (*lib.TJSAtomStruct)(unsafe.Add(nil, atoms[index])) }
	hidden, text := (*lib.TJSAtomStruct)(unsafe.Add(nil, uintptr(bits(symbol)))), at(engines)
	users := hidden.Fhash_next // a symbol is in no hash chain and keeps its own index there
	if at(users) != hidden {
		return errors.New("engine: a symbol does not know its atom")
	}

	bucket := text.F__ccgo4 & atomHash & uint32(runtime.Fatom_hash_size-1)
	link := (*uint32)(unsafe.Add(nil, runtime.Fatom_hash+4*uintptr(bucket)))
	for ; *link != engines; link = &at(*link).Fhash_next {
		if *link == 0 {
			return errors.New("engine: the atom of stack is not where it should be")
		}
	}
	*link = users
	atoms[engines], atoms[users] = atoms[users], atoms[engines]
	hidden.Fhash_next = engines
	hidden.F__ccgo4 |= atomHash // the hash of a private name
	return nil
}

// atomHash are the bits of an atom's hash; the two above are its type.
const atomHash = 1<<30 - 1

// hostStack returns the frames the engine wrote when the error was made: those
// of the user's file, with positions of the source. It returns undefined for
// anything but an error.
func hostStack(w *world, argc int32, argv uintptr) (value, error) {
	v := argument(argc, argv, 0)
	if lib.XJS_GetClassID(w.tls, v) != lib.EJS_CLASS_ERROR {
		return undefined, nil
	}
	stack := w.stack(v)
	if stack.Ftag != lib.EJS_TAG_STRING || w.run == nil {
		return stack, nil
	}
	defer w.drop(stack)
	text, ok := w.text(stack)
	if !ok {
		return undefined, errThrown
	}
	return w.newString(w.run.ownFrames(text)), nil
}

// stack is what the engine wrote into an error.
func (w *world) stack(v value) value {
	return lib.XJS_GetPropertyInternal(w.tls, w.ctx, v, lib.EJS_ATOM_stack, v, 0)
}

// maxStack is the longest stack that is shown, bytes.
const maxStack = 16 << 10

// ownFrames keeps the lines of a stack that lie in the user's file.
func (r *run) ownFrames(stack string) string {
	var own strings.Builder
	for frame := range strings.SplitSeq(stack, "\n") {
		if strings.Contains(frame, r.file+":") && strings.HasPrefix(strings.TrimLeft(frame, " "), "at ") {
			if own.Len()+len(frame) > maxStack {
				break
			}
			if own.Len() > 0 {
				own.WriteByte('\n')
			}
			own.WriteString(frame)
		}
	}
	return r.positions(own.String())
}

// hostProxy returns [target, handler] of a proxy, [] of a revoked one, and
// undefined for anything else, for console.
func hostProxy(w *world, argc int32, argv uintptr) (value, error) {
	p := lib.XJS_GetOpaque(w.tls, argument(argc, argv, 0), lib.EJS_CLASS_PROXY)
	if p == 0 {
		return undefined, nil
	}
	proxy := (*lib.TJSProxyData)(unsafe.Add(nil, p))
	pair := lib.XJS_NewArray(w.tls, w.ctx)
	if proxy.Fis_revoked == 0 {
		lib.XJS_SetPropertyUint32(w.tls, w.ctx, pair, 0, w.keep(proxy.Ftarget))
		lib.XJS_SetPropertyUint32(w.tls, w.ctx, pair, 1, w.keep(proxy.Fhandler))
	}
	return pair, nil
}
