package disk

import (
	"os"
	"strconv"
	"sync"
)

// maxLog is the maximum size of a log file in bytes; generations is the number of older files kept: name.log.1,
// name.log.2.
const (
	maxLog      = 8 << 20
	generations = 2
)

// Log is a rotating log file for the output of programs. A write that would exceed the maximum size starts a new file.
type Log struct {
	path string
	most int64 // maximum size of a file, bytes

	mu   sync.Mutex
	file *os.File // nil after Close
	size int64
}

// OpenLog opens the log at path and creates it if missing.
func OpenLog(path string) (*Log, error) {
	l := &Log{path: path, most: maxLog}
	return l, l.open()
}

func (l *Log) open() error {
	file, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	about, err := file.Stat()
	if err != nil {
		file.Close()
		return err
	}
	l.file, l.size = file, about.Size()
	return nil
}

// Name returns the path of the newest file.
func (l *Log) Name() string { return l.path }

// Write appends p to the log. Rotation never splits p between two files, so callers write whole lines.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return 0, os.ErrClosed
	}
	if l.size > 0 && l.size+int64(len(p)) > l.most {
		l.rotate()
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// rotate renames each file to the next generation and opens a new one. If that fails, the log continues in the current
// file and retries after another maxLog bytes.
func (l *Log) rotate() {
	before := l.file
	for n := generations; n > 1; n-- {
		_ = os.Rename(l.path+"."+strconv.Itoa(n-1), l.path+"."+strconv.Itoa(n)) // the file may not exist yet
	}
	err := os.Rename(l.path, l.path+".1")
	if err == nil {
		err = l.open()
	}
	if err != nil {
		l.size = 0
		return
	}
	before.Close()
}

// Close closes the log.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
