package nodedata

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"io"

	"minicloud/shared/sandbox/nodecrypto"
)

// chunk is how much is worked on before the time is looked at again, in bytes.
const chunk = 256 << 10

// output collects a result in pieces that count as memory of the run.
type output struct {
	call    *call
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

// grow adds a piece; the first ones are small, as most results are.
func (o *output) grow() error {
	if o.call.Stopped() {
		return nodecrypto.ErrStopped
	}
	size := chunk
	if n := len(o.pieces); n < 3 {
		size = 4 << 10 << (2 * n)
	}
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

// newOutput bounds a result by MaxBytes, and by argument i.
func (c *call) newOutput(i int) *output {
	return &output{call: c, limit: min(max(c.number(i, MaxBytes), 0), MaxBytes)}
}

// levels of zlib that Go has by other numbers.
func level(n int, huffman bool) int {
	if huffman {
		return flate.HuffmanOnly
	}
	return min(max(n, flate.DefaultCompression), flate.BestCompression)
}

// compress is deflate, deflateRaw or gzip of (bytes, level, limit, dictionary, huffman).
func (c *call) compress(format string) (any, error) {
	data := c.bytes(0)
	if len(data) > MaxBytes {
		return nil, tooLarge(MaxBytes)
	}

	out := c.newOutput(2)
	defer out.close()
	dictionary := c.bytes(3)
	if format == "gzip" {
		dictionary = nil
	}
	if _, err := out.Write(header(format, c.number(1, -1), dictionary)); err != nil {
		return nil, err
	}
	if err := c.deflate(data, out, level(c.number(1, -1), c.flag(4)), dictionary); err != nil {
		return nil, err
	}
	if _, err := out.Write(trailer(format, data)); err != nil {
		return nil, err
	}

	return out.result()
}

func (c *call) deflate(data []byte, out io.Writer, level int, dictionary []byte) error {
	if len(data) == 0 {
		_, err := out.Write([]byte{3, 0}) // what zlib writes for nothing
		return err
	}
	w, err := flate.NewWriterDict(out, level, dictionary)
	if err != nil {
		return err
	}

	for len(data) > 0 {
		if c.Stopped() {
			return nodecrypto.ErrStopped
		}
		n := min(len(data), chunk)
		if _, err := w.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}

	return w.Close()
}

// header and trailer are what stands around the deflated data.
func header(format string, level int, dictionary []byte) []byte {
	switch format {
	case "gzip":
		extra := map[int]byte{1: 4, 9: 2}[level]
		return []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, extra, 3} // 3 is Unix
	case "deflate":
		grade := byte(2)
		switch {
		case level == 0 || level == 1:
			grade = 0
		case level >= 2 && level <= 5:
			grade = 1
		case level >= 7:
			grade = 3
		}
		head := []byte{0x78, grade << 6}
		if len(dictionary) > 0 {
			head[1] |= 0x20
		}
		head[1] += 31 - byte(binary.BigEndian.Uint16(head)%31)
		if len(dictionary) > 0 {
			head = binary.BigEndian.AppendUint32(head, adler32.Checksum(dictionary))
		}
		return head
	}
	return nil
}

func trailer(format string, data []byte) []byte {
	switch format {
	case "gzip":
		end := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(data))
		return binary.LittleEndian.AppendUint32(end, uint32(len(data)))
	case "deflate":
		return binary.BigEndian.AppendUint32(nil, adler32.Checksum(data))
	}
	return nil
}

// decompress is inflate, inflateRaw or gunzip of (bytes, limit, dictionary, partial). With partial an input that ends
// too early gives what there is.
func (c *call) decompress(format string) (any, error) {
	data := c.bytes(0)
	if len(data) > MaxBytes {
		return nil, tooLarge(MaxBytes)
	}

	out := c.newOutput(1)
	defer out.close()
	in := bytes.NewReader(data)
	var err error
	switch format {
	case "gunzip":
		err = gunzip(in, out)
	case "inflate":
		err = unwrap(in, out, c.bytes(2))
	default:
		err = inflate(in, out, c.bytes(2), nil)
	}

	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		if !c.flag(3) {
			return nil, refuse("Error", "Z_BUF_ERROR", "unexpected end of file")
		}
	case err != nil:
		return nil, err
	}

	return out.result()
}

// inflate reads one deflated stream; sum, if there is one, sees what comes out.
func inflate(in *bytes.Reader, out io.Writer, dictionary []byte, sum io.Writer) error {
	r := flate.NewReaderDict(in, dictionary)
	if sum != nil {
		out = io.MultiWriter(out, sum)
	}
	_, err := io.CopyBuffer(out, r, make([]byte, 32<<10))
	var corrupt flate.CorruptInputError
	if errors.As(err, &corrupt) {
		return dataError("invalid block type")
	}
	return err
}

func dataError(message string) error { return refuse("Error", "Z_DATA_ERROR", message) }

// unwrap reads the zlib format.
func unwrap(in *bytes.Reader, out io.Writer, dictionary []byte) error {
	var head [2]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return io.ErrUnexpectedEOF
	}
	switch {
	case binary.BigEndian.Uint16(head[:])%31 != 0:
		return dataError("incorrect header check")
	case head[0]&15 != 8:
		return dataError("unknown compression method")
	case head[0]>>4 > 7:
		return dataError("invalid window size")
	}

	if head[1]&0x20 != 0 {
		var id [4]byte
		if _, err := io.ReadFull(in, id[:]); err != nil {
			return io.ErrUnexpectedEOF
		}
		if dictionary == nil {
			return refuse("Error", "Z_NEED_DICT", "Missing dictionary")
		}
		if binary.BigEndian.Uint32(id[:]) != adler32.Checksum(dictionary) {
			return refuse("Error", "Z_NEED_DICT", "Bad dictionary")
		}
	} else {
		dictionary = nil
	}

	sum := adler32.New()
	if err := inflate(in, out, dictionary, sum); err != nil {
		return err
	}
	var check [4]byte
	if _, err := io.ReadFull(in, check[:]); err != nil {
		return io.ErrUnexpectedEOF
	}
	if binary.BigEndian.Uint32(check[:]) != sum.Sum32() {
		return dataError("incorrect data check")
	}

	return nil
}
