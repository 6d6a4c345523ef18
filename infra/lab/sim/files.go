package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"minicloud/infra/local/bucket"
	"minicloud/infra/local/bucket/objects"
	"minicloud/infra/local/template"
	"minicloud/shared/clock"
)

// openBuckets makes the buckets of the template, by the code of the local cloud. Their objects are files, which only the
// goroutine that performs calls touches, and that of an event while no other is awake.
func (w *World) openBuckets(t *template.Template) {
	var names []string
	for _, b := range t.Buckets {
		names = append(names, b.Name)
		if b.Notifies {
			w.notified = b.Name
		}
	}
	if w.notified == "" {
		return
	}
	w.objectsDir = must(os.MkdirTemp("", "sim-objects-"))
	store := must(objects.Open(w.objectsDir, names, clock.System))
	w.buckets = &bucket.API{Store: store, Count: func(string) {}, Unkind: w.Unkind}
	check(store.Notify(objects.Events{
		Unkind: w.Unkind, Failed: func(err error) { slog.Error(err.Error()) },
		Put: func(detailType string, resources []string, at time.Time, detail []byte) error {
			random := w.Random(fmt.Sprint("object event ", time.Now().UnixNano(), string(detail)))
			time.Sleep(random.Jitter(0))
			_, _, err := w.bus.Put("default", detailType, "aws.s3", at, resources, detail)
			return err
		},
	}, []string{w.notified}))
}

// closeBuckets removes all objects.
func (w *World) closeBuckets() {
	if w.buckets != nil {
		w.buckets.Store.Close()
		check(os.RemoveAll(w.objectsDir))
	}
}

// brief names a request to S3: contents are long.
func brief(r *http.Request, body []byte) string {
	sum := sha256.Sum256(body)
	if boundary := strings.Contains(r.Header.Get("Content-Type"), "multipart"); boundary {
		sum = sha256.Sum256(nil) // its boundary is random
	}
	return fmt.Sprint(r.Method, " ", r.URL.RequestURI(), " ", len(body), " ", hex.EncodeToString(sum[:8]))
}

// Browse sends a request of a page to S3. Its process dies as those of programs do; the next request has another.
func (w *World) Browse(r *http.Request) (*http.Response, error) {
	return (&gate{w, w.Instance("browser", func(*Instance) any { return nil })}).Do(r)
}

// Objects are the keys of the bucket that has events, the one of files.
func (w *World) Objects() []string { return must(w.buckets.Store.Keys(w.notified, "")) }

// Object is the content of an object in it; ok is false if there is none.
func (w *World) Object(key string) (content []byte, ok bool) {
	opened, err := w.buckets.Store.Open(w.notified, key)
	if err != nil {
		return nil, false
	}
	defer opened.Close()
	return must(io.ReadAll(opened)), true
}
