package objects

import (
	"bufio"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Object describes an object.
type Object struct {
	Key      string
	Size     int64
	ETag     string // without quotes
	Modified time.Time
	// Headers are sent with the body: Content-Type, Cache-Control, x-amz-meta-…, by canonical name.
	Headers map[string]string `json:",omitempty"`
	// Checksums are those that came with the body, by the name of their header.
	Checksums map[string]string `json:",omitempty"`
	Cause     Cause

	// New refuses to replace an object.
	New bool `json:"-"`
}

// magic ends the file of an object.
const magic = "s3.1"

// footer is the length of what stands behind the description.
const footer = 4 + len(magic)

// writeTo writes the file of an object, and sets Size, Modified and, unless it is set, ETag.
func (o *Object) writeTo(file io.Writer, body io.Reader, now time.Time, finish func(*Object) error) (err error) {
	out, sum := bufio.NewWriterSize(file, 64<<10), md5.New()
	to := io.MultiWriter(out, sum)
	if o.ETag != "" {
		to = out
	}
	if o.Size, err = io.Copy(to, body); err != nil {
		return err
	}
	if o.ETag == "" {
		o.ETag = hex.EncodeToString(sum.Sum(nil))
	}
	o.Modified = now.UTC().Truncate(time.Second) // Last-Modified has no fractions
	if finish != nil {
		if err := finish(o); err != nil {
			return err
		}
	}

	about, err := json.Marshal(o)
	if err != nil {
		return err
	}
	about = binary.BigEndian.AppendUint32(about, uint32(len(about)))
	if _, err := out.Write(append(about, magic...)); err != nil {
		return err
	}
	return out.Flush()
}

// Opened is an object that is open for reading. A deletion or a new version does not change what it reads.
type Opened struct {
	Object
	*io.SectionReader // the body
	file              *os.File
}

// Close ends the reading.
func (o *Opened) Close() error { return o.file.Close() }

// openFile opens the file of an object.
func openFile(path string) (*Opened, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	opened := &Opened{file: file}
	if err := opened.describe(); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return opened, nil
}

// describe reads the description of an object.
func (o *Opened) describe() error {
	about, err := o.file.Stat()
	if err != nil {
		return err
	}
	size := about.Size()
	end := make([]byte, footer)
	if _, err := o.file.ReadAt(end, max(0, size-int64(footer))); err != nil {
		return err
	}
	if string(end[4:]) != magic {
		return errors.New("it is not the file of an object")
	}
	length := int64(binary.BigEndian.Uint32(end))
	text := make([]byte, min(length, size))
	if _, err := o.file.ReadAt(text, max(0, size-int64(footer)-length)); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &o.Object); err != nil {
		return err
	}
	o.SectionReader = io.NewSectionReader(o.file, 0, o.Object.Size)
	return nil
}
