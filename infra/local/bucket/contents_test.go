package bucket

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	contents "minicloud/shared/aws/objects"
	"minicloud/shared/errs"
	"minicloud/shared/file"
)

// opened returns the platform's own client of the bucket.
func opened(t *testing.T) *contents.Bucket {
	_, client := open(t)
	o := client.Options()
	return contents.New(aws.Config{BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials}, name)
}

var about = file.Meta{
	Type: "image/svg+xml", Disposition: "attachment", CacheControl: "no-store",
	Upload: file.Ref{Shard: 3, Due: 1795000000, ID: "0123456789abcdef01234567"}, File: "89abcdef0123456789abcdef",
}

// TestContents: what the platform asks of S3, with what it stores beside contents.
func TestContents(t *testing.T) {
	b := opened(t)
	key, body := "7/production/ü b%.svg", strings.Repeat("x", 3<<20)
	etag, err := b.Put(t.Context(), key, strings.NewReader(body), int64(len(body)), about)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Head(t.Context(), key)
	if want := (file.Object{Size: int64(len(body)), ETag: etag, Meta: about}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	content, err := b.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	read, err := io.ReadAll(content)
	content.Close()
	if err != nil || string(read) != body {
		t.Errorf("%d bytes, %v", len(read), err)
	}

	if _, err := b.Put(t.Context(), "7/production/other", bytes.NewReader(nil), 0, about); err != nil {
		t.Errorf("an empty one: %v", err)
	}
	if err := b.Delete(t.Context(), key, "7/production/other", "7/production/none"); err != nil {
		t.Error(err)
	}
	if err := b.Delete(t.Context(), key); err != nil {
		t.Errorf("one that is gone: %v", err)
	}
	if _, err := b.Head(t.Context(), key); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("head of one that is gone: %v", err)
	}
	if _, err := b.Get(t.Context(), key); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("one that is gone: %v", err)
	}
}

// TestFormOfContents: a form stores exactly what it was made for, and nothing else.
func TestFormOfContents(t *testing.T) {
	b := opened(t)
	const key = "7/production/a.svg"
	form, err := b.Form(t.Context(), key, about, 10, 30*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var fields []field
	for name, value := range form.Fields {
		fields = append(fields, field{name, value})
	}
	for what, changed := range map[string][]field{
		"another key":          append(with(fields, field{"key", "7/production/other.svg"}), field{"file", "x"}),
		"another application":  append(with(fields, field{"key", "8/production/a.svg"}), field{"file", "x"}),
		"a name in the key":    append(with(fields, field{"key", "7/production/${filename}"}), field{"file", "x"}),
		"another type":         append(with(fields, field{"Content-Type", "text/html"}), field{"file", "x"}),
		"no attachment":        append(with(fields, field{"Content-Disposition", "inline"}), field{"file", "x"}),
		"another upload":       append(with(fields, field{"x-amz-meta-upload", "0.1795000000.000000000000000000000000"}), field{"file", "x"}),
		"another file":         append(with(fields, field{"x-amz-meta-file", "000000000000000000000000"}), field{"file", "x"}),
		"a field more":         append(with(fields, field{"x-amz-acl", "public-read"}), field{"file", "x"}),
		"larger than allowed":  append(with(fields), field{"file", strings.Repeat("x", 11)}),
		"a forged signature":   append(with(fields, field{"X-Amz-Signature", strings.Repeat("0", 64)}), field{"file", "x"}),
		"a policy of nobody":   append(with(fields, field{"policy", "e30="}), field{"file", "x"}),
		"a file before fields": append([]field{{"file", "x"}}, fields...),
	} {
		if status, code, _ := send(t, form.URL, changed, nil); status < 400 {
			t.Errorf("%s: %d %s", what, status, code)
		}
	}
	if _, err := b.Head(t.Context(), key); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("stored: %v", err)
	}
	if status, code, _ := send(t, form.URL, append(fields, field{"file", "0123456789"}), nil); status != 204 {
		t.Errorf("%d %s", status, code)
	}
	got, err := b.Head(t.Context(), key)
	if err != nil || got.Meta != about || got.Size != 10 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLargestForm: a form takes files up to the largest that it allows, and no byte more.
func TestLargestForm(t *testing.T) {
	b := opened(t)
	const key = "7/production/film.bin"
	form, err := b.Form(t.Context(), key, about, file.MaxForm, 30*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int64]int{file.MaxForm + 1: http.StatusBadRequest, file.MaxForm: http.StatusNoContent} {
		if status, code := sendSize(t, form, size); status != want {
			t.Errorf("%d bytes: %d %s", size, status, code)
		}
	}
	if got, err := b.Head(t.Context(), key); err != nil || got.Size != file.MaxForm {
		t.Errorf("%d bytes stored, %v", got.Size, err)
	}
}

// sendSize sends a form with a file of a size, which is never in memory.
func sendSize(t *testing.T, form file.Form, size int64) (status int, code string) {
	t.Helper()
	var around bytes.Buffer
	fields := multipart.NewWriter(&around)
	for name, value := range form.Fields {
		if err := fields.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := fields.CreateFormFile("file", "film.bin"); err != nil {
		t.Fatal(err)
	}
	head := bytes.Clone(around.Bytes())
	around.Reset()
	fields.Close()
	content := io.LimitReader(zeros{}, size)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, form.URL, io.MultiReader(bytes.NewReader(head), content, &around))
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = int64(len(head)) + size + int64(around.Len())
	r.Header.Set("Content-Type", fields.FormDataContentType())
	status, code, _ = do(t, r)
	return status, code
}

// zeros is an endless content.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
