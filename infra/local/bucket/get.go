package bucket

import (
	"errors"
	"io/fs"
	"net/http"
	"strings"

	"minicloud/infra/local/bucket/objects"
)

// overrides are parameters that replace headers of an answer.
var overrides = []string{
	"response-content-type", "response-content-disposition", "response-cache-control", "response-content-encoding",
	"response-content-language", "response-expires",
}

// get serves GetObject and HeadObject.
func (a *API) get(c *call) error {
	object, err := a.Store.Open(c.bucket, c.key)
	// S3 answers 403 instead of 404 to a caller who may not list the bucket.
	if errors.Is(err, fs.ErrNotExist) && a.may(c, "s3:ListBucket", "arn:aws:s3:::"+c.bucket) != nil {
		return denied("Access Denied")
	}
	if err != nil {
		return err
	}
	defer object.Close()

	header := c.w.Header()
	header.Set("Content-Type", "binary/octet-stream")
	for name, value := range object.Headers {
		if strings.HasPrefix(name, metaPrefix) {
			name = strings.ToLower(name) // as S3 writes it: clients show names of metadata
		}
		header[name] = []string{value}
	}
	header.Set("ETag", `"`+object.ETag+`"`)
	for _, name := range overrides {
		if c.query.Has(name) {
			header.Set(strings.TrimPrefix(name, "response-"), c.query.Get(name))
		}
	}
	ranges := c.r.Header.Get("Range")
	// S3 answers several ranges with the whole.
	if strings.Contains(ranges, ",") || !strings.HasPrefix(ranges, "bytes=") {
		c.r.Header.Del("Range")
	}
	if c.r.Header.Get("X-Amz-Checksum-Mode") == "ENABLED" && c.r.Header.Get("Range") == "" {
		for name, value := range object.Checksums {
			header.Set(name, value)
		}
	}
	http.ServeContent(&contentWriter{ResponseWriter: c.w, r: c.r}, c.r, "", object.Modified, object)
	return nil
}

// contentWriter replaces the text that http.ServeContent sends with an error by S3's.
type contentWriter struct {
	http.ResponseWriter
	r      *http.Request
	failed bool
}

// WriteHeader writes an error of S3, or the status.
func (w *contentWriter) WriteHeader(status int) {
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		w.failed = true
		fail(w.ResponseWriter, w.r, failure(status, "InvalidRange", "The requested range is not satisfiable"))
	case http.StatusPreconditionFailed:
		w.failed = true
		fail(w.ResponseWriter, w.r, objects.ErrPrecondition)
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write drops the body of an error that was replaced.
func (w *contentWriter) Write(p []byte) (int, error) {
	if w.failed {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

func (a *API) headBucket(*call) error { return nil }

func (a *API) delete(c *call) error {
	if err := a.Store.Delete(c.bucket, c.key); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
