package file

import (
	"context"
	"io"
	"time"
)

// Object is the content of a file as it is stored.
type Object struct {
	Size int64  // bytes
	ETag string // without quotes
	Meta
}

// Objects stores contents by their keys (Key). Reads are strongly consistent.
type Objects interface {
	// Put stores an object in the place of any other with its key, and returns its ETag. The body has size bytes; Put
	// may read it again from its start.
	Put(ctx context.Context, key string, body io.ReadSeeker, size int64, m Meta) (etag string, err error)
	// Head returns what is stored beside an object. It returns errs.NotFound if there is none.
	Head(ctx context.Context, key string) (Object, error)
	// Get opens an object, which the caller closes. It returns errs.NotFound if there is none.
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	// Delete deletes objects, at most 1,000. A missing object is no error.
	Delete(ctx context.Context, keys ...string) error
	// Form returns a form with which anybody can store an object of at most most bytes under this key, with exactly
	// this Meta, for a time. It makes no call.
	Form(ctx context.Context, key string, m Meta, most int64, valid time.Duration) (Form, error)
}

// Form is a form that a browser sends to the store of objects: the fields, then the content in a field named file.
type Form struct {
	URL    string            `json:"url"`
	Fields map[string]string `json:"fields"`
}
