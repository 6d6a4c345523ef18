package process

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"minicloud/shared/sandbox"
	"minicloud/shared/sandbox/engine"
)

// Sizes of a log (D23).
const (
	MaxLog    = 1 << 20  // the whole text, bytes
	maxLine   = 64 << 10 // the event.data and return lines
	inlineLog = 64 << 10 // a longer log travels compressed
)

// lineTime is how a log line says when.
const lineTime = "2006-01-02T15:04:05.000Z"

// transcript collects the log of one run, masks secrets, and cuts at MaxLog.
type transcript struct {
	text  strings.Builder
	mask  *strings.Replacer
	limit int // where console lines end; the last lines always fit behind it
	cut   bool
}

// lastLines is kept free for the cut notice and the return line or stack.
const lastLines = 16 << 10

func newTranscript(req sandbox.Request) *transcript {
	var pairs []string
	names := slices.Clone(req.Secrets)
	// Longer values first: one secret may contain another.
	slices.SortFunc(names, func(a, b string) int { return len(req.Variables[b]) - len(req.Variables[a]) })
	for _, name := range names {
		for _, form := range forms(req.Variables[name]) {
			pairs = append(pairs, form, "******")
		}
	}
	t := &transcript{limit: MaxLog - lastLines}
	if pairs != nil {
		t.mask = strings.NewReplacer(pairs...)
	}
	return t
}

// forms returns how a secret may stand in a log: as it is, inside JSON strings,
// URL-encoded, and in base64. Parts of it are not recognised; one shorter than
// minMasked has no forms.
func forms(v string) []string {
	if len(v) < minMasked {
		return nil
	}
	plain := []string{v, uriComponent.Replace(url.QueryEscape(v))}
	if len(v) >= minEncoded {
		plain = append(plain, base64.RawStdEncoding.EncodeToString([]byte(v)))
	}
	if quoted, err := sandbox.Encode(v); err == nil {
		plain = append(plain, string(quoted[1:len(quoted)-1]))
	}
	slices.Sort(plain)
	return slices.Compact(plain)
}

// How many bytes a secret must have to be looked for, and its base64: a shorter
// one could be anything, and a log whose every "1" is masked cannot be read.
const (
	minMasked  = 4
	minEncoded = 6
)

// uriComponent makes url.QueryEscape encodeURIComponent of JavaScript.
var uriComponent = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// masked returns text without the secrets.
func (t *transcript) masked(text string) string {
	if t.mask == nil {
		return text
	}
	return t.mask.Replace(text)
}

// add appends one line unless the log is full.
func (t *transcript) add(at time.Time, level, text string) {
	if t.cut {
		return
	}
	line := t.line(at, level, text)
	if room := t.limit - t.text.Len(); len(line) > room {
		t.cut = true
		t.text.WriteString(shorten(line, max(room-1, 0)))
		fmt.Fprintf(&t.text, "\n%s WARN the log is cut here: it is longer than %d bytes\n", at.UTC().Format(lineTime), MaxLog)
		return
	}
	t.text.WriteString(line)
}

// last appends a line that every log ends with, even a full one.
func (t *transcript) last(at time.Time, level, text string) {
	room := MaxLog - t.text.Len() - 64
	t.text.WriteString(shorten(strings.TrimSuffix(t.line(at, level, text), "\n"), room) + "\n")
}

func (t *transcript) line(at time.Time, level, text string) string {
	return at.UTC().Format(lineTime) + " " + level + " " + strings.ToValidUTF8(t.masked(text), "\uFFFD") + "\n"
}

// begin writes the automatic first line.
func (t *transcript) begin(at time.Time, event json.RawMessage) {
	var e struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(event, &e) != nil || e.Data == nil {
		e.Data = json.RawMessage("undefined")
	}
	t.add(at, "LOG", "event.data: "+t.compacted(e.Data))
}

// finish writes how the run ended: what it returned, or the stack of its error.
func (t *transcript) finish(at time.Time, s engine.Settlement) {
	if s.Error != nil {
		t.last(at, "ERROR", shorten(t.masked(engine.Trace(s.Error)), maxLine))
		return
	}
	t.last(at, "LOG", "return: "+t.compacted(s.Data))
}

// compacted is JSON as a line shows it. Secrets are masked before it is cut: half
// of one would not be recognised.
func (t *transcript) compacted(data json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return shorten(t.masked(string(data)), maxLine)
	}
	return shorten(t.masked(b.String()), maxLine)
}

// shorten cuts text to size bytes, at a character, and says so.
func shorten(text string, size int) string {
	if len(text) <= size {
		return text
	}
	const mark = "…"
	return strings.ToValidUTF8(text[:max(size-len(mark), 0)], "") + mark
}

// put writes the log into the result, compressed when it is long.
func (t *transcript) put(result *sandbox.Result) error {
	if t.text.Len() <= inlineLog {
		result.Log = t.text.String()
		return nil
	}
	var b bytes.Buffer
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
