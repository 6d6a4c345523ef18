package process

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/runtime/engine"
	"minicloud/shared/runtime/prelude"
	"minicloud/shared/sandbox"
)

// childName is argv[0] of the engine child. The program recognises by it that it is the child, because the child's
// environment is empty.
const childName = "engine-child"

// Descriptors of the child's two pipes.
const (
	childInput  = 3
	childOutput = 4
)

// maxSource is the maximum size of a function's uncompressed source in bytes (D15).
const maxSource = 1 << 20

// NewEngine returns the engine that the child uses: with the whole prelude, for guest heaps of up to heapBytes.
func NewEngine(heapBytes int) (*engine.Engine, error) {
	return engine.New(engine.Options{
		Main: prelude.Main(), Module: prelude.Module, Preload: preload, HeapBytes: heapBytes,
	})
}

// preload lists the parts of the prelude that nearly every function uses. A longer list makes the first use of a
// part faster but the start of every child slower (all parts: 15 ms).
var preload = []string{"console", "format", "inspect", "inspect_text", "timers"}

// logBudget is the size at which the child stops sending log text; the supervisor truncates at MaxLog. A line costs
// the size of its text plus lineCost, in bytes.
const (
	logBudget = MaxLog + 64<<10
	lineCost  = 32
)

// IsChild reports whether this process was started as an engine child. main must check it first and then only call
// ChildMain.
func IsChild() bool { return len(os.Args) > 0 && os.Args[0] == childName }

// ChildMain runs the engine child: it seals the process and serves runs until its pipe closes. It does not return.
func ChildMain() {
	if err := serveChild(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

func serveChild() error {
	debug.SetGCPercent(200)
	// A brotli encoder takes 33 MB, so collect garbage well before the headroom is full.
	debug.SetMemoryLimit(headroom / 2)
	memory, err := strconv.Atoi(os.Args[len(os.Args)-1])
	if err != nil || memory < 1 || memory > maxMemoryMB {
		return fmt.Errorf("engine child: %q is no size of memory", os.Args)
	}

	e, err := NewEngine(memory << 20)
	if err != nil {
		return err
	}

	absent, err := seal(memory)
	if err != nil {
		return fmt.Errorf("engine child: %w", err)
	}
	// Allow RSA keys shorter than Go's minimum: some payment keys are. This process runs only user functions.
	if err := os.Setenv("GODEBUG", "rsa1024min=0"); err != nil {
		return err
	}

	c := &child{
		engine: e,
		in:     bufio.NewReaderSize(os.NewFile(childInput, "in"), 64<<10),
		out:    &frameWriter{w: os.NewFile(childOutput, "out")},
	}
	if err := c.send(frameReady, hello{Absent: absent}); err != nil {
		return err
	}

	return c.serve()
}

// child is the child's end of the protocol. One goroutine reads the input pipe, because replies arrive while a run
// waits.
type child struct {
	engine  *engine.Engine
	in      *bufio.Reader
	out     *frameWriter
	replies chan engine.Reply
	logged  int
}

type frame struct {
	kind frameKind
	body []byte
}

func (c *child) serve() error {
	c.replies = make(chan engine.Reply, 64)
	work := make(chan frame)
	failed := make(chan error, 1)
	go func() {
		err := c.read(work)
		if errors.Is(err, io.EOF) {
			// The supervisor is gone and could no longer stop the run.
			os.Exit(0)
		}
		failed <- err
	}()
	for {
		select {
		case err := <-failed:
			return err
		case f := <-work:
			if err := c.do(f); err != nil {
				return err
			}
			c.engine.Reset()
		}
	}
}

func (c *child) read(work chan<- frame) error {
	for {
		kind, body, err := readFrame(c.in)
		if err != nil {
			return err
		}
		// Replies do not queue behind the run that waits for them.
		if kind != frameReply {
			work <- frame{kind, body}
			continue
		}
		var r reply
		if err := json.Unmarshal(body, &r); err != nil {
			return err
		}
		c.replies <- engine.Reply{ID: r.ID, OK: r.OK, Text: r.Text}
	}
}

func (c *child) do(f frame) error {
	header, rest, err := split(f.body)
	if err != nil {
		return err
	}

	var h runHeader
	if err := json.Unmarshal(header, &h); err != nil {
		return err
	}
	if h.CodeSize < 0 || h.CodeSize > len(rest) {
		return errFrame
	}

	code, event := rest[:h.CodeSize], rest[h.CodeSize:]
	source := func() ([]byte, error) { return inflate(code) }
	if f.kind == frameCheck {
		return c.check(h.Function, source)
	}

	// Drop replies to calls of the last run: they would settle a call of this run.
	c.logged = 0
	c.dropReplies()
	report := c.engine.Run(engine.Job{
		Function: h.Function, Digest: h.Digest, Source: source, Event: event, Variables: h.Variables,
		Timeout: time.Duration(h.TimeoutMS) * time.Millisecond, Memory: int64(h.MemoryMB) << 20,
	}, c)

	return c.send(frameEnd, end{
		ElapsedMS: float64(report.Elapsed.Microseconds()) / 1000, Peak: report.Peak, Spoiled: report.Spoiled,
	})
}

// dropReplies drops replies to calls of the previous run.
func (c *child) dropReplies() {
	for {
		select {
		case <-c.replies:
		default:
			return
		}
	}
}

func (c *child) check(function string, source func() ([]byte, error)) error {
	text, err := source()
	if err != nil {
		return c.send(frameFound, []sandbox.Diagnostic{{Line: 1, Column: 1, Message: err.Error()}})
	}
	found := c.engine.Check(function, text)
	if found == nil {
		found = []sandbox.Diagnostic{}
	}
	return c.send(frameFound, found)
}

func (c *child) send(kind frameKind, message any) error {
	body, err := value.Encode(message)
	if err != nil {
		return err
	}
	return c.out.write(kind, body)
}

// Log implements engine.Host. It writes immediately, so that the line survives a kill.
func (c *child) Log(level, text string) {
	if c.logged > logBudget {
		return
	}
	if room := logBudget - c.logged; len(text) > room+1 {
		text = text[:room+1] // exceed the budget, so that the supervisor writes the truncation notice
	}
	c.logged += len(text) + lineCost
	c.out.write(frameLog, encodeLine(time.Now(), level, text)...)
}

// Settled implements engine.Host.
func (c *child) Settled(s engine.Settlement) { c.send(frameSettled, s) }

// Call implements engine.Host.
func (c *child) Call(id int32, op, payload string) {
	if err := c.send(frameCall, call{ID: id, Op: op, Payload: json.RawMessage(payload)}); err != nil {
		go func() { c.replies <- engine.Reply{ID: id, Text: "the call is too large or not JSON"} }()
	}
}

// Replies implements engine.Host.
func (c *child) Replies() <-chan engine.Reply { return c.replies }

// inflate decompresses the gzip-compressed source.
func inflate(code []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(code))
	if err != nil {
		return nil, fmt.Errorf("the code is not gzip: %w", err)
	}
	source, err := io.ReadAll(io.LimitReader(z, maxSource+1))
	if err != nil {
		return nil, fmt.Errorf("the code is damaged: %w", err)
	}
	if len(source) > maxSource {
		return nil, fmt.Errorf("the code is over %d bytes", maxSource)
	}
	return source, nil
}
