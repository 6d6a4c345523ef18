package engine

import (
	"encoding/binary"
	"strings"
)

// hostStack returns the frames the engine wrote when the error was made: those
// of the user's file, with positions of the source. It returns undefined for
// anything but an error.
func hostStack(w *world, argc int32, argv uintptr) (value, error) {
	v := argument(argc, argv, 0)
	stack := w.stack(v)
	if w.kind(stack) != kindText || w.run == nil {
		return stack, nil
	}
	defer w.drop(stack)
	text, ok := w.text(stack)
	if !ok {
		return undefined, errThrown
	}
	return w.newString(w.run.ownFrames(text)), nil
}

// stack is what the engine wrote into an error: frames, without the message.
func (w *world) stack(v value) value {
	if w.vm.IsError(uint64(v)) == 0 {
		return undefined
	}
	return value(w.vm.ErrorStack(uint64(v)))
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
	switch w.vm.ProxyParts(uint64(argument(argc, argv, 0)), w.scratch) {
	case 0:
		return undefined, nil
	case 1:
		return w.newArray()
	}
	memory := w.vm.Memory(w.scratch, 2*valueSize)
	target, handler := binary.LittleEndian.Uint64(memory), binary.LittleEndian.Uint64(memory[valueSize:])
	return w.newArray(value(target), value(handler))
}
