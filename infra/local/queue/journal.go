package queue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
)

// Operations of journal entries.
const (
	OpSend    = "send"
	OpReceive = "receive"
	OpDelete  = "delete"
)

// Entry is a change of a queue: one line of the journal.
type Entry struct {
	Op       string    `json:"op"`
	Queue    string    `json:"queue"`
	Message  *Message  `json:"message,omitempty"`  // for send
	ID       string    `json:"id,omitempty"`       // for receive and delete
	Receives int       `json:"receives,omitempty"` // for receive
	At       time.Time `json:"at,omitzero"`        // for receive: the time of the first receive
}

// parse decodes a line of the journal. Its error never contains the line, because messages are private.
func parse(line []byte) (e Entry, err error) {
	whole, ended := bytes.CutSuffix(line, []byte("\n"))
	if !ended {
		return e, errors.New("the line has no end, so nobody was told that it was kept")
	}
	if err := json.Unmarshal(whole, &e); err != nil {
		return e, err
	}

	// Valid JSON is not enough: an entry without its message or ID cannot be applied.
	known := false
	switch e.Op {
	case OpSend:
		known = e.Message != nil && e.Message.ID != ""
	case OpReceive, OpDelete:
		known = e.ID != ""
	}

	if !known || e.Queue == "" {
		return e, errors.New("it is no entry of a journal")
	}

	return e, nil
}

// compactAbove is the size in bytes above which a journal of mostly dead entries is rewritten.
const compactAbove = 16 << 20

// file is the part of *os.File that a journal uses, so that tests can make writes fail.
type file interface {
	io.WriteCloser
	Truncate(size int64) error
	Sync() error
}

// journal is an append-only file.
type journal struct {
	path  string
	file  file
	size  int64 // bytes of complete lines
	lines int
	torn  bool // a partial line may follow after size bytes
}

// openJournal calls apply with every entry of the file. It logs unreadable lines and copies them to path.skipped,
// because the journal is rewritten afterwards.
func openJournal(path string, apply func(Entry), log *slog.Logger) (*journal, error) {
	j := &journal{path: path}
	kept, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	defer kept.Close()

	aside := skipped{path: path + ".skipped", log: log}
	defer aside.close()
	// A Scanner would fail at a line longer than its buffer; messages may have 1 MiB.
	lines := bufio.NewReaderSize(kept, 1<<16)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(line) == 0 {
			return j, nil
		}
		e, why := parse(line)
		if why == nil {
			apply(e)
			continue
		}
		if err := aside.keep(path, n, line, why); err != nil {
			return nil, err
		}
	}
}

// skipped is the file of unreadable lines.
type skipped struct {
	path string
	file *os.File // nil before the first line
	log  *slog.Logger
}

func (s *skipped) keep(from string, number int, line []byte, why error) (err error) {
	if s.file == nil {
		s.file, err = os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("line %d of %s cannot be read (%w), and not be kept aside: %w", number, from, why, err)
		}
	}
	s.log.Error("a line of the queue journal cannot be read and is skipped: a message, or that one is done, may be lost",
		"file", from, "line", number, "bytes", len(line), "reason", why.Error(), "kept_in", s.path)
	_, err = s.file.Write(append(bytes.TrimSuffix(line, []byte("\n")), '\n'))
	return err
}

func (s *skipped) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// write appends an entry atomically: a line cut off by a full disk would corrupt the next line.
func (j *journal) write(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := j.mend(); err != nil {
		return j.failure(err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		j.torn = true
		_ = j.mend() // on an error, the next write tries again
		return j.failure(err)
	}
	j.size += int64(len(line) + 1)
	j.lines++
	return nil
}

// failure wraps an error with the journal's path, because the file was opened under another name.
func (j *journal) failure(err error) error {
	if of, ok := errors.AsType[*os.PathError](err); ok {
		err = of.Err
	}
	return fmt.Errorf("the queue journal %s cannot be written: %w", j.path, err)
}

// mend truncates the partial line of a failed write.
func (j *journal) mend() error {
	if !j.torn {
		return nil
	}
	err := j.file.Truncate(j.size)
	j.torn = err != nil
	return err
}

// wasteful reports whether the journal should be rewritten; alive is the number of messages in the queues.
func (j *journal) wasteful(alive int) bool { return j.size > compactAbove && j.lines > 4*alive }

// compact replaces the journal with the given entries.
func (j *journal) compact(entries []Entry) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	for _, e := range entries {
		if err := encoder.Encode(e); err != nil {
			return err
		}
	}
	next, err := os.OpenFile(j.path+".next", os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = next.Write(text.Bytes())
	err = errors.Join(err, next.Sync())
	if err == nil {
		err = os.Rename(j.path+".next", j.path)
	}
	if err != nil {
		next.Close()
		_ = os.Remove(j.path + ".next") // a partial file would fill a full disk further
		return err
	}

	j.close()
	j.file, j.size, j.lines, j.torn = next, int64(text.Len()), len(entries), false
	return nil
}

func (j *journal) close() {
	if j.file != nil {
		j.file.Close()
	}
}
