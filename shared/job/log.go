package job

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"minicloud/shared/sandbox"
)

// Log is the log text of a run, compressed (D23).
type Log struct {
	Gzip  []byte
	Bytes int // of the text; > 0 with a nil Gzip when the text was not read
}

// PackLog compresses text; the empty text is the zero Log.
func PackLog(text string) (Log, error) {
	if text == "" {
		return Log{}, nil
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil {
		return Log{}, fmt.Errorf("compress log: %w", err)
	}
	if err := w.Close(); err != nil {
		return Log{}, fmt.Errorf("compress log: %w", err)
	}
	return Log{Gzip: packed.Bytes(), Bytes: len(text)}, nil
}

// Text returns the log text.
func (l Log) Text() (string, error) {
	if len(l.Gzip) == 0 {
		return "", nil
	}
	r, err := gzip.NewReader(bytes.NewReader(l.Gzip))
	if err != nil {
		return "", fmt.Errorf("decompress log: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("decompress log: %w", err)
	}
	return string(text), nil
}

// logOf returns the log of a run and its text.
func logOf(result sandbox.Result) (Log, string, error) {
	text := result.Log
	if len(result.LogGzip) > 0 {
		var err error
		if text, err = (Log{Gzip: result.LogGzip}).Text(); err != nil {
			return Log{}, "", err
		}
	}
	packed, err := PackLog(text)
	return packed, text, err
}
