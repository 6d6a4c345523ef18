package nodedata

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// Flags of a gzip header.
const (
	gzipHeaderCheck = 1 << 1
	gzipExtra       = 1 << 2
	gzipName        = 1 << 3
	gzipComment     = 1 << 4
)

// gunzip reads gzip members one after the other, as Node does: zeros behind them are left out.
func gunzip(in *bytes.Reader, out io.Writer) error {
	for first := true; ; first = false {
		next, err := in.ReadByte()
		if err != nil {
			if first {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		if next == 0 && !first {
			return nil
		}
		if err := in.UnreadByte(); err != nil {
			return err
		}
		if err := gunzipMember(in, out); err != nil {
			return err
		}
	}
}

func gunzipMember(in *bytes.Reader, out io.Writer) error {
	if err := skipGzipHeader(in); err != nil {
		return err
	}

	sum, count := crc32.NewIEEE(), &counter{}
	if err := inflate(in, out, nil, io.MultiWriter(sum, count)); err != nil {
		return err
	}

	var end [8]byte
	if _, err := io.ReadFull(in, end[:]); err != nil {
		return io.ErrUnexpectedEOF
	}
	switch {
	case binary.LittleEndian.Uint32(end[:]) != sum.Sum32():
		return dataError("incorrect data check")
	case binary.LittleEndian.Uint32(end[4:]) != count.n:
		return dataError("incorrect length check")
	}

	return nil
}

// counter counts bytes, modulo 2 to the 32.
type counter struct{ n uint32 }

// Write implements io.Writer.
func (c *counter) Write(data []byte) (int, error) {
	c.n += uint32(len(data))
	return len(data), nil
}

func skipGzipHeader(in *bytes.Reader) error {
	var head [10]byte
	n, err := io.ReadFull(in, head[:])
	if n > 0 && head[0] != 0x1f || n > 1 && head[1] != 0x8b {
		return dataError("incorrect header check")
	}
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	if head[2] != 8 {
		return dataError("unknown compression method")
	}

	flags := head[3]
	if flags&gzipExtra != 0 {
		var size [2]byte
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return io.ErrUnexpectedEOF
		}
		if _, err := io.CopyN(io.Discard, in, int64(binary.LittleEndian.Uint16(size[:]))); err != nil {
			return io.ErrUnexpectedEOF
		}
	}
	for _, flag := range []byte{gzipName, gzipComment} {
		if flags&flag == 0 {
			continue
		}
		for c := byte(1); c != 0; {
			if c, err = in.ReadByte(); err != nil {
				return io.ErrUnexpectedEOF
			}
		}
	}
	if flags&gzipHeaderCheck != 0 {
		if _, err := io.CopyN(io.Discard, in, 2); err != nil {
			return io.ErrUnexpectedEOF
		}
	}

	return nil
}
