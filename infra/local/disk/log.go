package disk

import (
	"os"
	"strconv"
	"sync"
)

// Of a log there are this many bytes, and this many files before it:
// name.log, name.log.1, name.log.2.
const (
	maxLog      = 8 << 20
	generations = 2
)

// Log is a file for the output of programs. A write that would make it too long
// begins a new file.
type Log struct {
	path string
	most int64 // bytes

	mu   sync.Mutex
	file *os.File // nil after Close
	size int64
}

// OpenLog opens the log at path, or makes it.
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

// Name is the path of the newest file.
func (l *Log) Name() string { return l.path }

// Write adds to the log: whole lines, so that none is in two files.
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

// rotate moves the files one generation on. Where that fails the log goes on in
// the file it has, and tries again when as much more was written.
func (l *Log) rotate() {
	before := l.file
	for n := generations; n > 1; n-- {
		_ = os.Rename(l.path+"."+strconv.Itoa(n-1), l.path+"."+strconv.Itoa(n)) // may not be there yet
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
