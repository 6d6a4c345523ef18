package compress_test

import (
	"bytes"
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
	got := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			compress.Gzip(text)
		}
	})
	if got.AllocedBytesPerOp() > 100<<10 {
		t.Errorf("%d bytes are allocated for a text of %d", got.AllocedBytesPerOp(), len(text))
	}
}
