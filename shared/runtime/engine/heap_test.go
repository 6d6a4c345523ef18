package engine

import (
	"bytes"
	"testing"
)

func TestResetErasesRun(t *testing.T) {
	e := newEngine(t)
	held := func(text string) bool {
		return bytes.Contains(e.Heap.Lower(e.Heap.Mapped), []byte(text)) || bytes.Contains(e.VM.Memory(0, e.VM.Variables()), []byte(text))
	}
	for _, n := range []string{"5000", "300000"} { // a small heap is cleared, a large one unmapped
		r := e.Run(
			job(
				`const keep = []; for (let i = 0; i < `+n+`; i++) keep.push('se' + 'cret-' + i); exports.main = async (e) => keep.length`,
			),
			newRecorder(),
		)
		if string(r.Data) != n || !held("secret-4999") {
			t.Fatalf("the run left %s %+v", r.Data, r.Error)
		}

		e.Reset()
		if held("secret-") {
			t.Error("bytes of the last run are still there")
		}
		top := e.Heap.TemplateNext
		now := bytes.Clone(e.Heap.Lower(top))
		at := e.VM.HeapAt() - e.VM.Variables() // the counters include the mapped size, so ignore them
		copy(now[at:at+24], e.Heap.Template[at:at+24])
		if !bytes.Equal(now, e.Heap.Template) {
			t.Error("the heap is not its template")
		}
		for i, b := range e.VM.Memory(top, e.Heap.Mapped-top) {
			if b != 0 {
				t.Fatalf("byte %d above the template is %#x", i, b)
			}
		}
	}
}

// TestCollectsCyclesNearLimit keeps 48 of 64 MB in use and creates 200 MB of cyclic garbage, which reference
// counting alone never frees.
func TestCollectsCyclesNearLimit(t *testing.T) {
	e := newEngine(t)
	j := job(`exports.main = async () => {
  const keep = []; for (let i = 0; i < 48; i++) keep.push(new Uint8Array(1 << 20));
  for (let i = 0; i < 2000; i++) { const a = { d: new Uint8Array(100000) }; a.self = a }
  return keep.length }`)
	if r := e.Run(j, newRecorder()); string(r.Data) != "48" {
		t.Errorf("gave %s %+v", r.Data, r.Error)
	}
}
