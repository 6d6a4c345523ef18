// Package objects keeps the objects of the local cloud's buckets as files, and sends their events.
//
// An object is one file, so that a rename replaces body and description at once:
//
//	body, description as JSON, length of the description (4 bytes, big-endian), "s3.1"
//
// Its name is the escaped key. Unfinished writes are in a folder that Open empties.
package objects

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"minicloud/shared/clock"
)

// Store holds the objects of all buckets.
type Store struct {
	Dir      string
	buckets  []string
	Clock    clock.Clock
	commits  sync.Mutex // held while an object is replaced
	sequence int64      // the last sequencer of an event

	events   *Events
	notified []string // buckets that have events
	telling  sync.WaitGroup
	open     context.Context // until Close
	close    context.CancelFunc
}

// Open returns the store in a folder, with buckets of these names.
func Open(dir string, buckets []string, clock clock.Clock) (*Store, error) {
	s := &Store{Dir: dir, buckets: buckets, Clock: clock}
	s.open, s.close = context.WithCancel(context.Background())
	if err := os.RemoveAll(s.unfinished()); err != nil {
		return nil, err
	}
	for _, folder := range append([]string{s.unfinished()}, buckets...) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Base(folder)), 0o700); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// unfinished is the folder of what is being written. No bucket has its name, which has a dot in front.
func (s *Store) unfinished() string { return filepath.Join(s.Dir, ".unfinished") }

// Has reports whether there is a bucket of this name. No other name may become a path.
func (s *Store) Has(bucket string) bool { return slices.Contains(s.buckets, bucket) }

// Suffixes of files. They keep the keys "." and ".." from being folders.
const (
	suffix     = ".object"
	longSuffix = ".long" // the key stands in the description only, because it is too long for a name
)

// maxName is the maximum length of an escaped key in the name of a file.
const maxName = 200

// path returns the file of an object. Escaped keys have no slashes, so none leaves the bucket's folder.
func (s *Store) path(bucket, key string) string {
	name := escape(key)
	if len(name) > maxName {
		sum := sha256.Sum256([]byte(key))
		return filepath.Join(s.Dir, bucket, hex.EncodeToString(sum[:])+longSuffix)
	}
	return filepath.Join(s.Dir, bucket, name+suffix)
}

// escape returns a key as the name of a file. Capital letters are escaped too: names of a Mac do not tell them apart.
func escape(key string) string {
	var b strings.Builder
	escaped := url.PathEscape(key)
	for i := 0; i < len(escaped); i++ {
		switch c := escaped[i]; {
		case c == '%':
			b.WriteString(escaped[i : i+3])
			i += 2
		case 'A' <= c && c <= 'Z':
			b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Write stores an object durably and returns its description with size, ETag and time. finish is called behind the end
// of the body; its error, or that of the body, leaves what was there before.
func (s *Store) Write(bucket string, about Object, body io.Reader, finish func(*Object) error) (Object, error) {
	if !s.Has(bucket) {
		return about, ErrNoBucket
	}
	next, err := s.writeFile(&about, body, finish)
	if err != nil {
		return about, err
	}
	if err := s.commit(next, bucket, about); err != nil {
		_ = os.Remove(next)
		return about, err
	}
	return about, nil
}

// writeFile writes an object into the folder of unfinished ones and returns the path of its file.
func (s *Store) writeFile(about *Object, body io.Reader, finish func(*Object) error) (path string, err error) {
	file, err := os.CreateTemp(s.unfinished(), "*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name()) // a partial file would fill a full disk further
		}
	}()

	err = about.writeTo(file, body, s.Clock(), finish)
	if err == nil {
		err = file.Sync()
	}
	return file.Name(), errors.Join(err, file.Close())
}

// commit puts an object that was written in its place, and has its event sent.
func (s *Store) commit(next, bucket string, about Object) error {
	s.commits.Lock()
	defer s.commits.Unlock()
	path := s.path(bucket, about.Key)
	if _, err := os.Stat(path); err == nil && about.New {
		return ErrPrecondition
	}
	if !slices.Contains(s.notified, bucket) {
		return os.Rename(next, path)
	}

	link := filepath.Join(s.pending(bucket), s.sequencer())
	if err := os.Link(next, link+newSuffix); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return errors.Join(err, os.Remove(link+newSuffix))
	}
	if err := os.Rename(link+newSuffix, link); err != nil {
		return err
	}
	s.tell(bucket, link)
	return nil
}

// Put stores the record of an event source.
func (s *Store) Put(bucket, key string, body []byte) error {
	_, err := s.Write(bucket, Object{Key: key}, bytes.NewReader(body), nil)
	return err
}

// Open opens an object for reading, fs.ErrNotExist if there is none.
func (s *Store) Open(bucket, key string) (*Opened, error) {
	if !s.Has(bucket) {
		return nil, ErrNoBucket
	}
	return openFile(s.path(bucket, key))
}

// Delete deletes an object. As in S3, a missing object is no error.
func (s *Store) Delete(bucket, key string) error {
	if !s.Has(bucket) {
		return ErrNoBucket
	}
	s.commits.Lock()
	defer s.commits.Unlock()
	if err := os.Remove(s.path(bucket, key)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Keys returns the keys of a bucket that begin with prefix, in the order of their bytes.
func (s *Store) Keys(bucket, prefix string) ([]string, error) {
	if !s.Has(bucket) {
		return nil, ErrNoBucket
	}
	files, err := os.ReadDir(filepath.Join(s.Dir, bucket))
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, f := range files {
		key, err := s.keyOf(bucket, f.Name())
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted meanwhile
		case err != nil:
			return nil, err
		case strings.HasPrefix(key, prefix):
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, cmp.Compare[string])
	return keys, nil
}

// keyOf returns the key of a file, fs.ErrNotExist for one of another form.
func (s *Store) keyOf(bucket, file string) (string, error) {
	if strings.HasSuffix(file, longSuffix) {
		object, err := openFile(filepath.Join(s.Dir, bucket, file))
		if err != nil {
			return "", err
		}
		return object.Key, object.Close()
	}
	name, isObject := strings.CutSuffix(file, suffix)
	key, err := url.PathUnescape(name)
	if !isObject || err != nil {
		return "", fs.ErrNotExist
	}
	return key, nil
}
