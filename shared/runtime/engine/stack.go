package engine

import (
	"strings"

	"minicloud/shared/runtime/engine/realm"
)

// hostStack returns the frames of an error that are in the user's file, with positions of the source. It returns
// undefined for values that are no errors.
func hostStack(w *world, args realm.Arguments) (realm.Value, error) {
	v := args.At(0)
	stack := w.Stack(v)
	if w.Kind(stack) != realm.KindText || w.run == nil {
		return stack, nil
	}
	defer w.Drop(stack)
	text, err := w.Text(stack)
	if err != nil {
		return realm.Undefined, err
	}
	return w.NewString(w.run.ownFrames(text)), nil
}

// maxStack is the maximum length of a stack in bytes.
const maxStack = 16 << 10

// ownFrames keeps the frames of a stack that are in the user's file.
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
