package bucket

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"minicloud/infra/local/bucket/objects"
	"minicloud/shared/clock"
)

// name is the bucket of the tests, which has capital letters as logical ids do.
const name = "FilesBucket"

// open returns an API with one bucket, and the SDK's client of it with nothing but an address.
func open(t *testing.T) (*API, *s3.Client) {
	t.Helper()
	store, err := objects.Open(t.TempDir(), []string{name}, clock.System)
	if err != nil {
		t.Fatal(err)
	}
	api := &API{Store: store, Count: func(string) {}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !api.Serves(r) {
			t.Errorf("%s %s is not known as a request of S3", r.Method, r.URL)
		}
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return api, s3.New(s3.Options{
		BaseEndpoint: &server.URL, Region: "us-east-1",
		Credentials:                credentials.NewStaticCredentialsProvider("id", "local", ""),
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
	})
}

// put puts an object by the SDK.
func put(t *testing.T, client *s3.Client, key, text string) *s3.PutObjectOutput {
	t.Helper()
	out, err := client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String(name), Key: &key, Body: strings.NewReader(text)})
	if err != nil {
		t.Fatalf("%q: %v", key, err)
	}
	return out
}

// read returns the body of an object.
func read(t *testing.T, client *s3.Client, in *s3.GetObjectInput) (*s3.GetObjectOutput, string) {
	t.Helper()
	in.Bucket = aws.String(name)
	out, err := client.GetObject(t.Context(), in)
	if err != nil {
		t.Fatalf("%q: %v", *in.Key, err)
	}
	body, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	return out, string(body)
}

// code returns S3's code of an error.
func code(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode()
	}
	return ""
}

func list(t *testing.T, client *s3.Client, in s3.ListObjectsV2Input) (keys []string) {
	t.Helper()
	in.Bucket = aws.String(name)
	pages := s3.NewListObjectsV2Paginator(client, &in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if in.MaxKeys != nil && int32(len(page.Contents)+len(page.CommonPrefixes)) > *in.MaxKeys {
			t.Errorf("%d objects in a page", len(page.Contents))
		}
		for _, o := range page.Contents {
			keys = append(keys, *o.Key)
		}
		for _, p := range page.CommonPrefixes {
			keys = append(keys, *p.Prefix)
		}
	}
	return keys
}

// TestKeys: no key leaves its bucket, is another's, or is too long for the name of a file.
func TestKeys(t *testing.T) {
	api, client := open(t)
	keys := []string{
		".", "..", "../../x", "/", "//a", "A", "a", "a b+c", "a%2fb", "a/b", "a~b", "100%", "x.object", "x.long", "ä/日本.png",
		strings.Repeat("é/", 341), strings.Repeat("k", 1023), strings.Repeat("k", 1024),
	}
	for _, key := range keys {
		put(t, client, key, "of "+key)
	}
	sorted := slices.Sorted(slices.Values(keys))
	if got := list(t, client, s3.ListObjectsV2Input{MaxKeys: aws.Int32(3)}); !slices.Equal(got, sorted) {
		t.Errorf("listed %q", got)
	}

	files, err := filepath.Glob(filepath.Join(api.Store.Dir, "*", "*"))
	if err != nil || len(files) != len(keys) {
		t.Errorf("%d files, %v", len(files), err)
	}
	for _, key := range keys {
		if _, body := read(t, client, &s3.GetObjectInput{Key: &key}); body != "of "+key {
			t.Errorf("%q: %q", key, body)
		}
		for range 2 { // a missing object is no error
			if _, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(name), Key: &key}); err != nil {
				t.Error(err)
			}
		}
		_, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(name), Key: &key})
		if _, missing := errors.AsType[*types.NoSuchKey](err); !missing {
			t.Errorf("%q after its deletion: %v", key, err)
		}
	}
	if got := list(t, client, s3.ListObjectsV2Input{}); len(got) != 0 {
		t.Errorf("left %q", got)
	}
	for key, want := range map[string]string{strings.Repeat("k", 1025): "KeyTooLongError", "a\xff": "InvalidURI"} {
		_, err := client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String(name), Key: &key})
		if code(err) != want {
			t.Errorf("%.10q: %v", key, err)
		}
	}
}

// TestHeaders: what a write says of a body comes back with it, and nothing else.
func TestHeaders(t *testing.T) {
	_, client := open(t)
	in := &s3.PutObjectInput{
		Bucket: aws.String(name), Key: aws.String("a"), Body: strings.NewReader("hello"), ContentType: aws.String("image/svg+xml"),
		ContentDisposition: aws.String(`attachment; filename="a.svg"`), CacheControl: aws.String("public, max-age=31536000"),
		Metadata: map[string]string{"file": "65f0"},
	}
	wrote, err := client.PutObject(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if *wrote.ETag != `"5d41402abc4b2a76b9719d911017c592"` || wrote.ChecksumCRC32 == nil {
		t.Errorf("wrote %+v", wrote)
	}
	got, body := read(t, client, &s3.GetObjectInput{Key: in.Key})
	if body != "hello" || *got.ContentType != *in.ContentType || *got.ContentDisposition != *in.ContentDisposition ||
		*got.CacheControl != *in.CacheControl || got.Metadata["file"] != "65f0" || *got.ContentLength != 5 ||
		*got.ETag != *wrote.ETag || *got.ChecksumCRC32 != *wrote.ChecksumCRC32 {
		t.Errorf("%q %+v", body, got)
	}
	head, err := client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: in.Bucket, Key: in.Key})
	if err != nil || *head.ContentLength != 5 || *head.ContentType != *in.ContentType || head.ContentEncoding != nil {
		t.Errorf("%+v, %v", head, err)
	}
	_, err = client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: in.Bucket, Key: aws.String("b")})
	if _, missing := errors.AsType[*types.NotFound](err); !missing {
		t.Errorf("a missing one: %v", err)
	}

	in.Metadata = map[string]string{"long": strings.Repeat("x", 2048)}
	if _, err := client.PutObject(t.Context(), in); code(err) != "MetadataTooLarge" {
		t.Errorf("2 KB of metadata: %v", err)
	}
}

// TestRanges as S3 answers them: one range, or the whole.
func TestRanges(t *testing.T) {
	_, client := open(t)
	put(t, client, "a", "0123456789")
	for asked, want := range map[string]string{
		"bytes=2-4": "234", "bytes=7-": "789", "bytes=-2": "89", "bytes=0-99": "0123456789", "bytes=0-1,3-4": "0123456789",
		"lines=1-2": "0123456789",
	} {
		got, body := read(t, client, &s3.GetObjectInput{Key: aws.String("a"), Range: &asked})
		if body != want || (got.ContentRange != nil) != (len(want) < 10 || asked == "bytes=0-99") {
			t.Errorf("%s: %q, %v", asked, body, got.ContentRange)
		}
	}
	get := s3.GetObjectInput{Bucket: aws.String(name), Key: aws.String("a"), Range: aws.String("bytes=10-")}
	if _, err := client.GetObject(t.Context(), &get); code(err) != "InvalidRange" {
		t.Errorf("%v", err)
	}
	get.Range, get.IfMatch = nil, aws.String(`"other"`)
	if _, err := client.GetObject(t.Context(), &get); code(err) != "PreconditionFailed" {
		t.Errorf("%v", err)
	}
}

// TestHalfBodies: a body that breaks off, or is another than the request says, leaves what was there before.
func TestHalfBodies(t *testing.T) {
	api, client := open(t)
	put(t, client, "a", "before")
	about := objects.Object{Key: "a"}
	broken := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("gone")))
	if _, err := api.Store.Write(name, about, broken, nil); err == nil {
		t.Error("a broken body is no error")
	}

	send := func(header http.Header, body string) string {
		r := httptest.NewRequest(http.MethodPut, "/"+name+"/a", strings.NewReader(body))
		r.Header = header
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=id/20261126/us-east-1/s3/aws4_request")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		_, rest, _ := strings.Cut(w.Body.String(), "<Code>")
		code, _, _ := strings.Cut(rest, "</Code>")
		return code
	}
	chunked := func(more ...string) http.Header {
		h := http.Header{"X-Amz-Content-Sha256": {"STREAMING-UNSIGNED-PAYLOAD-TRAILER"}, "X-Amz-Decoded-Content-Length": {"3"}}
		for i := 0; i < len(more); i += 2 {
			h.Set(more[i], more[i+1])
		}
		return h
	}
	trailing := chunked("X-Amz-Trailer", "x-amz-checksum-crc32", "X-Amz-Sdk-Checksum-Algorithm", "CRC32")
	for _, test := range []struct {
		header     http.Header
		body, want string
	}{
		{http.Header{"Content-Md5": {"XUFAKrxLKna5cZ2REBfFkg=="}}, "hallo", "BadDigest"},
		{http.Header{"Content-Md5": {"short"}}, "hallo", "InvalidDigest"},
		{http.Header{"X-Amz-Checksum-Sha256": {"AAAA"}}, "hallo", "BadDigest"},
		{http.Header{"X-Amz-Content-Sha256": {"00"}}, "hallo", "XAmzContentSHA256Mismatch"},
		{chunked(), "3\r\nabc\r\n", "IncompleteBody"},
		{chunked(), "9\r\nabc", "IncompleteBody"},
		{chunked(), "4\r\nabcd\r\n0\r\n\r\n", "IncompleteBody"},
		{chunked(), "x\r\nabc\r\n0\r\n\r\n", "InvalidRequest"},
		{chunked(), strings.Repeat("0", 9999), "InvalidRequest"},
		{trailing, "3\r\nabc\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n", "BadDigest"},
		{trailing, "3\r\nabc\r\n0\r\n\r\n", "BadDigest"},
		{http.Header{"X-Amz-Acl": {"public-read"}}, "", "NotImplemented"},
	} {
		if got := send(test.header, test.body); got != test.want {
			t.Errorf("%v %.60q: %s, want %s", test.header, test.body, got, test.want)
		}
	}
	if _, body := read(t, client, &s3.GetObjectInput{Key: aws.String("a")}); body != "before" {
		t.Errorf("left %q", body)
	}
	if left, err := os.ReadDir(filepath.Join(api.Store.Dir, ".unfinished")); err != nil || len(left) != 0 {
		t.Errorf("%v are left, %v", left, err)
	}

	if got := send(trailing, "1;chunk-signature=x\r\na\r\n2\r\nbc\r\n0\r\nx-amz-checksum-crc32:NSRBwg==\r\n\r\n"); got != "" {
		t.Errorf("a good one: %s", got)
	}
	got, body := read(t, client, &s3.GetObjectInput{Key: aws.String("a"), ChecksumMode: types.ChecksumModeEnabled})
	if body != "abc" || *got.ChecksumCRC32 != "NSRBwg==" {
		t.Errorf("stored %q, %v", body, got.ChecksumCRC32)
	}
}

// TestRefusesOtherBuckets: only buckets of the template exist, and no name of a bucket becomes another path.
func TestRefusesOtherBuckets(t *testing.T) {
	api, _ := open(t)
	for _, other := range []string{"", ".", "..", ".unfinished", "other", name + "/.."} {
		if err := api.Store.Put(other, "key", nil); err == nil {
			t.Errorf("%q took an object", other)
		}
		if _, err := api.Store.Keys(other, ""); err == nil {
			t.Errorf("%q was listed", other)
		}
	}
}

// TestPermissions: each operation asks for its action on the object or the bucket. Who may not list a bucket is not told
// what it lacks.
func TestPermissions(t *testing.T) {
	api, client := open(t)
	put(t, client, "a/b", "")
	var asked []string
	refuse := map[string]bool{}
	api.Allow = func(authorization, action, resource string) error {
		if !strings.Contains(authorization, "Credential=id/") {
			t.Errorf("signed by %s", authorization)
		}
		asked = append(asked, action+" "+resource)
		if refuse[action] {
			return errors.New("no")
		}
		return nil
	}
	get := func(key string) error {
		_, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(name), Key: &key})
		return err
	}
	put(t, client, "c", "")
	list(t, client, s3.ListObjectsV2Input{})
	if err := errors.Join(get("a/b")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"s3:PutObject arn:aws:s3:::FilesBucket/c", "s3:ListBucket arn:aws:s3:::FilesBucket", "s3:GetObject arn:aws:s3:::FilesBucket/a/b",
	}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q", asked)
	}

	if err := get("missing"); code(err) != "NoSuchKey" {
		t.Errorf("%v", err)
	}
	refuse["s3:ListBucket"] = true
	if err := get("missing"); code(err) != "AccessDenied" {
		t.Errorf("without s3:ListBucket: %v", err)
	}
	refuse["s3:GetObject"] = true
	if err := get("a/b"); code(err) != "AccessDenied" {
		t.Errorf("without s3:GetObject: %v", err)
	}
}
