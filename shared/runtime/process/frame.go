package process

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// frameKind is the first byte of a frame.
type frameKind byte

// The kinds of frames. A frame is its kind, the length of its body (four bytes, big endian), and the body.
const (
	frameRun   frameKind = 'R' // to the child: header JSON, code, event
	frameCheck frameKind = 'C' // to the child: header JSON, code
	frameReply frameKind = 'A' // to the child: reply JSON

	frameReady   frameKind = 'H' // from the child: hello JSON
	frameLog     frameKind = 'L' // from the child: time, level, text
	frameCall    frameKind = 'Q' // from the child: call JSON
	frameSettled frameKind = 'S' // from the child: settlement JSON
	frameEnd     frameKind = 'E' // from the child: end JSON
	frameFound   frameKind = 'D' // from the child: diagnostics JSON
)

// maxFrame is the largest body in either direction. A result or a host call of 4–5 MB fits with its JSON escapes; a
// larger length from a hostile child must not allocate memory.
const maxFrame = 24 << 20

var errFrame = errors.New("process: malformed frame")

// frameWriter writes whole frames. It is safe for concurrent use.
type frameWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (f *frameWriter) write(kind frameKind, parts ...[]byte) error {
	size := 0
	for _, p := range parts {
		size += len(p)
	}

	if size > maxFrame {
		return fmt.Errorf("process: frame of %d bytes", size)
	}

	// Write head and body at once: between two writes the child could be killed.
	buffer := make([]byte, 0, 5+size)
	buffer = append(buffer, byte(kind))
	buffer = binary.BigEndian.AppendUint32(buffer, uint32(size))
	for _, p := range parts {
		buffer = append(buffer, p...)
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.w.Write(buffer)

	return err
}

// readFrame reads one frame. The buffer grows as bytes arrive, so that a large length alone allocates nothing.
func readFrame(r *bufio.Reader) (frameKind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}

	size := binary.BigEndian.Uint32(head[1:])
	if size > maxFrame {
		return 0, nil, errFrame
	}

	body := make([]byte, min(size, 64<<10))
	for read := 0; ; {
		n, err := io.ReadFull(r, body[read:])
		if read += n; err != nil {
			return 0, nil, fmt.Errorf("process: frame cut short: %w", err)
		}
		if read == int(size) {
			return frameKind(head[0]), body, nil
		}

		// Grow only after the bytes have arrived: the length may be false.
		grown := make([]byte, min(int(size), 4*len(body)))
		copy(grown, body)
		body = grown
	}
}

// joined prepends a header and its length to blobs; the header contains the lengths of the blobs.
func joined(header []byte, blobs ...[]byte) [][]byte {
	length := binary.BigEndian.AppendUint32(nil, uint32(len(header)))
	return append([][]byte{length, header}, blobs...)
}

// split separates the header that joined added from the blobs, which it returns as rest.
func split(body []byte) (header, rest []byte, err error) {
	if len(body) < 4 {
		return nil, nil, errFrame
	}
	n := binary.BigEndian.Uint32(body)
	if uint64(n) > uint64(len(body)-4) {
		return nil, nil, errFrame
	}
	return body[4 : 4+n], body[4+n:], nil
}
