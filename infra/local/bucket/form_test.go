package bucket

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"minicloud/infra/local/template"
	"minicloud/shared/clock"
)

// field is a field of a form.
type field struct{ name, value string }

// send sends a form with its fields in this order, "file" as a file, and returns status, code of the error and answer.
func send(t *testing.T, url string, fields []field, header http.Header) (int, string, *http.Response) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range fields {
		if f.name != "file" {
			if err := form.WriteField(f.name, f.value); err != nil {
				t.Fatal(err)
			}
			continue
		}
		file, err := form.CreateFormFile("file", "../photo.png")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(file, f.value); err != nil {
			t.Fatal(err)
		}
	}
	form.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, &body)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, header)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return do(t, r)
}

func do(t *testing.T, r *http.Request) (int, string, *http.Response) {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "<Code>")
	code, _, _ := strings.Cut(rest, "</Code>")
	return resp.StatusCode, code, resp
}

// signed returns the fields of a form that the SDK signs for the key a/b.png, with conditions as for uploads.
func signed(t *testing.T, client *s3.Client, fields map[string]string, conditions ...any) (url string, out []field) {
	t.Helper()
	conditions = append(conditions, []any{"content-length-range", 2, 10})
	for name, value := range fields {
		conditions = append(conditions, map[string]string{name: value})
	}
	post, err := s3.NewPresignClient(client).PresignPostObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(name), Key: aws.String("a/b.png"),
	}, func(o *s3.PresignPostOptions) { o.Conditions, o.Expires = conditions, 30*time.Minute })
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range post.Values {
		out = append(out, field{name, value})
	}
	for name, value := range fields {
		out = append(out, field{name, value})
	}
	return post.URL, out
}

// with replaces fields of a form, or adds them.
func with(fields []field, changes ...field) []field {
	out := append([]field(nil), fields...)
next:
	for _, change := range changes {
		for i := range out {
			if strings.EqualFold(out[i].name, change.name) {
				out[i].value = change.value
				continue next
			}
		}
		out = append(out, change)
	}
	return out
}

// TestForm: the form that the SDK signs puts an object with its headers. Whatever is behind the file is ignored.
func TestForm(t *testing.T) {
	api, client := open(t)
	about := map[string]string{"Content-Type": "image/png", "Cache-Control": "max-age=60", "x-amz-meta-file": "65f0"}
	url, fields := signed(t, client, about, []any{"starts-with", "$success_action_status", "20"})
	for status, want := range map[string]int{"200": 200, "201": 201, "204": 204, "202": 204} {
		fields := append(with(fields, field{"success_action_status", status}), field{"file", "image"}, field{"x-amz-acl", "public-read"})
		got, code, answer := send(t, url, fields, nil)
		if got != want || answer.Header.Get("ETag") != `"78805a221a988e79ef3f42d7c5bfd418"` {
			t.Errorf("%s: %d %s %v", status, got, code, answer.Header)
		}
	}
	object, body := read(t, client, &s3.GetObjectInput{Key: aws.String("a/b.png")})
	if body != "image" || *object.ContentType != "image/png" || *object.CacheControl != "max-age=60" || object.Metadata["file"] != "65f0" {
		t.Errorf("%q %+v", body, object)
	}

	api.Allow = func(authorization, action, resource string) error {
		if want := "s3:PutObject arn:aws:s3:::FilesBucket/a/b.png"; action+" "+resource != want || !strings.Contains(authorization, "=id/") {
			t.Errorf("%s asks for %s of %s", authorization, action, resource)
		}
		return io.EOF
	}
	if got, code, _ := send(t, url, append(with(fields, field{"success_action_status", "200"}), field{"file", "image"}), nil); got != 403 {
		t.Errorf("without permission: %d %s", got, code)
	}
}

// TestFormsRefused: a form does nothing but what its policy says, and only while it is valid.
func TestFormsRefused(t *testing.T) {
	api, client := open(t)
	put(t, client, "a/b.png", "before")
	url, fields := signed(t, client, map[string]string{"Content-Type": "image/png"}, []any{"starts-with", "$x-amz-meta-name", "so "})
	fields = with(fields, field{"x-amz-meta-name", "so long"})
	file := field{"file", "image"}
	policy := func(text string) []field {
		encoded := base64.StdEncoding.EncodeToString([]byte(text))
		var credential string
		for _, f := range fields {
			if f.name == "X-Amz-Credential" {
				credential = f.value
			}
		}
		signature, err := sign(credential, encoded)
		if err != nil {
			t.Fatal(err)
		}
		return append(with(fields, field{"policy", encoded}, field{"X-Amz-Signature", signature}), file)
	}

	for what, test := range map[string]struct {
		fields []field
		want   string
	}{
		"another key":            {append(with(fields, field{"key", "a/c.png"}), file), "403 AccessDenied"},
		"another type":           {append(with(fields, field{"Content-Type", "text/html"}), file), "403 AccessDenied"},
		"another prefix":         {append(with(fields, field{"x-amz-meta-name", "long"}), file), "403 AccessDenied"},
		"another field":          {append(with(fields, field{"Cache-Control", "no-store"}), file), "403 AccessDenied"},
		"a field of no form":     {append(with(fields, field{"acl", "public-read"}), file), "501 NotImplemented"},
		"another signature":      {append(with(fields, field{"X-Amz-Signature", "00"}), file), "403 SignatureDoesNotMatch"},
		"another policy":         {append(with(fields, field{"policy", "e30="}), file), "400 InvalidPolicyDocument"},
		"another credential":     {append(with(fields, field{"X-Amz-Credential", "id/20261126/eu-west-1/s3/aws4_request"}), file), "403 SignatureDoesNotMatch"},
		"of another service":     {append(with(fields, field{"X-Amz-Credential", "id/20261126/eu-west-1/ec2/aws4_request"}), file), "400 InvalidArgument"},
		"no policy":              {[]field{{"key", "a/c.png"}, file}, "403 AccessDenied"},
		"too large":              {append(with(fields), field{"file", "more than ten"}), "400 EntityTooLarge"},
		"too small":              {append(with(fields), field{"file", "x"}), "400 EntityTooSmall"},
		"file first":             {append([]field{file}, fields...), "400 InvalidArgument"},
		"no file":                {fields, "400 InvalidArgument"},
		"twice the same":         {append(append(with(fields), fields[0]), file), "400 InvalidArgument"},
		"fields of 20 KB":        {append(with(fields, field{"x-ignore-1", strings.Repeat("x", 20000)}), file), "400 MaxPostPreDataLengthExceeded"},
		"a policy without end":   {policy(`{"conditions":[]}`), "400 InvalidPolicyDocument"},
		"a policy of nothing":    {policy(`{"expiration":"2099-01-01T00:00:00Z"}`), "400 InvalidPolicyDocument"},
		"a policy that lapsed":   {policy(`{"expiration":"2001-01-01T00:00:00Z","conditions":[]}`), "403 AccessDenied"},
		"an unknown condition":   {policy(`{"expiration":"2099-01-01T00:00:00Z","conditions":[["matches","$key",""]]}`), "400 InvalidPolicyDocument"},
		"a policy of other keys": {policy(`{"expiration":"2099-01-01T00:00:00Z","conditions":[["starts-with","$key","b/"]]}`), "403 AccessDenied"},
		"a condition of nobody":  {policy(`{"expiration":"2099-01-01T00:00:00Z","conditions":[{"bucket":"Other"}]}`), "403 AccessDenied"},
	} {
		status, code, _ := send(t, url, test.fields, nil)
		if got := fmt.Sprint(status, " ", code); got != test.want {
			t.Errorf("%s: %s, want %s", what, got, test.want)
		}
	}

	valid := api.Store.Clock
	api.Store.Clock = clock.Fixed(valid().Add(31 * time.Minute))
	if status, code, _ := send(t, url, append(with(fields), file), nil); status != 403 || code != "AccessDenied" {
		t.Errorf("after its time: %d %s", status, code)
	}
	api.Store.Clock = valid

	// A form that breaks off leaves nothing.
	server, body := strings.TrimSuffix(url, "/"+name), "--b\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\na"
	r := httptest.NewRequest(http.MethodPost, server+"/"+name, strings.NewReader(body))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	if w.Code != 400 || !strings.Contains(w.Body.String(), "MalformedPOSTRequest") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got := list(t, client, s3.ListObjectsV2Input{}); len(got) != 1 {
		t.Errorf("there are %q", got)
	}
	if _, body := read(t, client, &s3.GetObjectInput{Key: aws.String("a/b.png")}); body != "before" {
		t.Errorf("left %q", body)
	}
	if status, code, _ := send(t, url, append(with(fields), file), nil); status != 204 {
		t.Errorf("a good one: %d %s", status, code)
	}
}

// TestFormNames: the name of the file goes into the key as it is, without its folders.
func TestFormNames(t *testing.T) {
	_, client := open(t)
	url, fields := signed(t, client, nil, []any{"starts-with", "$key", "a/"})
	status, code, _ := send(t, url, append(with(fields, field{"key", "a/${filename}"}), field{"file", "image"}), nil)
	if got := list(t, client, s3.ListObjectsV2Input{}); status != 204 || len(got) != 1 || got[0] != "a/photo.png" {
		t.Errorf("%d %s, there are %q", status, code, got)
	}
}

// TestPresigned: links of the SDK work for whoever has them until they expire, for what was signed only.
func TestPresigned(t *testing.T) {
	api, client := open(t)
	presign := s3.NewPresignClient(client, func(o *s3.PresignOptions) { o.Expires = time.Minute })
	upload, err := presign.PresignPutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(name), Key: aws.String("ä b/+c.png"), ContentType: aws.String("image/png"), Metadata: map[string]string{"file": "65f0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), upload.Method, upload.URL, strings.NewReader("image"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = upload.SignedHeader
	r.Header.Del("Host")
	if status, code, _ := do(t, r); status != 200 {
		t.Fatalf("PUT: %d %s", status, code)
	}
	r.Header.Set("X-Amz-Meta-More", "x")
	r.Body = io.NopCloser(strings.NewReader("image"))
	if status, code, _ := do(t, r); status != 403 || code != "AccessDenied" {
		t.Errorf("a header that was not signed: %d %s", status, code)
	}

	link, err := presign.PresignGetObject(t.Context(), &s3.GetObjectInput{
		Bucket: aws.String(name), Key: aws.String("ä b/+c.png"), ResponseContentDisposition: aws.String("attachment; filename=\"c d.png\""),
	})
	if err != nil {
		t.Fatal(err)
	}
	get := func(method, url string) (int, string, *http.Response) {
		r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		return do(t, r)
	}
	status, code, answer := get("GET", link.URL)
	if status != 200 || answer.Header.Get("Content-Disposition") != `attachment; filename="c d.png"` ||
		answer.Header.Get("X-Amz-Meta-File") != "65f0" {
		t.Errorf("%d %s %v", status, code, answer.Header)
	}

	for what, url := range map[string]string{
		"another key":       strings.Replace(link.URL, "c.png", "d.png", 1),
		"longer":            strings.Replace(link.URL, "X-Amz-Expires=60", "X-Amz-Expires=61", 1),
		"another name":      strings.Replace(link.URL, "c%20d", "e%20d", 1),
		"another parameter": link.URL + "&versionId=1",
	} {
		if status, code, _ := get("GET", url); status != 403 || code != "SignatureDoesNotMatch" {
			t.Errorf("%s: %d %s", what, status, code)
		}
	}
	if status, code, _ := get("DELETE", link.URL); status != 403 {
		t.Errorf("another method: %d %s", status, code)
	}
	if status, code, _ := get("GET", strings.Replace(link.URL, "X-Amz-Expires=60", "X-Amz-Expires=604801", 1)); status != 400 {
		t.Errorf("longer than a week: %d %s", status, code)
	}
	if status, _, _ := get("GET", strings.Split(link.URL, "?")[0]); status != 403 {
		t.Errorf("without signature: %d", status)
	}
	if status, code, _ := get("GET", strings.Split(link.URL, "?")[0]+"?AWSAccessKeyId=id&Signature=x&Expires=1"); status != 400 || code != "InvalidRequest" {
		t.Errorf("signature of version 2: %d %s", status, code)
	}
	api.Store.Clock = clock.Fixed(api.Store.Clock().Add(61 * time.Second))
	if status, code, _ := get("GET", link.URL); status != 403 || code != "AccessDenied" {
		t.Errorf("after its time: %d %s", status, code)
	}
}

// TestCORS: pages read answers as the rules of the bucket say, errors too. They may not sign in a header.
func TestCORS(t *testing.T) {
	api, client := open(t)
	api.CORS = map[string][]template.CORSRule{name: {
		{Origins: []string{"https://*.example.com"}, Methods: []string{"GET"}, Headers: []string{"x-*"}, Exposed: []string{"ETag"}, MaxAge: 60},
		{Origins: []string{"*"}, Methods: []string{"POST"}},
	}}
	url, fields := signed(t, client, nil)
	_, _, answer := send(t, url, append(with(fields), field{"file", "image"}), http.Header{"Origin": {"https://shop.example"}})
	if answer.StatusCode != 204 || answer.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%d %v", answer.StatusCode, answer.Header)
	}
	_, _, answer = send(t, url, fields, http.Header{"Origin": {"https://shop.example"}})
	if answer.StatusCode != 400 || answer.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("an error: %d %v", answer.StatusCode, answer.Header)
	}

	ask := func(header http.Header) (int, http.Header) {
		r := httptest.NewRequest(http.MethodOptions, "/"+name+"/a", nil)
		r.Header = header
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		return w.Code, w.Header()
	}
	asks := func(origin, method, headers string) http.Header {
		return http.Header{
			"Origin": {origin}, "Access-Control-Request-Method": {method}, "Access-Control-Request-Headers": {headers},
		}
	}
	status, header := ask(asks("https://a.example.com", "GET", "X-One, x-two"))
	if status != 200 || header.Get("Access-Control-Allow-Origin") != "https://a.example.com" || header.Get("Access-Control-Max-Age") != "60" ||
		header.Get("Access-Control-Allow-Headers") != "x-one, x-two" || header.Get("Access-Control-Expose-Headers") != "ETag" {
		t.Errorf("%d %v", status, header)
	}
	for _, refused := range []http.Header{
		asks("https://example.org", "GET", ""), asks("https://a.example.com", "PUT", ""), asks("https://a.example.com", "GET", "range"),
	} {
		if status, header := ask(refused); status != 403 || header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%v: %d %v", refused, status, header)
		}
	}

	r := httptest.NewRequest(http.MethodGet, "/"+name+"/a/b.png", nil)
	r.Header = http.Header{"Origin": {"https://a.example.com"}, "Authorization": {"AWS4-HMAC-SHA256 Credential=id/20261126/us-east-1/s3/aws4_request"}}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	if w.Code != 403 {
		t.Errorf("a page that pretends to be a program: %d", w.Code)
	}
}
