// Package filetest has a store of objects in memory, for tests.
package filetest

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/file"
)

// ErrDead is the error of a call that Before refuses.
var ErrDead = errors.New("the process is dead")

// Object is an object with its content.
type Object struct {
	file.Object
	Content []byte
}

// Objects is a file.Objects in memory.
type Objects struct {
	// Before is called with the name of each call; false makes the call fail without an effect. nil = all succeed.
	Before func(call string) bool

	mu  sync.Mutex
	all map[string]Object
}

func (o *Objects) call(name string) error {
	if o.Before != nil && !o.Before(name) {
		return fmt.Errorf("%s: %w", name, ErrDead)
	}
	return nil
}

// Set stores an object, as a form does.
func (o *Objects) Set(key string, content []byte, m file.Meta) Object {
	sum := md5.Sum(content)
	object := Object{file.Object{Size: int64(len(content)), ETag: hex.EncodeToString(sum[:]), Meta: m}, content}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[string]Object{}
	}
	o.all[key] = object
	return object
}

// Object returns an object; ok is false if there is none.
func (o *Objects) Object(key string) (object Object, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	object, ok = o.all[key]
	return object, ok
}

// Keys returns the keys of all objects in order.
func (o *Objects) Keys() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.all))
}

// Put implements file.Objects.
func (o *Objects) Put(_ context.Context, key string, body io.ReadSeeker, size int64, m file.Meta) (string, error) {
	if err := o.call("Put"); err != nil {
		return "", err
	}
	content, err := io.ReadAll(body)
	if err == nil && int64(len(content)) != size {
		err = fmt.Errorf("the body has %d bytes, not %d", len(content), size)
	}
	if err != nil {
		return "", err
	}
	return o.Set(key, content, m).ETag, nil
}

// Head implements file.Objects.
func (o *Objects) Head(_ context.Context, key string) (file.Object, error) {
	if err := o.call("Head"); err != nil {
		return file.Object{}, err
	}
	object, ok := o.Object(key)
	if !ok {
		return file.Object{}, errs.NotFound("there is no such object")
	}
	return object.Object, nil
}

// Get implements file.Objects.
func (o *Objects) Get(_ context.Context, key string) (io.ReadCloser, error) {
	if err := o.call("Get"); err != nil {
		return nil, err
	}
	object, ok := o.Object(key)
	if !ok {
		return nil, errs.NotFound("there is no such object")
	}
	return io.NopCloser(bytes.NewReader(object.Content)), nil
}

// Delete implements file.Objects.
func (o *Objects) Delete(_ context.Context, keys ...string) error {
	if err := o.call("Delete"); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, key := range keys {
		delete(o.all, key)
	}
	return nil
}

// Form implements file.Objects: its fields are the key and the Meta.
func (o *Objects) Form(_ context.Context, key string, m file.Meta, most int64, _ time.Duration) (file.Form, error) {
	return file.Form{URL: "https://objects.example.com/", Fields: map[string]string{
		"key": key, "Content-Type": m.Type, "Content-Disposition": m.Disposition, "x-amz-meta-upload": m.Upload.String(),
		"x-amz-meta-file": string(m.File), "most": fmt.Sprint(most),
	}}, nil
}

// Submit sends a content by a form of Form and returns the key.
func (o *Objects) Submit(f file.Form, content []byte) string {
	upload, _ := file.ParseRef(f.Fields["x-amz-meta-upload"])
	o.Set(f.Fields["key"], content, file.Meta{
		Type: f.Fields["Content-Type"], Disposition: f.Fields["Content-Disposition"], Upload: upload,
		File: file.ID(f.Fields["x-amz-meta-file"]),
	})
	return f.Fields["key"]
}

// Files returns the keys of all objects that are no parts.
func (o *Objects) Files() []string {
	return slices.DeleteFunc(o.Keys(), func(key string) bool { return strings.HasPrefix(key, "parts/") })
}
