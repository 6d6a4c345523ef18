package compress_test

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
	"testing"

	"minicloud/shared/compress"
)

// TestConcurrentTextsStayApart: what a writer or reader had before does not come back.
func TestConcurrentTextsStayApart(t *testing.T) {
	var wg sync.WaitGroup
	for n := range 32 {
		wg.Go(func() {
			text := []byte(strings.Repeat(string(rune('a'+n%26)), 1+n*1000))
			packed := compress.Gzip(text)
			got, err := compress.Gunzip(packed)
			if err != nil || !bytes.Equal(got, text) || !compress.IsGzip(packed) || compress.IsGzip(text) {
				t.Errorf("%d bytes come back as %d, %v", len(text), len(got), err)
			}
			for _, damaged := range [][]byte{nil, text, packed[:len(packed)-3], packed[:4]} {
				if _, err := compress.Gunzip(damaged); err == nil {
					t.Errorf("%d damaged bytes are read", len(damaged))
				}
			}
		})
	}
	wg.Wait()
}

// TestReusesWriters: a new one takes 0.8 MB.
func TestReusesWriters(t *testing.T) {
	if testing.Short() {
		t.Skip("under the race detector, which runs short tests, a pool forgets what it is given")
	}
	text := []byte(strings.Repeat("a line of a log\n", 50))
	const times = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		compress.Gzip(text)
	}
	runtime.ReadMemStats(&after)

	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 100<<10 {
		t.Errorf("%d bytes are allocated for a text of %d", each, len(text))
	}
}
