package process

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
)

// FuzzHostileChild sends random frames from a child: the supervisor must end the run in time with a well-formed
// result.
func FuzzHostileChild(f *testing.F) {
	frames := func(parts ...any) []byte {
		var b bytes.Buffer
		w := &frameWriter{w: &b}
		for i := 0; i < len(parts); i += 2 {
			w.write(frameKind(parts[i].(rune)), []byte(parts[i+1].(string)))
		}
		return b.Bytes()
	}
	settled := `{"outcome":"fulfilled","data":1}`
	for _, seed := range [][]byte{
		nil, {0}, []byte("S\xff\xff\xff\xff"), []byte("L\x00\x00\x00\x09short"),
		frames('S', settled, 'E', `{"elapsed_ms":1,"peak":5}`),
		frames('S', settled, 'S', settled),
		frames('E', `{}`), frames('E', `{"elapsed_ms":-1e300,"peak":-1}`, 'S', settled),
		frames('S', `{"outcome":"fulfilled"}`), frames('S', `{"outcome":"won","data":1}`),
		frames('S', `{"outcome":"fulfilled","data":}`),
		frames('S', `{"outcome":"execution_failed","data":1,"error":{}}`, 'E', `{}`),
		frames(
			'S', `{"outcome":"execution_failed","error":{"type":"\ud800","message":"`+strings.Repeat("m", 1<<16)+`"}}`, 'E',
			`{"peak":9223372036854775807}`,
		),
		frames(
			'L', "\x00\x00\x00\x00\x00\x00\x00\x00\x00old", 'L', "\xff\xff\xff\xff\xff\xff\xff\xff\x03\xff\xfe", 'S', settled,
			'E', `{}`,
		),
		frames('L', "\x00\x00\x00\x00\x00\x00\x00\x00\x09level"),
		frames('Q', `{"id":1,"op":"invoke","payload":{}}`, 'Q', `{"id":1,"op":"rob","payload":null}`, 'Q', `nonsense`),
		frames('R', settled), frames('A', `{}`), frames('H', `{}`), frames('D', `[]`), frames('?', ``),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		s := &Supervisor{Caller: &caller{}}
		w := &worker{
			out: &frameWriter{w: io.Discard}, stderr: &tail{}, frames: make(chan frame, 16), gone: make(chan struct{}),
		}
		pipe, mouth := io.Pipe()
		w.kill, w.reap = func() { mouth.Close() }, func() {}
		go w.read(pipe)
		go func() {
			mouth.Write(said)
			mouth.Close() // "deaf" below covers a child that stays silent
		}()
		req := sandboxtest.Request(`-`)
		req.TimeoutMS, req.Host = 20, &sandbox.Host{}
		began := time.Now()
		result, err := newSession(s, w, req).serve(t.Context())
		if took := time.Since(began); took > 3*time.Minute { // generous for a busy machine, but finite
			t.Errorf("took %v", took)
		}
		if err != nil {
			t.Fatal(err)
		}
		wellFormedResult(t, result)
		w.discard()
		<-w.gone
	})
}

func wellFormedResult(t *testing.T, r sandbox.Result) {
	t.Helper()
	if _, err := json.Marshal(r); err != nil {
		t.Errorf("result does not marshal: %v", err)
	}
	switch r.Outcome {
	case sandbox.OutcomeFulfilled:
		if r.Error != nil {
			t.Errorf("fulfilled with error %+v", r.Error)
		}
	case sandbox.OutcomeExecutionFailed, sandbox.OutcomeDeadlineExceeded:
		if r.Error == nil || r.Data != nil || len(r.Error.Message) > maxText+8 || len(r.Error.Stack) > maxText+8 {
			t.Errorf("failed with %s %+v", r.Data, r.Error)
		}
	default:
		t.Errorf("outcome %q", r.Outcome)
	}
	if r.MemUsage < 0 || r.MemUsage > 64<<20 || r.ExecutionMS < 0 || len(r.Log) > MaxLog || !utf8.ValidString(r.Log) {
		t.Errorf("memory %d, time %v, log of %d bytes", r.MemUsage, r.ExecutionMS, len(r.Log))
	}
}

// hostilePrefix is the file name prefix of a link to the test program that acts as a hostile child; the rest of the
// name selects the act.
const hostilePrefix = "hostile-"

// hostile performs the act and does not return if the program was started through such a link; otherwise it does
// nothing.
func hostile() {
	path, _ := os.Executable()
	act, found := strings.CutPrefix(filepath.Base(path), hostilePrefix)
	if !found {
		return
	}
	if act == "old-kernel" {
		oldKernel()
	}
	out := &frameWriter{w: os.NewFile(childOutput, "out")}
	if act != "probe" {
		out.write(frameReady, []byte(`{}`))
	}
	switch act {
	case "probe":
		probe()
	case "exit":
		io.ReadFull(os.NewFile(childInput, "in"), make([]byte, 10))
	case "early":
		out.write(frameSettled, []byte(`{"outcome":"fulfilled","data":"forged"}`))
		out.write(frameEnd, []byte(`{}`))
		time.Sleep(time.Hour)
	case "flood":
		for {
			out.write(frameLog, append(make([]byte, 9), bytes.Repeat([]byte("x"), 1<<20)...))
		}
	case "huge":
		io.ReadFull(os.NewFile(childInput, "in"), make([]byte, 10))
		os.NewFile(childOutput, "out").Write([]byte("L\xff\xff\xff\xff"))
		time.Sleep(time.Hour)
	case "greedy":
		seal(8)
		io.ReadFull(os.NewFile(childInput, "in"), make([]byte, 10))
		keep := [][]byte{}
		for range 1 << 10 { // 16 GB without the limit
			keep = append(keep, bytes.Repeat([]byte{1}, 16<<20))
			time.Sleep(5 * time.Millisecond)
		}
		runtime.KeepAlive(keep)
		runtime.KeepAlive(out) // a collected file would close the pipe
	case "deaf":
		time.Sleep(time.Hour) // without cgo, select {} would end the program as a deadlock
	}
	os.Exit(0)
}

func TestEndsHostileChildren(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	for act, want := range map[string]string{
		"exit":  "InternalError",
		"flood": "InternalError or TimeoutError",
		"huge":  "InternalError",
		"deaf":  "TimeoutError",
	} {
		t.Run(act, func(t *testing.T) {
			s := &Supervisor{Executable: link(t, self, act)}
			defer s.Close()
			req := sandboxtest.Request(`exports.main = async () => 1`)
			if strings.Contains(want, "TimeoutError") {
				req.TimeoutMS = 100 // the other acts end by themselves
			}
			began := time.Now()
			r := s.must(t, req)
			took := time.Since(began)
			if r.Error == nil || !strings.Contains(want, r.Error.Type) || took > 3*time.Minute { // for a busy machine
				t.Errorf("%+v after %v", r.Error, took)
			}
			wellFormedResult(t, r)
		})
	}

	t.Run("greedy", func(t *testing.T) {
		s := &Supervisor{Executable: link(t, self, "greedy")}
		defer s.Close()
		if r := s.must(t, sandboxtest.Request(`exports.main = async () => 1`)); r.Error == nil || r.Error.Type != "MemoryError" {
			t.Errorf("%+v, want a MemoryError", r.Error)
		}
	})

	t.Run("early", func(t *testing.T) {
		w, err := startWorker(link(t, self, "early"), 128)
		if err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(3 * time.Minute); w.idle() == nil; {
			if time.Now().After(end) {
				t.Fatal("a child that spoke out of turn counts as idle")
			}
			time.Sleep(time.Millisecond)
		}
		<-w.gone
	})
}

// TestChildEndsWithItsPipe checks that a child exits when its pipe closes: if the supervisor is killed, nothing
// else stops the run before its time limit.
func TestChildEndsWithItsPipe(t *testing.T) {
	w, err := newSupervisor(t).start()
	if err != nil {
		t.Fatal(err)
	}
	defer endWorker(w)
	req := sandboxtest.Request(`console.log('on its way'); for (;;) {}`)
	req.TimeoutMS = 300_000
	if err := newSession(&Supervisor{}, w, req).send(frameRun); err != nil {
		t.Fatal(err)
	}
	if f := <-w.frames; f.kind != frameLog {
		t.Fatalf("the child said %c %s", f.kind, f.body)
	}

	w.out.w.(io.Closer).Close()
	select {
	case _, more := <-w.frames:
		if more {
			t.Error("the run went on")
		}
	case <-time.After(3 * time.Minute):
		t.Error("the child lives on")
	}
}

// endWorker kills a child that a test started and waits until it has ended.
func endWorker(w *worker) {
	w.discard()
	<-w.gone
}

func link(t *testing.T, self, act string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), hostilePrefix+act)
	if err := os.Link(self, path); err != nil {
		data, err := os.ReadFile(self) // the link fails across file systems
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return path
}
