package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// open returns a store with one bucket and the SDK's client of it.
func open(t *testing.T) (*Store, *s3.Client) {
	t.Helper()
	store, err := Open(t.TempDir(), []string{"lost"})
	if err != nil {
		t.Fatal(err)
	}
	api := &API{Store: store, Count: func(string) {}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Serves(r) {
			t.Errorf("%s %s is not known as a request of S3", r.Method, r.URL)
		}
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return store, s3.New(s3.Options{
		BaseEndpoint: &server.URL, Region: "us-east-1", UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	})
}

// TestObjects are put by Lambda, and listed, read and deleted by the SDK.
func TestObjects(t *testing.T) {
	store, client := open(t)
	keys := []string{"..", "aws/lambda/Rows/shard-1/2026/11/26/a b", "aws/lambda/Rows/shard-1/2026/11/26/c"}
	for _, key := range keys {
		if err := store.Put("lost", key, []byte("of "+key)); err != nil {
			t.Fatal(err)
		}
	}
	if got := list(t, client, 2); !slices.Equal(got, keys) {
		t.Errorf("listed %q", got)
	}

	for _, key := range keys {
		out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("lost"), Key: &key})
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(out.Body)
		if err != nil || string(body) != "of "+key {
			t.Errorf("%s: %q, %v", key, body, err)
		}
		for range 2 { // a missing object is no error
			if _, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String("lost"), Key: &key}); err != nil {
				t.Error(err)
			}
		}
		_, err = client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("lost"), Key: &key})
		if _, missing := errors.AsType[*types.NoSuchKey](err); !missing {
			t.Errorf("%s after its deletion: %v", key, err)
		}
	}
	if got := list(t, client, 2); len(got) != 0 {
		t.Errorf("left %q", got)
	}
}

func list(t *testing.T, client *s3.Client, perPage int32) (keys []string) {
	t.Helper()
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: aws.String("lost"), MaxKeys: &perPage})
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Contents) > int(perPage) {
			t.Errorf("%d objects in a page", len(page.Contents))
		}
		for _, o := range page.Contents {
			keys = append(keys, *o.Key)
		}
	}
	return keys
}

// TestRefusesOtherBuckets: only buckets of the template exist, and no name of a bucket becomes another path.
func TestRefusesOtherBuckets(t *testing.T) {
	store, _ := open(t)
	for _, name := range []string{"", ".", "..", "other", "lost/.."} {
		if err := store.Put(name, "key", nil); err == nil {
			t.Errorf("%q took an object", name)
		}
		if _, err := store.List(name); err == nil {
			t.Errorf("%q was listed", name)
		}
	}
	for path, want := range map[string]string{"/lost": "s3:ListBucket arn:aws:s3:::lost", "/lost/a/b": "s3:GetObject arn:aws:s3:::lost/a/b"} {
		action, resource := Asked(httptest.NewRequest(http.MethodGet, path, nil))
		if got := fmt.Sprint(action, " ", resource); got != want {
			t.Errorf("%s needs %s", path, got)
		}
	}
}
