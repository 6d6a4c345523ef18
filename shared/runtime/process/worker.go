package process

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// startTime is the time limit for the start of a child.
const startTime = 10 * time.Second

// worker is the supervisor's handle of one engine child.
type worker struct {
	out    *frameWriter
	frames chan frame // closed when the child's pipe ends or carries a malformed frame
	stderr *tail
	absent []string
	runs   int
	kill   func()        // ends the process; may be called more than once
	reap   func()        // waits until the process has ended
	gone   chan struct{} // closed when the process has been reaped
}

// starters runs functions on a thread that never ends: the kernel sends the parent-death signal of a child when the
// thread that started it dies, even if the process lives.
var starters = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// startWorker starts a child and waits until it is sealed and ready.
func startWorker(executable string, memoryMB int) (*worker, error) {
	fromUs, toChild, err := os.Pipe()
	if err != nil {
		return nil, err
	}

	fromChild, toUs, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, fromUs.Close(), toChild.Close())
	}

	w := &worker{
		out: &frameWriter{w: toChild}, stderr: &tail{}, frames: make(chan frame, 16), gone: make(chan struct{}),
	}
	cmd := &exec.Cmd{
		Path: executable, Args: []string{childName, strconv.Itoa(memoryMB)}, Env: []string{}, Dir: "/",
		Stderr:      w.stderr,
		ExtraFiles:  []*os.File{fromUs, toUs},
		SysProcAttr: attributes(),
	}
	// Start the child on the thread that never ends: see starters.
	started := make(chan error)
	starters() <- func() { started <- cmd.Start() }
	err = <-started
	fromUs.Close()
	toUs.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start engine child: %w", err), toChild.Close(), fromChild.Close())
	}

	w.kill = sync.OnceFunc(func() {
		cmd.Process.Kill()
		toChild.Close()
	})
	w.reap = func() {
		fromChild.Close()
		cmd.Wait()
	}
	go w.read(fromChild)
	if err := w.await(); err != nil {
		w.kill()
		return nil, err
	}

	return w, nil
}

// read passes frames to w.frames until the pipe ends; then it kills and reaps the process.
func (w *worker) read(pipe io.Reader) {
	in := bufio.NewReaderSize(pipe, 64<<10)
	for {
		kind, body, err := readFrame(in)
		if err != nil {
			break
		}
		w.frames <- frame{kind, body}
	}
	w.kill()
	w.reap()
	close(w.gone)
	close(w.frames)
}

// idle returns an error if an idle child cannot be used: it died, or it sent a frame without a request.
func (w *worker) idle() error {
	select {
	case _, ok := <-w.frames:
		w.discard()
		if ok {
			return errors.New("engine child spoke out of turn")
		}
		return fmt.Errorf("engine child died: %s", w.stderr.firstLine())
	default:
		return nil
	}
}

// discard kills the child and drops its remaining frames, so that read can end.
func (w *worker) discard() {
	w.kill()
	go func() {
		for range w.frames {
		}
	}()
}

func (w *worker) await() error {
	select {
	case f, ok := <-w.frames:
		var h hello
		if !ok || f.kind != frameReady || json.Unmarshal(f.body, &h) != nil {
			return fmt.Errorf("engine child did not start: %s", w.stderr.firstLine())
		}
		w.absent = h.Absent
		return nil
	case <-time.After(startTime):
		w.discard()
		return errors.New("engine child did not start in time")
	}
}

// tail keeps the first 4 KB of a child's standard error, where Go reports the reason of a crash.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := 4096 - t.buf.Len(); room > 0 {
		t.buf.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

func (t *tail) firstLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	line, _, _ := strings.Cut(t.buf.String(), "\n")
	return line
}

// outOfMemory reports whether the child ran out of memory.
func (t *tail) outOfMemory() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.buf.String()
	return strings.Contains(text, "out of memory") || strings.Contains(text, "cannot allocate memory")
}
