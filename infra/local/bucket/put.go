package bucket

import (
	"net"
	"net/http"
	"strings"

	"minicloud/infra/local/bucket/objects"
)

// kept are the headers of a write that are sent with the body.
var kept = []string{
	"Content-Type", "Content-Disposition", "Cache-Control", "Content-Encoding", "Content-Language", "Expires",
}

// maxMeta is the maximum size of all x-amz-meta-…, names and values, in bytes.
const maxMeta = 2048

// metaPrefix begins the names of metadata in headers.
const metaPrefix = "X-Amz-Meta-"

// describe returns the description of an object in the headers of a write.
func describe(key string, header http.Header) (objects.Object, error) {
	o, size := objects.Object{Key: key, Headers: map[string]string{}}, 0
	for name, values := range header {
		if meta, ok := strings.CutPrefix(name, metaPrefix); ok {
			o.Headers[name] = strings.Join(values, ",")
			size += len(meta) + len(o.Headers[name])
		}
	}
	for _, name := range kept {
		if value := header.Get(name); value != "" {
			o.Headers[name] = value
		}
	}
	if encoding := withoutChunked(o.Headers["Content-Encoding"]); encoding != "" {
		o.Headers["Content-Encoding"] = encoding
	} else {
		delete(o.Headers, "Content-Encoding")
	}
	if size > maxMeta {
		return o, invalid("MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size")
	}
	return o, nil
}

// withoutChunked removes aws-chunked, which is the form of a request, from the encodings of a body.
func withoutChunked(encodings string) string {
	var left []string
	for encoding := range strings.SplitSeq(encodings, ",") {
		if encoding = strings.TrimSpace(encoding); encoding != "" && encoding != "aws-chunked" {
			left = append(left, encoding)
		}
	}
	return strings.Join(left, ",")
}

// put serves PutObject.
func (a *API) put(c *call) error {
	about, err := describe(c.key, c.r.Header)
	if err != nil {
		return err
	}
	if about.New, err = ifNoneMatch(c.r); err != nil {
		return err
	}
	about.Cause = c.cause("PutObject")
	body, err := newBody(c.r)
	if err != nil {
		return err
	}
	o, err := a.Store.Write(c.bucket, about, body, body.finish)
	if err != nil {
		return err
	}
	tag(c.w.Header(), o)
	return nil
}

// tag sets the ETag and the checksums of an object that was written.
func tag(header http.Header, o objects.Object) {
	header.Set("ETag", `"`+o.ETag+`"`)
	for name, value := range o.Checksums {
		header.Set(name, value)
	}
}

// ifNoneMatch reads the conditions of a write, of which S3 knows If-None-Match: * beside If-Match.
func ifNoneMatch(r *http.Request) (isNew bool, err error) {
	none := r.Header.Get("If-None-Match")
	if r.Header.Get("If-Match") != "" || none != "" && none != "*" {
		return false, notServed("conditions of writes other than If-None-Match: *")
	}
	return none == "*", nil
}

// cause returns what an event says of a request.
func (c *call) cause(reason string) objects.Cause {
	address, _, _ := net.SplitHostPort(c.r.RemoteAddr) // of net/http, which writes both
	return objects.Cause{Reason: reason, RequestID: c.w.Header().Get(requestID), Address: address}
}
