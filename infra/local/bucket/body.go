package bucket

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"os"
	"strconv"
	"strings"

	"minicloud/infra/local/bucket/objects"
)

// maxPut is the maximum size of one PUT.
const maxPut = 5 << 30

// body is the body of a write. It decodes chunks and compares what arrives with what the request says of it.
type body struct {
	io.Reader
	sums    []sum
	length  int64 // -1 where the request does not say
	read    int64
	trailer http.Header // behind the last chunk
}

// sum is a digest that the request tells.
type sum struct {
	hash.Hash
	header  string // where the request tells it; "" for Content-MD5 and x-amz-content-sha256
	trailer bool   // the header comes behind the body
	want    []byte
	failure *objects.Failure
}

// checksums are the algorithms of x-amz-checksum-….
var checksums = map[string]func() hash.Hash{
	"crc32":     func() hash.Hash { return crc32.NewIEEE() },
	"crc32c":    func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	"crc64nvme": func() hash.Hash { return crc64.New(crc64.MakeTable(0x9a6c9329ac4bc9b5)) },
	"sha1":      sha1.New,
	"sha256":    sha256.New,
}

var errDigest = invalid("BadDigest", "The Content-MD5 or checksum value that you specified did not match what the server received.")

// newBody returns the body of a write.
func newBody(r *http.Request) (*body, error) {
	b := &body{Reader: r.Body, length: r.ContentLength, trailer: http.Header{}}
	if b.length < 0 {
		return nil, failure(http.StatusLengthRequired, "MissingContentLength", "You must provide the Content-Length HTTP header.")
	}

	switch form := r.Header.Get("X-Amz-Content-Sha256"); {
	case strings.HasPrefix(form, "STREAMING-"):
		length, err := strconv.ParseInt(r.Header.Get("X-Amz-Decoded-Content-Length"), 10, 64)
		if err != nil || length < 0 {
			return nil, failure(http.StatusLengthRequired, "MissingContentLength", "You must provide x-amz-decoded-content-length.")
		}
		in := bufio.NewReader(r.Body)
		b.length, b.Reader = length, &chunks{httputil.NewChunkedReader(in), in, b.trailer}
	case form != "" && form != "UNSIGNED-PAYLOAD":
		want, _ := hex.DecodeString(form) // what is no hash matches none
		b.sums = append(b.sums, sum{Hash: sha256.New(), want: want, failure: invalid("XAmzContentSHA256Mismatch",
			"The provided 'x-amz-content-sha256' header does not match what was computed.")})
	}
	if b.length > maxPut {
		return nil, invalid("EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
	}

	if text := r.Header.Get("Content-Md5"); text != "" {
		want, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(want) != md5.Size {
			return nil, invalid("InvalidDigest", "The Content-MD5 you specified is not valid.")
		}
		b.sums = append(b.sums, sum{Hash: md5.New(), want: want, failure: errDigest})
	}
	return b, b.addChecksums(r)
}

// addChecksums adds the checksums that the request has in its headers, or announces for behind its body.
func (b *body) addChecksums(r *http.Request) error {
	for name, algorithm := range checksums {
		header := http.CanonicalHeaderKey("x-amz-checksum-" + name)
		if text := r.Header.Get(header); text != "" {
			want, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return invalid("InvalidRequest", "Value for "+header+" header is invalid.")
			}
			b.sums = append(b.sums, sum{Hash: algorithm(), header: header, want: want, failure: errDigest})
		}
		if strings.EqualFold(r.Header.Get("X-Amz-Trailer"), header) {
			b.sums = append(b.sums, sum{Hash: algorithm(), header: header, trailer: true, failure: errDigest})
		}
	}
	return nil
}

// Read reads decoded bytes.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.read += int64(n)
	for _, s := range b.sums {
		_, _ = s.Write(p[:n]) // a hash has no errors
	}
	if err == io.ErrUnexpectedEOF {
		err = errIncomplete
	}
	return n, err
}

var errIncomplete = invalid("IncompleteBody", "You did not provide the number of bytes specified by the Content-Length HTTP header")

// finish compares length and digests behind the end of the body, and keeps the checksums.
func (b *body) finish(o *objects.Object) error {
	if b.read != b.length {
		return errIncomplete
	}
	for _, s := range b.sums {
		if s.trailer {
			want, err := base64.StdEncoding.DecodeString(b.trailer.Get(s.header))
			if err != nil {
				return invalid("InvalidRequest", "Value for "+s.header+" trailer is invalid.")
			}
			s.want = want
		}
		if !bytes.Equal(s.Sum(nil), s.want) {
			return s.failure
		}
		if s.header != "" {
			if o.Checksums == nil {
				o.Checksums = map[string]string{}
			}
			o.Checksums[s.header] = base64.StdEncoding.EncodeToString(s.want)
		}
	}
	return nil
}

// chunks decodes aws-chunked:
//
//	size in hex [;chunk-signature=…] CRLF bytes CRLF … 0 CRLF [header:value CRLF …] CRLF
type chunks struct {
	decoded io.Reader
	in      *bufio.Reader
	trailer http.Header
}

var errChunk = invalid("InvalidRequest", "The body is not aws-chunked.")

// Read reads decoded bytes.
func (c *chunks) Read(p []byte) (int, error) {
	n, err := c.decoded.Read(p)
	if err == io.EOF {
		var trailer textproto.MIMEHeader
		if trailer, err = textproto.NewReader(c.in).ReadMIMEHeader(); err == nil {
			maps.Copy(c.trailer, http.Header(trailer))
			err = io.EOF
		} else if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF && !errors.Is(err, os.ErrDeadlineExceeded) {
		err = errChunk
	}
	return n, err
}
