package bucket

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"minicloud/infra/local/bucket/objects"
	"minicloud/infra/local/unkind"
)

// begin begins an upload of the key a.
func begin(t *testing.T, client *s3.Client) *string {
	t.Helper()
	out, err := client.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{
		Bucket: aws.String(name), Key: aws.String("a"), ContentType: aws.String("video/mp4"), Metadata: map[string]string{"file": "65f0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.UploadId
}

// add adds a part and returns what completes it.
func add(t *testing.T, client *s3.Client, id *string, number int32, body []byte) types.CompletedPart {
	t.Helper()
	out, err := client.UploadPart(t.Context(), &s3.UploadPartInput{
		Bucket: aws.String(name), Key: aws.String("a"), UploadId: id, PartNumber: &number, Body: bytes.NewReader(body),
	})
	if err != nil {
		t.Fatal(err)
	}
	return types.CompletedPart{PartNumber: &number, ETag: out.ETag, ChecksumCRC32: out.ChecksumCRC32}
}

func complete(t *testing.T, client *s3.Client, id *string, parts ...types.CompletedPart) (*s3.CompleteMultipartUploadOutput, error) {
	t.Helper()
	return client.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: aws.String(name), Key: aws.String("a"), UploadId: id, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
}

// TestMultipart: 20 MB in parts of any order are one object, with the ETag that S3 gives it.
func TestMultipart(t *testing.T) {
	api, client := open(t)
	all := make([]byte, 20<<20)
	for i := range all {
		all[i] = byte(i >> 7)
	}
	id := begin(t, client)
	third := add(t, client, id, 9, all[16<<20:])
	add(t, client, id, 1, []byte("replaced"))
	first, second := add(t, client, id, 1, all[:8<<20]), add(t, client, id, 2, all[8<<20:16<<20])

	var numbers []string
	pages := s3.NewListPartsPaginator(client, &s3.ListPartsInput{
		Bucket: aws.String(name), Key: aws.String("a"), UploadId: id, MaxParts: aws.Int32(2),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Parts {
			numbers = append(numbers, fmt.Sprint(*p.PartNumber, " ", *p.Size))
		}
	}
	if got := strings.Join(numbers, ", "); got != "1 8388608, 2 8388608, 9 4194304" {
		t.Errorf("parts %s", got)
	}

	out, err := complete(t, client, id, first, second, third)
	if err != nil {
		t.Fatal(err)
	}
	// The MD5 of the three digests, as Python computes it.
	if *out.ETag != "\"5fa8c35b40229c4276413f357d10cc8f-3\"" {
		t.Errorf("ETag %s", *out.ETag)
	}
	object, body := read(t, client, &s3.GetObjectInput{Key: aws.String("a")})
	if body != string(all) || *object.ContentType != "video/mp4" || object.Metadata["file"] != "65f0" || *object.ETag != *out.ETag {
		t.Errorf("%d bytes, %+v", len(body), object)
	}
	if _, err := complete(t, client, id, first, second, third); code(err) != "NoSuchUpload" {
		t.Errorf("again: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(api.Store.Dir, ".uploads", "*", "*")); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestPartsRefused as S3 refuses them; nothing of them becomes an object.
func TestPartsRefused(t *testing.T) {
	_, client := open(t)
	put(t, client, "a", "before")
	id := begin(t, client)
	big, small := add(t, client, id, 1, make([]byte, objects.MinPart)), add(t, client, id, 2, []byte("small"))
	other := small
	other.ETag = big.ETag
	missing := small
	missing.PartNumber = aws.Int32(3)
	for want, parts := range map[string][]types.CompletedPart{
		"EntityTooSmall":   {small, {PartNumber: aws.Int32(4), ETag: add(t, client, id, 4, nil).ETag}},
		"InvalidPart":      {big, other},
		"InvalidPartOrder": {small, big},
		"MalformedXML":     nil,
	} {
		if _, err := complete(t, client, id, parts...); code(err) != want {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := complete(t, client, id, big, missing); code(err) != "InvalidPart" {
		t.Errorf("a part that is missing: %v", err)
	}
	for _, wrong := range []string{"", "..", "../FilesBucket", strings.Repeat("-", 36), "00000000-0000-4000-a000-000000000000"} {
		_, err := client.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: aws.String(name), Key: aws.String("a"), UploadId: &wrong, PartNumber: aws.Int32(1), Body: strings.NewReader("x"),
		})
		if wrong != "" && code(err) != "NoSuchUpload" {
			t.Errorf("of the upload %q: %v", wrong, err)
		}
	}
	for _, number := range []int32{0, 10001} {
		_, err := client.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: aws.String(name), Key: aws.String("a"), UploadId: id, PartNumber: &number, Body: strings.NewReader("x"),
		})
		if code(err) != "InvalidArgument" {
			t.Errorf("part %d: %v", number, err)
		}
	}

	abort := &s3.AbortMultipartUploadInput{Bucket: aws.String(name), Key: aws.String("b"), UploadId: id}
	if _, err := client.AbortMultipartUpload(t.Context(), abort); code(err) != "NoSuchUpload" {
		t.Errorf("of another key: %v", err)
	}
	abort.Key = aws.String("a")
	if _, err := client.AbortMultipartUpload(t.Context(), abort); err != nil {
		t.Error(err)
	}
	if _, err := complete(t, client, id, big, small); code(err) != "NoSuchUpload" {
		t.Errorf("after its end: %v", err)
	}
	if _, body := read(t, client, &s3.GetObjectInput{Key: aws.String("a")}); body != "before" {
		t.Errorf("left %.20q", body)
	}
}

// TestCopy keeps headers, or replaces them, and asks for both objects.
func TestCopy(t *testing.T) {
	api, client := open(t)
	if _, err := client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(name), Key: aws.String("ä/ b+%"), Body: strings.NewReader("hello"), ContentType: aws.String("text/plain"),
		Metadata: map[string]string{"file": "65f0"},
	}); err != nil {
		t.Fatal(err)
	}
	copyTo := func(key, source string, change func(*s3.CopyObjectInput)) error {
		in := &s3.CopyObjectInput{Bucket: aws.String(name), Key: &key, CopySource: &source}
		if change != nil {
			change(in)
		}
		_, err := client.CopyObject(t.Context(), in)
		return err
	}
	const source = name + "/%C3%A4/%20b+%25"
	replaced := func(in *s3.CopyObjectInput) {
		in.MetadataDirective, in.ContentType = types.MetadataDirectiveReplace, aws.String("text/csv")
	}
	if err := errors.Join(copyTo("kept", source, nil), copyTo("replaced", "/"+source, replaced)); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"kept": "text/plain 65f0", "replaced": "text/csv "} {
		object, body := read(t, client, &s3.GetObjectInput{Key: &key})
		if got := *object.ContentType + " " + object.Metadata["file"]; body != "hello" || got != want {
			t.Errorf("%s: %q %s", key, body, got)
		}
	}
	for source, want := range map[string]string{
		name + "/missing": "NoSuchKey", "Other/a": "NoSuchBucket", name: "InvalidArgument", name + "/a?versionId=1": "NotImplemented",
		name + "/kept": "InvalidRequest",
	} {
		if err := copyTo("kept", source, nil); code(err) != want {
			t.Errorf("of %s: %v", source, err)
		}
	}
	api.Allow = func(_, action, resource string) error {
		if action == "s3:GetObject" && strings.HasSuffix(resource, "/replaced") {
			return os.ErrPermission
		}
		return nil
	}
	if err := copyTo("more", name+"/replaced", nil); code(err) != "AccessDenied" {
		t.Errorf("of what may not be read: %v", err)
	}
}

// TestDeleteObjects tells of each object, and may do a batch in part.
func TestDeleteObjects(t *testing.T) {
	api, client := open(t)
	remove := func(keys ...string) *s3.DeleteObjectsOutput {
		t.Helper()
		in := &s3.DeleteObjectsInput{Bucket: aws.String(name), Delete: &types.Delete{}}
		for _, key := range keys {
			in.Delete.Objects = append(in.Delete.Objects, types.ObjectIdentifier{Key: &key})
		}
		out, err := client.DeleteObjects(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	put(t, client, "a&b", "x")
	put(t, client, "kept", "x")
	api.Allow = func(_, action, resource string) error {
		if action == "s3:DeleteObject" && strings.HasSuffix(resource, "/kept") {
			return os.ErrPermission
		}
		return nil
	}
	out := remove("a&b", "missing", "kept", strings.Repeat("x", 1025))
	if len(out.Deleted) != 2 || len(out.Errors) != 2 || *out.Errors[0].Code != "AccessDenied" || *out.Errors[1].Code != "KeyTooLongError" {
		t.Errorf("%+v %+v", out.Deleted, out.Errors)
	}
	if got := list(t, client, s3.ListObjectsV2Input{}); len(got) != 1 || got[0] != "kept" {
		t.Errorf("left %q", got)
	}

	api.Unkind = unkind.New(unkind.Numbers{unkind.PartialBatches: 1000}, rand.New(rand.NewPCG(1, 2)), nil)
	if out := remove("a"); len(out.Errors) != 1 || *out.Errors[0].Code != "InternalError" {
		t.Errorf("%+v", out.Errors)
	}
	_, err := client.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{Bucket: aws.String(name), Delete: &types.Delete{Objects: make([]types.ObjectIdentifier, 0)}})
	if code(err) != "MalformedXML" {
		t.Errorf("an empty list: %v", err)
	}
}

// TestConditionalWrites: If-None-Match: * refuses to replace an object.
func TestConditionalWrites(t *testing.T) {
	_, client := open(t)
	for i, want := range []string{"", "PreconditionFailed"} {
		_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: aws.String(name), Key: aws.String("a"), Body: strings.NewReader(fmt.Sprint(i)), IfNoneMatch: aws.String("*"),
		})
		if code(err) != want {
			t.Errorf("%d: %v", i, err)
		}
	}
	if _, body := read(t, client, &s3.GetObjectInput{Key: aws.String("a")}); body != "0" {
		t.Errorf("left %q", body)
	}
}

// TestSlowDown: some requests are refused, and nothing of them is done.
func TestSlowDown(t *testing.T) {
	api, client := open(t)
	api.Unkind = unkind.New(unkind.Numbers{unkind.SlowDown: 300}, rand.New(rand.NewPCG(1, 2)), nil)
	refused := 0
	for i := range 20 {
		_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: aws.String(name), Key: aws.String(fmt.Sprint(i)), Body: strings.NewReader("x"),
		}, func(o *s3.Options) { o.RetryMaxAttempts = 1 })
		switch {
		case code(err) == "SlowDown":
			refused++
		case err != nil:
			t.Fatal(err)
		}
	}
	hits := api.Unkind.Hits()[unkind.SlowDown]
	api.Unkind = nil
	if got := len(list(t, client, s3.ListObjectsV2Input{})); refused == 0 || refused != hits || got != 20-refused {
		t.Errorf("%d refused, %d counted, %d objects", refused, hits, got)
	}
}

// TestDelimiter groups keys as folders.
func TestDelimiter(t *testing.T) {
	_, client := open(t)
	for _, key := range []string{"a", "b/1", "b/2", "b/c/3", "d"} {
		put(t, client, key, "")
	}
	for prefix, want := range map[string]string{"": "a d b/", "b/": "b/1 b/2 b/c/", "b": "b/", "x": ""} {
		got := list(t, client, s3.ListObjectsV2Input{Prefix: &prefix, Delimiter: aws.String("/")})
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q", prefix, got)
		}
	}
	if got := list(t, client, s3.ListObjectsV2Input{StartAfter: aws.String("b/1"), MaxKeys: aws.Int32(1)}); strings.Join(got, " ") != "b/2 b/c/3 d" {
		t.Errorf("%q", got)
	}
	encoded, err := client.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{
		Bucket: aws.String(name), Prefix: aws.String("b/c"), EncodingType: types.EncodingTypeUrl,
	})
	if err != nil || *encoded.Contents[0].Key != "b/c/3" {
		t.Errorf("%v, %v", encoded, err)
	}
}
