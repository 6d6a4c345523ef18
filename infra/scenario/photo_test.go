package scenario_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"minicloud/shared/httpapi"
)

// photoStory: a photo is uploaded, checked and shown to another user, downloaded, and deleted. Each event fires once.
func photoStory(t *testing.T, c stage) {
	told := make(chan string, 20)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		told <- strings.TrimPrefix(r.URL.Path, "/")
	}))
	t.Cleanup(receiver.Close)
	owner := c.owner(t)
	find(t, owner.ask(t, "PUT", "/oserve/v3/message-setting/chat/", `{"app_id":"wx1","app_secret":"owned"}`), "vendor")
	find(t, owner.ask(t, "PUT", "/oserve/v1.8/application-setting/", `{"image_check":true}`), "image_check")
	find(t, owner.ask(t, "POST", "/oserve/v1.8/table/",
		`{"name":"photos","schema":{"fields":[{"name":"title","type":"string"},{"name":"picture","type":"file"}]}}`), "id")
	for _, of := range []string{"upload success", "image_check success", "image_check fail", "delete success"} {
		operation, result, _ := strings.Cut(of, " ")
		find(t, owner.ask(t, "POST", "/oserve/v3/trigger/", fmt.Sprintf(
			`{"name":%q,"type":"file_operation","condition":{"operation":%q,"result":%q},
			"actions":[{"type":"webhook","settings":{"url":"%s/%s-%s"}}]}`, of, operation, result, receiver.URL, operation, result)), "id")
	}
	ada, ben := owner.loggedIn(t).as(httpapi.Client), owner.loggedIn(t).as(httpapi.Client)

	// Ada uploads a photo, which the vendor finds safe, and one that it finds risky. The check keeps both.
	photo, risky := uploadPhoto(t, ada, "holiday.png"), uploadPhoto(t, ada, "risky.png")
	counts := map[string]int{}
	for range 4 {
		counts[<-told]++
	}
	if counts["upload-success"] != 2 || counts["image_check-success"] != 1 || counts["image_check-fail"] != 1 {
		t.Errorf("events %v", counts)
	}
	checked := ben.ask(t, "GET", "/hserve/v2.2/async-censor/"+risky.ID+"/", "")
	if find(t, checked, "risky") != "true" {
		t.Errorf("%s", checked.body)
	}

	// Ben sees the photo in a row and among all files, and downloads it.
	value, err := json.Marshal(photo)
	if err != nil {
		t.Fatal(err)
	}
	row := find(t, ada.ask(t, "POST", "/hserve/v2.4/table/photos/record/", `{"title":"Sea","picture":`+string(value)+`}`), "id")
	var seen struct{ Picture photoFile }
	shown := ben.ask(t, "GET", "/hserve/v2.4/table/photos/record/"+row+"/", "")
	if err := json.Unmarshal([]byte(shown.body), &seen); err != nil || seen.Picture != photo {
		t.Errorf("%v %s, want %+v", err, shown.body, photo)
	}
	list := ben.ask(t, "GET", "/hserve/v2.2/uploaded-file/?order_by=name&return_total_count=1", "")
	if !strings.Contains(list.body, photo.ID) || !strings.Contains(list.body, risky.ID) || !strings.Contains(list.body, `"total_count":2`) {
		t.Errorf("%s", list.body)
	}
	downloadPhoto(t, photo.Path)

	// Only Ada deletes it; then it is gone, and the risky one is still there.
	if answer := ben.ask(t, "DELETE", "/hserve/v2.1/uploaded-file/"+photo.ID+"/", ""); answer.status != 401 {
		t.Errorf("another's: %d %s", answer.status, answer.body)
	}
	if answer := ada.ask(t, "DELETE", "/hserve/v2.1/uploaded-file/"+photo.ID+"/", ""); answer.status != 204 {
		t.Errorf("%d %s", answer.status, answer.body)
	}
	if event := <-told; event != "delete-success" {
		t.Errorf("event %s", event)
	}
	for path, want := range map[string]int{photo.Path: 404, risky.Path: 200} {
		answer, err := http.Get(path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, answer.StatusCode, want)
		}
	}
	select {
	case event := <-told:
		t.Errorf("%s fired twice", event)
	default:
	}

	// Images are checked before they are uploaded, too.
	for _, version := range []string{"v2.6", "v1.7"} {
		for name, want := range map[string]string{"holiday.png": "false", "risky.png": "true"} {
			answer := ada.sendForm(t, c.URL+"/hserve/"+version+"/censor-image/", name, nil)
			if find(t, answer, "risky") != want {
				t.Errorf("%s %s: %s", version, name, answer.body)
			}
		}
	}

	// A dashboard deletes the other photo and a category.
	category := find(t, owner.ask(t, "POST", "/userve/v2.2/file-category/", `{"name":"holidays"}`), "id")
	for _, path := range []string{"file/" + risky.ID, "file-category/" + category} {
		if answer := owner.ask(t, "DELETE", "/userve/v2.2/"+path+"/", ""); answer.status != 204 {
			t.Errorf("%s: %d %s", path, answer.status, answer.body)
		}
	}
}

// photoFile is the value of a file column.
type photoFile struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Path      string `json:"path"`
	CDNPath   string `json:"cdn_path"`
	MimeType  string `json:"mime_type"`
	Size      int    `json:"size"`
	CreatedAt int64  `json:"created_at"`
}

const photoContent = "a picture of the sea"

// uploadPhoto uploads a file in both steps and returns its record.
func uploadPhoto(t *testing.T, c caller, name string) (f photoFile) {
	t.Helper()
	var begun struct {
		ID, Policy, Authorization string
		URL                       string `json:"upload_url"`
	}
	answer := c.ask(t, "POST", "/hserve/v2.1/upload/", fmt.Sprintf(`{"filename":%q}`, name))
	if err := json.Unmarshal([]byte(answer.body), &begun); err != nil || answer.status != 200 {
		t.Fatalf("%d %s", answer.status, answer.body)
	}

	nobody := caller{c.base, http.Header{}}
	received := nobody.sendForm(t, begun.URL, name, map[string]string{"policy": begun.Policy, "authorization": begun.Authorization})
	if received.status != 200 {
		t.Fatalf("%d %s", received.status, received.body)
	}

	record := c.ask(t, "GET", "/hserve/v2.1/uploaded-file/"+begun.ID+"/", "")
	if err := json.Unmarshal([]byte(record.body), &f); err != nil || record.status != 200 {
		t.Fatalf("%d %s", record.status, record.body)
	}
	return f
}

// sendForm sends a form with a file of this name, and other fields after it.
func (c caller) sendForm(t *testing.T, url, file string, fields map[string]string) reply {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", file)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(part, photoContent)
	for name, value := range fields {
		form.WriteField(name, value)
	}
	form.Close()

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = c.header.Clone()
	r.Header.Set("Content-Type", form.FormDataContentType())
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := described(t).CheckAnswer(answer, body.Bytes(), text); err != nil {
		t.Errorf("POST %s: %v", url, err)
	}
	return reply{answer.StatusCode, answer.Header, string(text)}
}

// downloadPhoto downloads a file as a page does: with its headers, a part of it, and not again if it has not changed.
func downloadPhoto(t *testing.T, path string) {
	t.Helper()
	get := func(name, value string, status int) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "https://shop.example.com")
		if name != "" {
			r.Header.Set(name, value)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		content, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != status {
			t.Errorf("%s %s: %d, %v", name, value, answer.StatusCode, err)
		}
		return answer, string(content)
	}

	whole, content := get("", "", 200)
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*",
		"Cache-Control": "public, max-age=31536000, immutable", "Content-Disposition": "",
	} {
		if got := whole.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if content != photoContent {
		t.Errorf("content %q", content)
	}
	if _, part := get("Range", "bytes=2-8", 206); part != photoContent[2:9] {
		t.Errorf("a part: %q", part)
	}
	get("If-None-Match", whole.Header.Get("ETag"), 304)
}
