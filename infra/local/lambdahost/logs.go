package lambdahost

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"minicloud/infra/local/disk"
	"minicloud/infra/local/stats"
)

// maxLine is the maximum length of a log line, in bytes; longer lines are split.
const maxLine = 256 * 1024

// logFile collects the output lines of all instances of one function.
type logFile struct {
	name     string
	mu       sync.Mutex
	file     *disk.Log // nil discards the lines
	terminal io.Writer
	stats    *stats.Counters
	line     func(group string, line []byte) // nil for nobody
	group    string
}

func openLog(cfg Config, f Function) (*logFile, error) {
	l := &logFile{name: f.Name, terminal: cfg.Terminal, stats: cfg.Stats, line: cfg.Line, group: f.LogGroup}
	dir, name := cfg.LogDir, f.Name
	if dir == "" {
		return l, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var err error
	l.file, err = disk.OpenLog(filepath.Join(dir, name+".log"))
	return l, err
}

func (l *logFile) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}

// lineWriter is a writer for the output of one process: it writes whole lines to the file, and error lines to the
// terminal too.
type lineWriter struct {
	log      *logFile
	rest     []byte
	panicked bool // all following lines are the stack
}

// Write collects output into lines. It never fails, so that a program does not notice a log that cannot be written.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, found := bytes.Cut(w.rest, []byte("\n"))
		if !found {
			if len(w.rest) > maxLine {
				w.line(w.rest)
				w.rest = nil
			}
			return len(p), nil
		}
		w.line(line)
		w.rest = rest
	}
}

func (w *lineWriter) line(line []byte) {
	w.panicked = w.panicked || bytes.HasPrefix(line, []byte("panic: ")) || bytes.HasPrefix(line, []byte("fatal error: "))
	w.log.stats.AddN("logged", w.log.name, int64(len(line))+1)
	isError := w.panicked || bytes.Contains(line, []byte(`"level":"ERROR"`))
	if w.log.line != nil {
		w.log.line(w.log.group, line)
	}
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	if w.log.file != nil {
		_, _ = w.log.file.Write(append(bytes.Clone(line), '\n'))
	}
	if isError && w.log.terminal != nil {
		fmt.Fprintf(w.log.terminal, "[%s] %s\n", w.log.name, line)
	}
}
