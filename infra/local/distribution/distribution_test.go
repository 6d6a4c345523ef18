package distribution_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"minicloud/infra/local/bucket"
	"minicloud/infra/local/bucket/objects"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/distribution"
	"minicloud/infra/local/iam"
	"minicloud/infra/local/template"
	files "minicloud/shared/aws/objects"
	"minicloud/shared/clock"
	"minicloud/shared/file"
)

// serve starts the distribution of template.yaml in front of a bucket with one file.
func serve(t *testing.T) string {
	t.Helper()
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	all, err := template.ReadFile(filepath.Join(root, "template.yaml"), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := all.Distributions[0]
	store, err := objects.Open(t.TempDir(), []string{d.Bucket}, clock.System)
	if err != nil {
		t.Fatal(err)
	}
	gate, rules := iam.New(all, "us-east-1"), map[string][]template.CORSRule{}
	for _, b := range all.Buckets {
		rules[b.Name] = b.CORS
	}
	about := objects.Object{Key: "7/production/ä b.png", Headers: map[string]string{"Content-Type": "image/png", "Cache-Control": "max-age=60"}}
	maps.Copy(about.Headers, metadata(t))
	if _, err := store.Write(d.Bucket, about, strings.NewReader("0123456789"), nil); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&distribution.Distribution{Of: d, Bucket: &bucket.API{
		Store: store, Count: func(string) {}, CORS: rules,
		Allow: func(authorization, action, resource string) error { return gate.Check(authorization, action, resource) },
	}})
	t.Cleanup(server.Close)
	return server.URL
}

// metadata returns the headers that say whose content an object is.
func metadata(t *testing.T) map[string]string {
	t.Helper()
	b := files.New(aws.Config{Region: ddb.Region, Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")}, "b")
	form, err := b.Form(t.Context(), "k", file.Meta{Type: "image/png", File: "f"}, 1, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(form.Fields, func(name, _ string) bool { return !strings.HasPrefix(name, "x-amz-meta-") })
	if len(form.Fields) == 0 {
		t.Fatal("objects have no metadata")
	}
	headers := map[string]string{}
	for name, text := range form.Fields {
		headers[http.CanonicalHeaderKey(name)] = text
	}
	return headers
}

func ask(t *testing.T, method, url string, header http.Header) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// TestFiles come with their headers and those of the policy, whole, in part, or not again.
func TestFiles(t *testing.T) {
	base := serve(t)
	file := base + "/7/production/%C3%A4%20b.png"
	for what, test := range map[string]struct {
		method, url string
		header      http.Header
		status      int
		body        string
	}{
		"file":                   {"GET", file, nil, 200, "0123456789"},
		"its headers":            {"HEAD", file, nil, 200, ""},
		"with a query":           {"GET", file + "?list-type=2&X-Amz-Signature=00", nil, 200, "0123456789"},
		"range":                  {"GET", file, http.Header{"Range": {"bytes=2-4"}}, 206, "234"},
		"no range":               {"GET", file, http.Header{"Range": {"bytes=20-"}}, 416, "InvalidRange"},
		"known":                  {"GET", file, http.Header{"If-None-Match": {`"781e5e245d69b566979b86e28d23f2c7"`}}, 304, ""},
		"missing":                {"GET", base + "/7/production/b.png", nil, 404, "NoSuchKey"},
		"root":                   {"GET", base + "/", nil, 404, "NoSuchKey"},
		"root with a query":      {"GET", base + "?list-type=2", nil, 404, "NoSuchKey"},
		"folder":                 {"GET", base + "/7/", nil, 404, "NoSuchKey"},
		"slash":                  {"GET", base + "//", nil, 404, "NoSuchKey"},
		"up":                     {"GET", base + "/%2e%2e/LostRecordsBucket/x", nil, 404, "NoSuchKey"},
		"up and down":            {"GET", base + "/..%2fFilesBucket/7/production/%C3%A4%20b.png", nil, 404, "NoSuchKey"},
		"write":                  {"PUT", file, nil, 403, "not configured"},
		"deletion":               {"DELETE", file, nil, 403, "not configured"},
		"credentials of viewers": {"GET", file, http.Header{"Authorization": {"AWS4-HMAC-SHA256 Credential=x/s3/aws4_request"}}, 200, "0123456789"},
	} {
		resp, body := ask(t, test.method, test.url, test.header)
		if resp.StatusCode != test.status || !strings.Contains(body, test.body) || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %s %v", what, resp.StatusCode, body, resp.Header)
		}
		if test.status == 200 && (resp.Header.Get("Content-Type") != "image/png" || resp.Header.Get("Cache-Control") != "max-age=60" ||
			resp.Header.Get("ETag") == "" || resp.ContentLength != 10) {
			t.Errorf("%s: %v", what, resp.Header)
		}
		for name := range resp.Header {
			if strings.HasPrefix(name, "X-Amz-Meta-") {
				t.Errorf("%s: viewers see %s", what, name)
			}
		}
		if strings.Contains(body, "ListBucketResult") {
			t.Errorf("%s lists the bucket: %s", what, body)
		}
	}
}

// TestPages of any origin read files, after a preflight too.
func TestPages(t *testing.T) {
	file := serve(t) + "/7/production/%C3%A4%20b.png"
	resp, _ := ask(t, "GET", file, http.Header{"Origin": {"https://shop.example"}})
	if resp.StatusCode != 200 || resp.Header.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.Contains(resp.Header.Get("Access-Control-Expose-Headers"), "Content-Range") {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	if resp, _ := ask(t, "GET", file, nil); resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("of no page: %v", resp.Header)
	}
	preflight := http.Header{"Origin": {"https://shop.example"}, "Access-Control-Request-Method": {"GET"}, "Access-Control-Request-Headers": {"range"}}
	if resp, _ := ask(t, "OPTIONS", file, preflight); resp.StatusCode != 200 || resp.Header.Get("Access-Control-Allow-Headers") != "range" {
		t.Errorf("preflight: %d %v", resp.StatusCode, resp.Header)
	}
	preflight.Set("Access-Control-Request-Method", "DELETE")
	if resp, _ := ask(t, "OPTIONS", file, preflight); resp.StatusCode != 403 {
		t.Errorf("preflight of a deletion: %d", resp.StatusCode)
	}
}
