package objects

import (
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"minicloud/infra/local/queue"
)

// A multipart upload is a folder with a file for the description of its object and one for each part, all in the form of
// objects:
//
//	.uploads/<bucket>/<upload id>/object, 1, 2 … 10000
const description = "object"

// Limits of multipart uploads.
const (
	MaxParts = 10000
	MinPart  = 5 << 20 // of all parts but the last, bytes
)

var errNoUpload = &Failure{http.StatusNotFound, "NoSuchUpload",
	"The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed."}

// uploadID is the form of upload ids. No other text may become a path.
var uploadID = regexp.MustCompile(`^[0-9a-f-]{36}$`)

// upload returns the folder of an upload and the description of its object.
func (s *Store) upload(bucket, key, id string) (folder string, about Object, err error) {
	if !uploadID.MatchString(id) {
		return "", about, errNoUpload
	}
	folder = filepath.Join(s.Dir, ".uploads", bucket, id)
	opened, err := openFile(filepath.Join(folder, description))
	if errors.Is(err, fs.ErrNotExist) {
		return "", about, errNoUpload
	}
	if err != nil {
		return "", about, err
	}
	defer opened.Close()
	if opened.Key != key {
		return "", about, errNoUpload
	}
	return folder, opened.Object, nil
}

// Begin begins a multipart upload of an object and returns its id.
func (s *Store) Begin(bucket string, about Object) (id string, err error) {
	id = queue.NewID()
	folder := filepath.Join(s.Dir, ".uploads", bucket, id)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	next, err := s.writeFile(&about, http.NoBody, nil)
	if err != nil {
		return "", err
	}
	return id, os.Rename(next, filepath.Join(folder, description))
}

// AddPart stores a part durably. A part that was there before is replaced.
func (s *Store) AddPart(bucket, key, id string, number int, body io.Reader, finish func(*Object) error) (Object, error) {
	folder, _, err := s.upload(bucket, key, id)
	if err != nil {
		return Object{}, err
	}
	var part Object
	next, err := s.writeFile(&part, body, finish)
	if err != nil {
		return part, err
	}
	err = os.Rename(next, filepath.Join(folder, strconv.Itoa(number)))
	if errors.Is(err, fs.ErrNotExist) { // completed or aborted meanwhile
		return part, errors.Join(errNoUpload, os.Remove(next))
	}
	return part, err
}

// Part is a part of an upload.
type Part struct {
	Number int
	Object
}

// Parts returns the parts of an upload in the order of their numbers.
func (s *Store) Parts(bucket, key, id string) ([]Part, error) {
	folder, _, err := s.upload(bucket, key, id)
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var parts []Part
	for _, f := range files {
		number, err := strconv.Atoi(f.Name())
		if err != nil { // the description
			continue
		}
		part, err := openFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return nil, err
		}
		parts = append(parts, Part{number, part.Object})
		part.Close()
	}
	slices.SortFunc(parts, func(a, b Part) int { return a.Number - b.Number })
	return parts, nil
}

// Complete joins parts to the object of an upload, which ends.
func (s *Store) Complete(bucket, key, id string, parts []Part, with Object) (Object, error) {
	folder, about, err := s.upload(bucket, key, id)
	if err != nil {
		return about, err
	}
	about.Cause, about.New = with.Cause, with.New

	var bodies []io.Reader
	sum := md5.New()
	for i, p := range parts {
		part, err := openFile(filepath.Join(folder, strconv.Itoa(p.Number)))
		if errors.Is(err, fs.ErrNotExist) {
			return about, errPart
		}
		if err != nil {
			return about, err
		}
		defer part.Close()
		digest, err := hex.DecodeString(part.ETag)
		switch {
		case err != nil:
			return about, err
		case part.ETag != p.ETag:
			return about, errPart
		case part.Object.Size < MinPart && i < len(parts)-1:
			return about, Invalid("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
		}
		_, _ = sum.Write(digest) // a hash has no errors
		bodies = append(bodies, part)
	}

	about.ETag = fmt.Sprintf("%x-%d", sum.Sum(nil), len(parts))
	about, err = s.Write(bucket, about, io.MultiReader(bodies...), nil)
	if err != nil {
		return about, err
	}
	return about, os.RemoveAll(folder)
}

var errPart = Invalid("InvalidPart", "One or more of the specified parts could not be found. "+
	"The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.")

// Abort ends an upload without an object.
func (s *Store) Abort(bucket, key, id string) error {
	folder, _, err := s.upload(bucket, key, id)
	if err != nil {
		return err
	}
	return os.RemoveAll(folder)
}
