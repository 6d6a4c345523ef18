package process

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/runtime/engine"
	"minicloud/shared/sandbox"
)

// Sizes of a log (D23).
const (
	MaxLog    = 1 << 20  // maximum log size, bytes
	maxLine   = 64 << 10 // maximum size of the event.data and return lines, bytes
	inlineLog = 64 << 10 // a longer log is sent compressed
)

// lineTime is the time format of log lines.
const lineTime = "2006-01-02T15:04:05.000Z"

// transcript collects the log of one run, masks secrets, and truncates it at MaxLog.
type transcript struct {
	text    strings.Builder
	mask    *strings.Replacer // nil if there are no secrets
	longest int               // bytes of the longest text that mask replaces
	limit   int               // end of the console lines in bytes; the space behind it is reserved for the last lines
	heard   int               // bytes received, counted as the child counts for logBudget
	cut     bool
}

// lastLines is the space in bytes that is reserved for the truncation notice and the return line or stack.
const lastLines = 16 << 10

func newTranscript(req sandbox.Request) *transcript {
	t := &transcript{limit: MaxLog - lastLines}
	t.mask, t.longest = newMask(req)
	return t
}

// add appends one line unless the log is full.
func (t *transcript) add(at time.Time, level, text string) {
	if t.cut {
		return
	}

	line := t.line(at, level, text)
	room := t.limit - t.text.Len()
	if t.heard += len(text) + lineCost; t.heard > logBudget {
		room = min(room, len(line)-t.longest) // the child may have cut this line inside a secret
	}

	if len(line) > room {
		t.cut = true
		t.text.WriteString(clip.Bytes(line, max(room-1, 0)))
		fmt.Fprintf(
			&t.text, "\n%s WARN the log is cut here: it is longer than %d bytes\n", at.UTC().Format(lineTime), MaxLog,
		)
		return
	}

	t.text.WriteString(line)
}

// last appends the final line; even a full log has room for it.
func (t *transcript) last(at time.Time, level, text string) {
	room := MaxLog - t.text.Len() - 64
	t.text.WriteString(clip.Bytes(strings.TrimSuffix(t.line(at, level, text), "\n"), room) + "\n")
}

func (t *transcript) line(at time.Time, level, text string) string {
	return at.UTC().Format(lineTime) + " " + level + " " + strings.ToValidUTF8(t.masked(text), "\uFFFD") + "\n"
}

// begin writes the event.data line, which starts every log.
func (t *transcript) begin(at time.Time, event json.RawMessage) {
	var e struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(event, &e) != nil || e.Data == nil {
		e.Data = json.RawMessage("undefined")
	}
	t.add(at, "LOG", "event.data: "+t.compacted(e.Data))
}

// finish writes the last line: the return value or the stack of the error.
func (t *transcript) finish(at time.Time, s engine.Settlement) {
	if s.Error != nil {
		t.last(at, "ERROR", clip.Bytes(t.masked(engine.Trace(s.Error)), maxLine))
		return
	}
	t.last(at, "LOG", "return: "+t.compacted(s.Data))
}

// compacted returns JSON without white space for a log line. It masks secrets before it truncates, because a
// truncated secret would not match.
func (t *transcript) compacted(data json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return clip.Bytes(t.masked(string(data)), maxLine)
	}
	return clip.Bytes(t.masked(b.String()), maxLine)
}

// put stores the log in the result, compressed if it is longer than inlineLog.
func (t *transcript) put(result *sandbox.Result) error {
	if t.text.Len() <= inlineLog {
		result.Log = t.text.String()
		return nil
	}

	var b bytes.Buffer
	// The run has ended and its caller waits, so speed matters more than size.
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := z.Write([]byte(t.text.String())); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}

	result.LogGzip = b.Bytes()

	return nil
}
