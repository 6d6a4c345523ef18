package nodedata

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"

	"minicloud/shared/runtime/hostcall"
)

// chunk is the number of bytes processed between two checks of the time limit.
const chunk = 256 << 10

// output collects a result in pieces that count as memory of the run.
type output struct {
	call    *hostcall.Call
	limit   int
	size    int
	pieces  [][]byte
	release []func()
}

// Write implements io.Writer.
func (o *output) Write(data []byte) (int, error) {
	written := len(data)
	if o.size+written > o.limit {
		return 0, tooLarge(o.limit)
	}
	for len(data) > 0 {
		// Growing adds a piece and copies nothing; only result copies the data, once.
		last := len(o.pieces) - 1
		if last < 0 || len(o.pieces[last]) == cap(o.pieces[last]) {
			if err := o.grow(); err != nil {
				return 0, err
			}
			last++
		}
		n := min(len(data), cap(o.pieces[last])-len(o.pieces[last]))
		o.pieces[last] = append(o.pieces[last], data[:n]...)
		data = data[n:]
	}
	o.size += written

	return written, nil
}

// grow adds a piece; the first ones are small, because most results are.
func (o *output) grow() error {
	if o.call.Stopped() {
		return hostcall.ErrStopped
	}
	size := chunk
	if n := len(o.pieces); n < 3 {
		size = 4 << 10 << (2 * n)
	}
	// The pieces are in Go's heap, so count them explicitly as memory of the run.
	release, err := o.call.Reserve(size)
	if err != nil {
		return err
	}
	o.release = append(o.release, release)
	o.pieces = append(o.pieces, make([]byte, 0, size))

	return nil
}

// result copies the pieces into the memory of the run.
func (o *output) result() (any, error) {
	data, err := o.call.Bytes(o.size)
	if err != nil {
		return nil, err
	}
	at := data[:0]
	for _, piece := range o.pieces {
		at = append(at, piece...)
	}
	return data, nil
}

func (o *output) close() {
	for _, release := range o.release {
		release()
	}
}

func tooLarge(limit int) error {
	return refuse("RangeError", "ERR_BUFFER_TOO_LARGE", fmt.Sprintf("Cannot create a Buffer larger than %d bytes", limit))
}

// newOutput returns an output limited to MaxBytes and to argument i.
func newOutput(c *hostcall.Call, i int) *output {
	return &output{call: c, limit: min(max(number(c, i, MaxBytes), 0), MaxBytes)}
}

// level converts a compression level of zlib to that of package flate.
func level(n int, huffman bool) int {
	if huffman {
		return flate.HuffmanOnly
	}
	return min(max(n, flate.DefaultCompression), flate.BestCompression)
}

// compress is deflate, deflateRaw or gzip with the arguments (bytes, level, limit, dictionary, huffman).
func compress(open func(out io.Writer, level int, dictionary []byte) (io.WriteCloser, error)) hostcall.Operation {
	return func(c *hostcall.Call) (any, error) {
		data, err := input(c, 0)
		if err != nil {
			return nil, err
		}
		out := newOutput(c, 2)
		defer out.close()

		w, err := open(out, level(number(c, 1, -1), c.Flag(4)), optional(c, 3))
		if err != nil {
			return nil, err
		}
		// The writer keeps its first error. Write in chunks, because out checks the time only when it grows.
		if err := c.InChunks(data, func(part []byte) { _, _ = w.Write(part) }); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		return out.result()
	}
}

func gzipWriter(out io.Writer, level int, _ []byte) (io.WriteCloser, error) {
	w, err := gzip.NewWriterLevel(out, level)
	if err == nil {
		w.OS = 3 // Unix, as in Node
	}
	return w, err
}

func deflateWriter(out io.Writer, level int, dictionary []byte) (io.WriteCloser, error) {
	return zlib.NewWriterLevelDict(out, level, dictionary)
}

func flateWriter(out io.Writer, level int, dictionary []byte) (io.WriteCloser, error) {
	return flate.NewWriterDict(out, level, dictionary)
}

// decompress is inflate, inflateRaw or gunzip with the arguments (bytes, limit, dictionary, partial). With partial
// it returns what it could decode of a truncated input.
func decompress(read func(data []byte, out io.Writer, dictionary []byte) error) hostcall.Operation {
	return func(c *hostcall.Call) (any, error) {
		data, err := input(c, 0)
		if err != nil {
			return nil, err
		}
		out := newOutput(c, 1)
		defer out.close()

		dictionary := optional(c, 2)
		err = read(data, out, dictionary)
		early := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
		if err != nil && !(early && c.Flag(3)) {
			return nil, asNode(err, dictionary != nil)
		}
		return out.result()
	}
}

// asNode converts an error of the Go packages to that of zlib and Node.
func asNode(err error, dictionary bool) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return refuse("Error", "Z_BUF_ERROR", "unexpected end of file")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zlib.ErrHeader):
		return refuse("Error", "Z_DATA_ERROR", "incorrect header check")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zlib.ErrChecksum):
		return refuse("Error", "Z_DATA_ERROR", "incorrect data check")
	case errors.Is(err, zlib.ErrDictionary) && dictionary:
		return refuse("Error", "Z_NEED_DICT", "Bad dictionary")
	case errors.Is(err, zlib.ErrDictionary):
		return refuse("Error", "Z_NEED_DICT", "Missing dictionary")
	case errors.As(err, &corrupt):
		return refuse("Error", "Z_DATA_ERROR", "invalid block type")
	}
	return err
}

func inflate(data []byte, out io.Writer, dictionary []byte) error {
	r, err := zlib.NewReaderDict(bytes.NewReader(data), dictionary)
	if err != nil {
		return err
	}
	return unpack(r, out)
}

func inflateRaw(data []byte, out io.Writer, dictionary []byte) error {
	return unpack(flate.NewReaderDict(bytes.NewReader(data), dictionary), out)
}

func unpack(in io.Reader, out io.Writer) error {
	_, err := io.CopyBuffer(out, in, make([]byte, 32<<10))
	return err
}

// gzipMagic is the first two bytes of every gzip member.
var gzipMagic = []byte{0x1f, 0x8b}

// gunzip decompresses consecutive gzip members; like in Node, a zero byte after a member ends the input.
func gunzip(data []byte, out io.Writer, _ []byte) error {
	var r gzip.Reader
	in := bytes.NewReader(data)
	for first := true; first || in.Len() > 0; first = false {
		rest := data[len(data)-in.Len():]
		switch {
		case !first && rest[0] == 0:
			return nil
		case !bytes.HasPrefix(rest, gzipMagic[:min(len(rest), len(gzipMagic))]):
			return gzip.ErrHeader // for a short input the package would report an early end
		}

		if err := r.Reset(in); err != nil {
			return err
		}
		r.Multistream(false)
		if err := unpack(&r, out); err != nil {
			return err
		}
	}
	return nil
}
