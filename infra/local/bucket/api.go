package bucket

import (
	"encoding/xml"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
)

// API serves ListObjectsV2, GetObject and DeleteObject by paths (/bucket/key), as S3 does with UsePathStyle.
type API struct {
	Store *Store
	Count func(operation string) // called for every request; not nil
}

// Serves reports whether a request is signed for S3.
func Serves(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Authorization"), "/s3/aws4_request")
}

// Asked returns the IAM action and resource of a request.
func Asked(r *http.Request) (action, resource string) {
	bucket, key := split(r)
	switch {
	case key == "":
		return "s3:ListBucket", "arn:aws:s3:::" + bucket
	case r.Method == http.MethodDelete:
		return "s3:DeleteObject", "arn:aws:s3:::" + bucket + "/" + key
	}
	return "s3:GetObject", "arn:aws:s3:::" + bucket + "/" + key
}

func split(r *http.Request) (bucket, key string) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return bucket, key
}

// ServeHTTP serves one operation.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	action, _ := Asked(r)
	a.Count(strings.TrimPrefix(action, "s3:"))
	bucket, key := split(r)
	switch {
	case key == "" && r.Method == http.MethodGet:
		a.list(w, r, bucket)
	case key != "" && r.Method == http.MethodGet:
		body, err := a.Store.Get(bucket, key)
		if err != nil {
			refuse(w, err)
			return
		}
		_, _ = w.Write(body)
	case key != "" && r.Method == http.MethodDelete:
		if err := a.Store.Delete(bucket, key); err != nil {
			refuse(w, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		fail(w, http.StatusNotImplemented, "NotImplemented", "the local cloud serves only lists, reads and deletions of objects")
	}
}

// maxKeys is the maximum number of keys of a page.
const maxKeys = 1000

type content struct {
	Key  string
	Size int64
}

type listed struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	Name                  string
	KeyCount              int
	IsTruncated           bool
	NextContinuationToken string `xml:",omitempty"`
	Contents              []content
}

// list serves ListObjectsV2; the token of the next page is the last key of this one.
func (a *API) list(w http.ResponseWriter, r *http.Request, bucket string) {
	all, err := a.Store.List(bucket)
	if err != nil {
		refuse(w, err)
		return
	}

	q := r.URL.Query()
	most := maxKeys
	if n, err := strconv.Atoi(q.Get("max-keys")); err == nil {
		most = min(n, maxKeys)
	}
	out := listed{Name: bucket}
	for _, o := range all {
		if !strings.HasPrefix(o.Key, q.Get("prefix")) || o.Key <= q.Get("continuation-token") {
			continue
		}
		if len(out.Contents) == most {
			out.IsTruncated, out.NextContinuationToken = true, out.Contents[most-1].Key
			break
		}
		out.Contents = append(out.Contents, content(o))
	}
	out.KeyCount = len(out.Contents)
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(out)
}

func refuse(w http.ResponseWriter, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		fail(w, http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
		return
	}
	fail(w, http.StatusInternalServerError, "InternalError", err.Error())
}

func fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_ = xml.NewEncoder(w).Encode(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}{Code: code, Message: message})
}
