// Package compress packs texts with gzip. Its writers and readers are used again:
// a new writer takes 0.8 MB, which a program of many small texts would do nothing
// but collect.
package compress

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

var (
	writers = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}
	readers sync.Pool // of *gzip.Reader; a new one needs a text to begin with
)

// Gzip returns text compressed.
func Gzip(text []byte) []byte {
	w := writers.Get().(*gzip.Writer)
	defer writers.Put(w)

	var packed bytes.Buffer
	w.Reset(&packed)
	// A buffer takes everything, so neither fails.
	_, _ = w.Write(text)
	_ = w.Close()
	return packed.Bytes()
}

// Gunzip returns what Gzip compressed.
func Gunzip(packed []byte) ([]byte, error) {
	r, err := reader(packed)
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	defer readers.Put(r)

	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return text, nil
}

func reader(packed []byte) (*gzip.Reader, error) {
	r, used := readers.Get().(*gzip.Reader)
	if !used {
		return gzip.NewReader(bytes.NewReader(packed))
	}
	if err := r.Reset(bytes.NewReader(packed)); err != nil {
		readers.Put(r)
		return nil, err
	}
	return r, nil
}

// IsGzip reports whether b begins as a compressed text does. No UTF-8 text does.
func IsGzip(b []byte) bool { return len(b) > 1 && b[0] == 0x1f && b[1] == 0x8b }

// ReadJSON reads JSON that Gzip has compressed.
func ReadJSON(packed []byte, into any) error {
	plain, err := Gunzip(packed)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, into)
}
