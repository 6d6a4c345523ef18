// Package bucket is the S3 of the local cloud: buckets of the template that Lambda puts records into, and the calls by
// which they are listed, read and deleted again. An object is a file, named after the bucket and the key.
package bucket

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minicloud/infra/local/disk"
)

// Store holds the objects of all buckets.
type Store struct {
	dir     string
	buckets []string
}

// Open returns the store in a folder, with buckets of these names.
func Open(dir string, buckets []string) (*Store, error) {
	for _, b := range buckets {
		if err := os.MkdirAll(filepath.Join(dir, b), 0o700); err != nil {
			return nil, err
		}
	}
	return &Store{dir, buckets}, nil
}

// has reports whether there is a bucket of this name. No other name may become a path.
func (s *Store) has(bucket string) bool { return slices.Contains(s.buckets, bucket) }

// path returns the file of an object. Escaped keys have no slashes, so none leaves the bucket's folder.
func (s *Store) path(bucket, key string) string {
	return filepath.Join(s.dir, bucket, url.PathEscape(key)+suffix)
}

// suffix keeps the keys "." and ".." from being folders.
const suffix = ".object"

// Put stores an object durably.
func (s *Store) Put(bucket, key string, body []byte) error {
	if !s.has(bucket) {
		return fs.ErrNotExist
	}
	return disk.Replace(s.path(bucket, key), body)
}

// Get returns an object, fs.ErrNotExist if there is none.
func (s *Store) Get(bucket, key string) ([]byte, error) {
	if !s.has(bucket) {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(s.path(bucket, key))
}

// Delete deletes an object. As in S3, a missing object is no error.
func (s *Store) Delete(bucket, key string) error {
	if !s.has(bucket) {
		return fs.ErrNotExist
	}
	if err := os.Remove(s.path(bucket, key)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Object is an entry of a list.
type Object struct {
	Key  string
	Size int64
}

// List returns the objects of a bucket in the order of their keys.
func (s *Store) List(bucket string) ([]Object, error) {
	if !s.has(bucket) {
		return nil, fs.ErrNotExist
	}
	files, err := os.ReadDir(filepath.Join(s.dir, bucket))
	if err != nil {
		return nil, err
	}
	var all []Object
	for _, f := range files {
		name, isObject := strings.CutSuffix(f.Name(), suffix)
		key, err := url.PathUnescape(name)
		about, gone := f.Info()
		// A file of another form is not an object; one that was deleted meanwhile is none any more.
		if !isObject || err != nil || gone != nil {
			continue
		}
		all = append(all, Object{key, about.Size()})
	}
	slices.SortFunc(all, func(a, b Object) int { return strings.Compare(a.Key, b.Key) })
	return all, nil
}
