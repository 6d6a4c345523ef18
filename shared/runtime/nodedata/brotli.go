package nodedata

import (
	"bytes"
	"io"
	"strings"
	"sync/atomic"

	"github.com/andybalholm/brotli"

	"minicloud/shared/runtime/hostcall"
)

// Node's defaults, and the largest window without the large-window extension.
const (
	defaultQuality = brotli.BestCompression
	defaultWindow  = 22
	maxWindow      = 24
)

// brotliCompress is brotliCompress(bytes, quality, window bits, limit).
func brotliCompress(c *hostcall.Call) (any, error) {
	data, err := input(c, 0)
	if err != nil {
		return nil, err
	}
	quality := min(max(number(c, 1, defaultQuality), 0), brotli.BestCompression)
	window := min(max(number(c, 2, defaultWindow), 10), maxWindow)

	// The best quality takes a second per piece, so compress a copy in a goroutine of its own.
	release, err := c.Reserve(3*len(data) + encoderBytes(len(data), quality, window))
	if err != nil {
		return nil, err
	}
	defer release()
	in := bytes.Clone(data)
	var over atomic.Bool
	packed, err := c.Aside(func() (any, error) { return compressBrotli(in, quality, window, &over) })
	if err != nil {
		over.Store(true)
		return nil, err
	}

	out := newOutput(c, 3)
	defer out.close()
	if _, err := out.Write(packed.([]byte)); err != nil {
		return nil, err
	}

	return out.result()
}

// compressBrotli stops between two pieces once over is set.
func compressBrotli(data []byte, quality, window int, over *atomic.Bool) ([]byte, error) {
	var out bytes.Buffer
	// Write in pieces, because the encoder itself cannot be stopped.
	w := brotli.NewWriterOptions(&out, brotli.WriterOptions{Quality: quality, LGWin: window})
	for len(data) > 0 {
		if over.Load() {
			return nil, hostcall.ErrStopped
		}
		n := min(len(data), chunk)
		if _, err := w.Write(data[:n]); err != nil {
			return nil, err
		}
		data = data[n:]
	}

	err := w.Close()
	return out.Bytes(), err
}

// encoderBytes estimates the memory of the encoder: its tables and the window.
func encoderBytes(size, quality, window int) int {
	const tables = 1 << 20
	seen := min(size, 1<<window)
	switch {
	case quality >= 10: // two numbers per position, and one path through a piece
		return tables + 10*seen + 16*min(size, chunk)
	case quality >= 5: // a row of positions per hash, of 2^15 hashes
		return tables + 2*seen + 4<<(15+quality-1)
	}
	return tables + 2*seen
}

// brotliDecompress is brotliDecompress(bytes, limit, partial).
func brotliDecompress(c *hostcall.Call) (any, error) {
	data, err := input(c, 0)
	if err != nil {
		return nil, err
	}

	// The window is allocated in addition to the result.
	const tables = 1 << 20
	release, err := c.Reserve(tables + 1<<windowBits(data))
	if err != nil {
		return nil, err
	}
	defer release()
	out := newOutput(c, 1)
	defer out.close()

	_, err = io.Copy(out, struct{ io.Reader }{brotli.NewReader(bytes.NewReader(data))})
	if err == nil || err.Error() == "brotli: excessive input" { // like Node, ignore data after the end
		return out.result()
	}
	if err == io.ErrUnexpectedEOF {
		if c.Flag(2) {
			return out.result()
		}
		return nil, refuse("Error", "Z_BUF_ERROR", "unexpected end of file")
	}
	if wrong, found := strings.CutPrefix(err.Error(), "brotli: "); found {
		return nil, refuse("Error", "ERR__ERROR_FORMAT_"+wrong, "Decompression failed")
	}

	return nil, err
}

// windowBits returns the number of window bits, which the first seven bits encode.
func windowBits(data []byte) int {
	if len(data) == 0 || data[0]&1 == 0 {
		return 16
	}
	if n := data[0] >> 1 & 7; n != 0 {
		return 17 + int(n)
	}
	if n := data[0] >> 4 & 7; n > 1 {
		return 8 + int(n)
	}
	return 17
}
