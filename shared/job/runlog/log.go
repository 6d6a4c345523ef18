// Package runlog stores the logs of runs, and signs the URLs that open them (D23).
package runlog

import (
	"fmt"

	"minicloud/shared/compress"
	"minicloud/shared/sandbox"
)

// Log is the stored log text of a run (D23: one line per console call, 1 MB). Logs up to shortLog are stored as plain
// text, longer ones compressed.
type Log struct {
	Stored []byte
	Bytes  int // of the text; > 0 with a nil Stored if the text was not read
}

// shortLog is the maximum size of a log that is stored uncompressed, in bytes. Most logs
// are this short, and compressing them would save no write unit.
const shortLog = 512

// Pack returns the log of a text; the empty text gives the zero Log.
func Pack(text string) Log {
	l := Log{Stored: []byte(text), Bytes: len(text)}
	switch {
	case text == "":
		return Log{}
	case len(text) > shortLog || compress.IsGzip(l.Stored):
		l.Stored = compress.Gzip(l.Stored)
	}
	return l
}

// Text returns the log text.
func (l Log) Text() (string, error) {
	if !compress.IsGzip(l.Stored) {
		return string(l.Stored), nil
	}
	text, err := compress.Gunzip(l.Stored)
	if err != nil {
		return "", fmt.Errorf("log: %w", err)
	}
	return string(text), nil
}

// Of returns the log of a run, and its text.
func Of(result sandbox.Result) (Log, string, error) {
	if len(result.LogGzip) == 0 {
		return Pack(result.Log), result.Log, nil
	}
	text, err := compress.Gunzip(result.LogGzip)
	if err != nil {
		return Log{}, "", fmt.Errorf("log: %w", err)
	}
	return Pack(string(text)), string(text), nil
}
