package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"mime/multipart"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/shared/file"
)

// started is the answer to step 1.
type started struct {
	ID, Policy, Authorization, CDNPath, Name string
	URL                                      string
	Form                                     file.Form
}

func (p *platform) begin(t *testing.T, body string, header ...string) started {
	t.Helper()
	status, got := p.send(t, "POST /hserve/v2.1/upload/", body, header...)
	if status != 200 {
		t.Fatalf("%s: %d %v", body, status, got)
	}
	text := func(name string) string { return got[name].(string) }
	form, _ := json.Marshal(got["post_form"])
	s := started{
		ID: text("id"), Policy: text("policy"), Authorization: text("authorization"), CDNPath: text("cdn_path"), Name: text("name"),
		URL: strings.TrimPrefix(text("upload_url"), "https://example.com"),
	}
	if err := json.Unmarshal(form, &s.Form); err != nil {
		t.Fatal(err)
	}
	return s
}

// field is a field of a form.
type field struct{ name, value string }

func (s started) fields(content string) []field {
	return []field{{"file", content}, {"policy", s.Policy}, {"authorization", s.Authorization}}
}

// encoded returns the form as multipart/form-data, with its Content-Type.
func encoded(fields []field) (body []byte, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		if f.name == "file" {
			part, _ := w.CreateFormFile("file", "../../etc/passwd.html")
			part.Write([]byte(f.value))
			continue
		}
		w.WriteField(f.name, f.value)
	}
	w.Close()
	return b.Bytes(), w.FormDataContentType()
}

// post sends a form and returns the status and the object in the response.
func (p *platform) post(t *testing.T, path string, fields []field, header ...string) (int, map[string]any) {
	t.Helper()
	body, contentType := encoded(fields)
	return p.send(t, "POST "+path, string(body), append([]string{"Content-Type", contentType, "Origin", "https://page.example"}, header...)...)
}

func picture(t *testing.T) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReceives(t *testing.T) {
	p := newPlatform(t)
	ada := p.logIn(5, false)
	for _, order := range [][]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}} {
		s := p.begin(t, `{"filename":"Photo.png"}`, ada...)
		all := s.fields(picture(t))
		fields := []field{{"ignored", "x"}}
		for _, i := range order {
			fields = append(fields, all[i])
		}
		// Pages send whatever headers they send with every call.
		status, got := p.post(t, s.URL, fields, "Authorization", "Service-r1 nonsense", "X-Service-Client-ID", "nobody", "Idempotency-Key", "k")
		want := map[string]any{
			"code": 200.0, "message": "ok", "url": s.CDNPath, "time": float64(p.now.Unix()), "file_size": float64(len(picture(t))),
			"mimetype": "image/png", "image-type": "PNG", "image-width": 30.0, "image-height": 20.0, "image-frames": 1.0,
		}
		if status != 200 || !maps.Equal(got, want) {
			t.Errorf("%v: %d %v, want %v", order, status, got, want)
		}
		o, _ := p.objects.Object("7/production/" + s.CDNPath)
		if string(o.Content) != picture(t) || o.Type != "image/png" || o.Disposition != "" || !strings.Contains(o.CacheControl, "max-age=31536000") {
			t.Errorf("stored: %+v", o.Object)
		}
		status, read := p.send(t, "GET /hserve/v2.2/uploaded-file/"+s.ID+"/", "", ada...)
		if status != 200 || read["size"] != want["file_size"] || read["name"] != "Photo.png" || read["mime_type"] != "image/png" {
			t.Errorf("read: %d %v", status, read)
		}
		// A policy permits one success (C31).
		if status, got := p.post(t, s.URL, all); status != 403 || got["code"] != 40100002.0 || got["message"] == "" {
			t.Errorf("a second time: %d %v", status, got)
		}
	}
}

func TestContentTypes(t *testing.T) {
	p := newPlatform(t)
	ada := p.logIn(5, false)
	for name, tt := range map[string]struct{ content, mime, disposition string }{
		"a.txt": {"<html>", "text/plain", ""}, "a.svg": {"<svg/>", "image/svg+xml", "attachment"}, "a.pdf": {"%PDF-1.7", "application/pdf", ""},
		"a.mp4": {"x", "video/mp4", ""}, "a.xml": {"<a/>", "application/xml", "attachment"}, "a.js": {"x", "text/javascript", "attachment"},
		"a": {"<!DOCTYPE HTML><script>", "text/html", "attachment"}, "b.weird": {"%PDF-1.7", "application/pdf", ""},
		"c": {"\x89PNG\r\n\x1a\n", "image/png", ""}, "d.": {"", "text/plain", ""}, "e": {"\x00\x01\x02\xff", "application/octet-stream", "attachment"},
	} {
		s := p.begin(t, fmt.Sprintf(`{"filename":%q}`, name), ada...)
		status, got := p.post(t, s.URL, s.fields(tt.content))
		o, _ := p.objects.Object("7/production/" + s.CDNPath)
		if status != 200 || got["mimetype"] != tt.mime || o.Type != tt.mime || o.Disposition != tt.disposition {
			t.Errorf("%s: %d %v, stored as %q %q", name, status, got, o.Type, o.Disposition)
		}
		if _, isPicture := got["image-type"]; isPicture {
			t.Errorf("%s is no picture that can be read: %v", name, got)
		}
	}
}

// TestRefusesPolicies: of another file, user, application and environment, forged, expired.
func TestRefusesPolicies(t *testing.T) {
	p := newPlatform(t)
	ada, ben := p.logIn(5, false), p.logIn(6, false)
	s, other := p.begin(t, `{"filename":"a.png"}`, ada...), p.begin(t, `{"filename":"b.png"}`, ben...)
	inBank := p.begin(t, `{}`, append(slices.Clone(ada[:2]), "X-Service-Client-ID", string(bank.ClientID))...)
	// edited returns the policy with a member changed.
	edited := func(member string, v any) string {
		plain, _ := base64.StdEncoding.DecodeString(s.Policy)
		var object map[string]any
		json.Unmarshal(plain, &object)
		object[member] = v
		plain, _ = json.Marshal(object)
		return base64.StdEncoding.EncodeToString(plain)
	}
	for name, tt := range map[string]struct{ path, policy, authorization string }{
		"of another file":         {other.URL, s.Policy, s.Authorization},
		"another's signature":     {s.URL, s.Policy, other.Authorization},
		"another's policy":        {s.URL, other.Policy, other.Authorization},
		"of another application":  {s.URL, inBank.Policy, inBank.Authorization},
		"no signature":            {s.URL, s.Policy, ""},
		"no base64":               {s.URL, "???", s.Authorization},
		"no JSON":                 {s.URL, base64.StdEncoding.EncodeToString([]byte("x")), s.Authorization},
		"another environment":     {s.URL, edited("env", string(testEnv)), s.Authorization},
		"another client":          {s.URL, edited("client", string(bank.ClientID)), s.Authorization},
		"an unknown client":       {s.URL, edited("client", "cccccccccccccccccccc"), s.Authorization},
		"a later end":             {s.URL, edited("expires", 1<<40), s.Authorization},
		"another upload":          {s.URL, edited("upload", "0.1795000000.000000000000000000000000"), s.Authorization},
		"a path that is no id":    {"/upload/x/", s.Policy, s.Authorization},
		"a very long policy":      {s.URL, strings.Repeat("QUFB", 1000), s.Authorization},
		"a policy of a cleartext": {s.URL, `{"client":"x"}`, s.Authorization},
	} {
		status, got := p.post(t, tt.path, []field{{"policy", tt.policy}, {"authorization", tt.authorization}, {"file", "x"}})
		if status != 403 || got["code"] != 40100002.0 || got["message"] == "" {
			t.Errorf("%s: %d %v", name, status, got)
		}
	}

	for name, fields := range map[string][]field{
		"without policy": {{"file", "x"}, {"authorization", s.Authorization}}, "without signature": {{"file", "x"}, {"policy", s.Policy}},
	} {
		if status, got := p.post(t, s.URL, fields); status != 403 || got["code"] != 40100002.0 {
			t.Errorf("%s: %d %v", name, status, got)
		}
	}

	for _, path := range []string{"/upload/..%2F" + s.ID, "/upload/../upload/" + s.ID, "/upload//" + s.ID} {
		if status, got := p.post(t, path, s.fields("x")); status != 404 {
			t.Errorf("%s: %d %v", path, status, got)
		}
	}
	p.pass(30 * time.Minute)
	if status, got := p.post(t, s.URL, s.fields("x")); status != 403 || got["code"] != 40100002.0 {
		t.Errorf("expired: %d %v", status, got)
	}
	if keys := p.objects.Keys(); len(keys) != 0 {
		t.Errorf("stored: %v", keys)
	}
}

// TestRefusesForms: malformed, oversized, incomplete and ambiguous ones; every answer has CORS headers.
func TestRefusesForms(t *testing.T) {
	p := newPlatform(t)
	s := p.begin(t, `{"filename":"a.bin"}`, p.logIn(5, false)...)
	all := s.fields("x")
	huge := s.fields(strings.Repeat("x", file.MaxReceived+1))
	long := func(fields []field) ([]byte, string) { return encoded(fields) }
	body, contentType := encoded(all)
	boundary := strings.TrimPrefix(contentType, "multipart/form-data; boundary=")
	header := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"\r\n"
	for name, tt := range map[string]struct {
		body        []byte
		contentType string
		status      int
		message     string
	}{
		"cut":                 {body[:len(body)/2], contentType, 400, "malformed"},
		"no end":              {body[:len(body)-10], contentType, 400, "malformed"},
		"another boundary":    {body, "multipart/form-data; boundary=other", 400, "malformed"},
		"no boundary":         {body, "multipart/form-data", 415, "boundary"},
		"JSON":                {[]byte(`{}`), "application/json", 415, "multipart"},
		"nothing":             {nil, contentType, 400, "malformed"},
		"a huge header":       {[]byte(header + "X: " + strings.Repeat("x", 3<<20) + "\r\n\r\nx\r\n--" + boundary + "--\r\n"), contentType, 403, ""},
		"many headers":        {[]byte(header + strings.Repeat("X: y\r\n", 20_000) + "\r\nx\r\n--" + boundary + "--\r\n"), contentType, 400, ""},
		"a part without name": {[]byte("--" + boundary + "\r\n\r\nx\r\n--" + boundary + "--\r\n"), contentType, 400, "file is required"},
	} {
		status, got := p.send(t, "POST "+s.URL, string(tt.body), "Content-Type", tt.contentType)
		if message, _ := got["error_msg"].(string); status != tt.status || !strings.Contains(message, tt.message) {
			t.Errorf("%s: %d %v, want %d %s", name, status, got, tt.status, tt.message)
		}
	}
	for name, tt := range map[string]struct {
		fields  []field
		status  int
		message string
	}{
		"no file":         {all[1:], 400, "file is required"},
		"two files":       {append(slices.Clone(all), all[0]), 400, "file is given twice"},
		"two policies":    {append(slices.Clone(all), all[1]), 400, "policy is given twice"},
		"over 4 MB":       {huge, 413, "post_form"},
		"the other way":   {huge, 413, "resumable-upload"},
		"far over 4 MB":   {s.fields(strings.Repeat("x", file.MaxReceived+1<<20)), 413, "post_form"},
		"a long policy":   {[]field{all[0], {"policy", strings.Repeat("x", 10<<10)}, all[2]}, 400, "policy is longer"},
		"an unknown long": {append(slices.Clone(all), field{"x", strings.Repeat("x", 10<<10)}), 400, "longer"},
		"many fields":     {append(slices.Repeat([]field{{"x", "y"}}, 40), all...), 400, "more than 32 fields"},
	} {
		body, contentType := long(tt.fields)
		status, got := p.send(t, "POST "+s.URL, string(body), "Content-Type", contentType)
		if message, _ := got["error_msg"].(string); status != tt.status || !strings.Contains(message, tt.message) {
			t.Errorf("%s: %d %v, want %d %s", name, status, got, tt.status, tt.message)
		}
	}

	r := httptest.NewRequest("OPTIONS", s.URL, nil)
	r.Header.Set("Access-Control-Request-Headers", "authorization, x-service-multi-stage, x-date")
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	if w.Code != 204 || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "X-Service-Multi-Stage") {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
	// The policy is still unused.
	if status, got := p.post(t, s.URL, s.fields(strings.Repeat("x", file.MaxReceived))); status != 200 {
		t.Errorf("4 MB: %d %v", status, got)
	}
}

// TestTwoUploadsAtOnce: of many contents with one policy, one is stored, and its record is of it.
func TestTwoUploadsAtOnce(t *testing.T) {
	p := newPlatform(t)
	ada := p.logIn(5, false)
	s := p.begin(t, `{"filename":"a.txt"}`, ada...)
	var mu sync.Mutex
	var senders sync.WaitGroup
	succeeded := 0
	for n := range 8 {
		senders.Go(func() {
			status, got := p.post(t, s.URL, s.fields(strings.Repeat("x", n+1)))
			mu.Lock()
			defer mu.Unlock()
			if status == 200 {
				succeeded++
			} else if status != 403 || got["code"] != 40100002.0 {
				t.Errorf("%d %v", status, got)
			}
		})
	}
	senders.Wait()
	_, read := p.send(t, "GET /hserve/v2.2/uploaded-file/"+s.ID+"/", "", ada...)
	o, _ := p.objects.Object("7/production/" + s.CDNPath)
	if succeeded != 1 || read["size"] != float64(o.Size) {
		t.Errorf("%d succeeded, record %v, stored %+v", succeeded, read, o.Object)
	}
}

// TestFailedStoreReleasesPolicy: a content that could not be stored may be sent again at once.
func TestFailedStoreReleasesPolicy(t *testing.T) {
	p := newPlatform(t)
	s := p.begin(t, `{"filename":"a.txt"}`, p.logIn(5, false)...)
	p.objects.Before = func(string) bool { return false }
	if status, got := p.post(t, s.URL, s.fields("x")); status != 500 {
		t.Errorf("%d %v", status, got)
	}
	p.objects.Before = nil
	if status, got := p.post(t, s.URL, s.fields("x")); status != 200 {
		t.Errorf("again: %d %v", status, got)
	}
}

func TestNamedFiles(t *testing.T) {
	p := newPlatform(t)
	ada, ben := p.logIn(5, false), p.logIn(6, false)
	const named = `{"filename":"logo.png","random_file_link":false}`
	s := p.begin(t, named, ada...)
	if s.CDNPath != "logo.png" {
		t.Errorf("%+v", s)
	}
	// Another's name is refused from the start of an upload on: its content goes to the same key.
	for range 2 {
		if status, got := p.send(t, "POST /hserve/v2.1/upload/", named, ben...); status != 400 || !strings.Contains(fmt.Sprint(got), "another user") {
			t.Errorf("another's name: %d %v", status, got)
		}
		p.post(t, s.URL, s.fields("one"))
	}
	again := p.begin(t, named, ada...)
	if status, got := p.post(t, again.URL, again.fields("other")); status != 200 || again.ID != s.ID {
		t.Errorf("replaced: %d %v, id %s, before %s", status, got, again.ID, s.ID)
	}
	_, read := p.send(t, "GET /hserve/v2.2/uploaded-file/"+s.ID+"/", "", ada...)
	o, _ := p.objects.Object("7/production/logo.png")
	if read["size"] != 5.0 || string(o.Content) != "other" || strings.Contains(o.CacheControl, "immutable") {
		t.Errorf("replaced: %v, %+v", read, o.Object)
	}
	other := append([]string{"X-Service-Env-ID", string(testEnv)}, ben...)
	if in := p.begin(t, named, other...); in.ID == s.ID {
		t.Errorf("another environment: %+v", in)
	}

	for _, name := range []string{
		"", "a/b.png", `a\b.png`, "..", ".", "a.png.", "a.png ", "../a.png", ".htaccess", "${filename}", "x${filename}.png",
		strings.Repeat("0", 32) + ".png", strings.Repeat("a", 32), "a\x01", "index.html", strings.Repeat("ü", 128),
	} {
		body, _ := json.Marshal(map[string]any{"filename": name, "random_file_link": false})
		if status, got := p.send(t, "POST /hserve/v2.1/upload/", string(body), ada...); status != 400 {
			t.Errorf("%q: %d %v", name, status, got)
		}
	}
}

func TestParts(t *testing.T) {
	p := newPlatform(t)
	ada, ben := p.logIn(5, false), p.logIn(6, false)
	const mb = 1 << 20
	content := strings.Repeat("0123456789abcdef", 2*mb/16) + "end"
	start := func(size int) map[string]any {
		status, got := p.send(t, "POST /hserve/v2.7/resumable-upload/", fmt.Sprintf(`{"filename":"film.mp4","file_size":%d}`, size), ada...)
		if status != 200 || got["multi_part_id"] != 0.0 || got["date"] == "" {
			t.Fatalf("%d %v", status, got)
		}
		return got
	}
	put := func(s map[string]any, n int, part string, header ...string) (int, map[string]any) {
		return p.send(t, "PUT "+strings.TrimPrefix(s["upload_url"].(string), "https://example.com"), part, append([]string{
			"Authorization", s["authorization"].(string), "X-Date", s["date"].(string), "X-Service-Multi-Stage", "upload",
			"X-Service-Multi-UUID", s["multi_uuid"].(string), "X-Service-Part-ID", strconv.Itoa(n), "Content-Type", "any/thing",
		}, header...)...)
	}
	path := func(s map[string]any) string { return "/hserve/v2.7/resumable-upload/" + s["id"].(string) + "/" }
	end := func(s map[string]any, header []string) (int, map[string]any) {
		return p.send(t, "PUT "+path(s), fmt.Sprintf(`{"multi_uuid":%q}`, s["multi_uuid"]), header...)
	}

	s := start(len(content))
	for n, part := range []string{content[:mb], content[mb : 2*mb], content[2*mb:]} {
		if n == 1 {
			p.pass(30 * time.Minute)
			if status, got := put(s, n, part); status != 401 || got["code"] != 40100002.0 {
				t.Errorf("expired: %d %v", status, got)
			}
			if status, _ := p.send(t, "GET "+path(s), "", ben...); status != 404 {
				t.Errorf("another's: %d", status)
			}
			status, got := p.send(t, "GET "+path(s), "", ada...)
			if status != 200 || got["multi_uuid"] != s["multi_uuid"] || got["authorization"] == s["authorization"] {
				t.Errorf("renewed: %d %v", status, got)
			}
			s = got
		}
		if n == 2 {
			if status, got := end(s, ada); status != 400 || !strings.Contains(fmt.Sprint(got), "part 2 is missing") {
				t.Errorf("too early: %d %v", status, got)
			}
		}
		if status, got := put(s, n, part); status != 200 {
			t.Errorf("part %d: %d %v", n, status, got)
		}
	}
	for name, tt := range map[string]struct {
		status int
		header []string
		part   int
	}{
		"another upload":  {401, []string{"X-Service-Multi-UUID", "x"}, 0},
		"forged":          {401, []string{"Authorization", s["authorization"].(string) + "x"}, 0},
		"a session token": {401, ada[:2], 0},
		"another stage":   {400, []string{"X-Service-Multi-Stage", "complete"}, 0},
		"no number":       {400, []string{"X-Service-Part-ID", "x"}, 0},
		"beyond the end":  {400, nil, 3},
	} {
		if status, got := put(s, tt.part, "x", tt.header...); status != tt.status {
			t.Errorf("%s: %d %v", name, status, got)
		}
	}
	if status, _ := put(s, 0, ""); status != 400 {
		t.Errorf("an empty part: %d", status)
	}
	if status, _ := put(s, 0, strings.Repeat("x", file.MaxReceived+1)); status != 413 {
		t.Errorf("a huge part: %d", status)
	}
	if status, _ := end(s, ben); status != 404 {
		t.Errorf("another's: %d", status)
	}
	for range 2 { // a repeated end has no second effect
		if status, got := end(s, ada); status != 200 || got["upload_status"] != "success" {
			t.Errorf("%d %v", status, got)
		}
	}
	_, read := p.send(t, "GET /hserve/v2.2/uploaded-file/"+s["id"].(string)+"/", "", ada...)
	o, _ := p.objects.Object("7/production/" + s["cdn_path"].(string))
	if string(o.Content) != content || o.Type != "video/mp4" || read["size"] != float64(len(content)) || len(p.objects.Keys()) != 1 {
		t.Errorf("%v, %v %v", read, o.Object, p.objects.Keys())
	}

	// Parts that are more than the declared size together are no file.
	more := start(mb + 10)
	put(more, 0, content[:mb])
	put(more, 1, content[:11])
	if status, got := end(more, ada); status != 400 || !strings.Contains(fmt.Sprint(got), "more than") || len(p.objects.Files()) != 1 {
		t.Errorf("more than declared: %d %v %v", status, got, p.objects.Keys())
	}
	put(more, 1, content[:10])
	if status, got := end(more, ada); status != 200 {
		t.Errorf("corrected: %d %v", status, got)
	}

	late := start(mb)
	p.pass(24 * time.Hour)
	if status, _ := p.send(t, "GET "+path(late), "", ada...); status != 404 {
		t.Errorf("after a day: %d", status)
	}
	for _, body := range []string{`{"file_size":0}`, `{"file_size":104857601}`, `{}`, `{"file_size":5,"filename":"a.php"}`} {
		if status, _ := p.send(t, "POST /hserve/v2.7/resumable-upload/", body, ada...); status != 400 {
			t.Errorf("%s: %d", body, status)
		}
	}
}
