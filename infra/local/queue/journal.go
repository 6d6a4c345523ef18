package queue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"
)

// What an entry says.
const (
	opSend    = "send"
	opReceive = "receive"
	opDelete  = "delete"
	opPurge   = "purge"
)

// entry is one line of the journal.
type entry struct {
	Op       string    `json:"op"`
	Queue    string    `json:"queue"`
	Message  *Message  `json:"message,omitempty"`  // send
	ID       string    `json:"id,omitempty"`       // receive, delete
	Receives int       `json:"receives,omitempty"` // receive
	At       time.Time `json:"at,omitzero"`        // receive: the first
}

// compactAbove is the size from which a journal of mostly dead lines is
// rewritten, bytes.
const compactAbove = 16 << 20

// journal is an append-only file.
type journal struct {
	path  string
	file  *os.File
	size  int64
	lines int
}

// openJournal hands every entry of the file to apply.
func openJournal(path string, apply func(entry)) (*journal, error) {
	j := &journal{path: path}
	kept, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	for lines := bufio.NewReaderSize(kept, 1<<16); ; {
		line, err := lines.ReadBytes('\n')
		var e entry
		// A last line without its end is what a crash cut: it was not answered.
		if err == nil && json.Unmarshal(line, &e) == nil && (e.Op != opSend || e.Message != nil) {
			apply(e)
		}
		if errors.Is(err, io.EOF) {
			return j, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (j *journal) write(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	n, err := j.file.Write(append(line, '\n'))
	j.size += int64(n)
	j.lines++
	return err
}

// wasteful says whether the journal should be rewritten, given how many
// messages are alive.
func (j *journal) wasteful(alive int) bool { return j.size > compactAbove && j.lines > 4*alive }

// compact replaces the journal by the entries given.
func (j *journal) compact(entries []entry) error {
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
	if _, err := next.Write(text.Bytes()); err != nil {
		next.Close()
		return err
	}
	if err := errors.Join(next.Sync(), os.Rename(j.path+".next", j.path)); err != nil {
		next.Close()
		return err
	}
	j.close()
	j.file, j.size, j.lines = next, int64(text.Len()), len(entries)
	return nil
}

func (j *journal) close() {
	if j.file != nil {
		j.file.Close()
	}
}
