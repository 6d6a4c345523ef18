package api_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http/httptest"
	"strings"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/message/censor"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
)

// vendor is a fake that finds risky what says so.
type vendor struct {
	down  bool
	asked []string
}

func (v *vendor) Text(_ context.Context, scope tenant.Scope, at messaging.Vendor, t censor.Text) (bool, error) {
	v.asked = append(v.asked, fmt.Sprint(scope, " ", at, " ", t.OpenID, " ", t.Content))
	switch {
	case v.down:
		return false, errs.Unavailable(5, "chat cannot check now")
	case t.Content == "":
		return false, errs.Invalid("content is required")
	}
	return strings.Contains(t.Content, "risky"), nil
}

func (v *vendor) AnyImage(ctx context.Context, scope tenant.Scope, i censor.Image) (bool, error) {
	if string(i.Content) == "damaged" {
		return false, errs.Invalid("the image cannot be read: it is damaged")
	}
	return v.Text(ctx, scope, "any", censor.Text{Content: i.Name + " " + string(i.Content)})
}

// tasks is a fake queue.
type tasks struct {
	submitted []imagecheck.Task
	fails     bool
}

func (q *tasks) Submit(_ context.Context, _ tenant.Scope, t imagecheck.Task) error {
	if q.fails {
		return errs.Unavailable(1, "no queue")
	}
	q.submitted = append(q.submitted, t)
	return nil
}

func TestChecksTexts(t *testing.T) {
	p := newPlatform(t)
	guest := p.logIn(6, true)
	ada := p.logIn(5, false)
	_, token, _ := strings.Cut(ada[1], " ")
	identity := p.sessions[token]
	identity.OpenID = "o-ada"
	p.sessions[token] = identity

	for path, want := range map[string]string{
		"/hserve/v1.7/censor-msg/": "7.production chat o-ada a risky text", "/hserve/v2.4/alt/censor-msg/": "7.production alt  a risky text",
		"/hserve/v2.2/tpay/censor-msg/": "7.production tpay  a risky text",
	} {
		p.vendor.asked = nil
		status, got := p.send(t, "POST "+path, `{"content":"a risky text"}`, ada...)
		if status != 200 || len(got) != 1 || got["risky"] != true || p.vendor.asked[0] != want {
			t.Errorf("%s: %d %v, asked %q", path, status, got, p.vendor.asked)
		}
		if status, got := p.send(t, "POST "+path, `{"content":"a text"}`, guest...); status != 200 || got["risky"] != false {
			t.Errorf("%s: %d %v", path, status, got)
		}
		for body, want := range map[string]int{`{}`: 400, `{"content":5}`: 400, ``: 400} {
			if status := p.status(t, "POST "+path, body, guest...); status != want {
				t.Errorf("%s %s: %d", path, body, status)
			}
		}
		if status := p.status(t, "POST "+path, `{"content":"x"}`, "X-Service-Client-ID", string(shop.ClientID)); status != 401 {
			t.Errorf("%s without a session: %d", path, status)
		}
	}
	p.vendor.down = true
	if status := p.status(t, "POST /hserve/v1.7/censor-msg/", `{"content":"x"}`, guest...); status != 503 {
		t.Errorf("without the vendor: %d", status)
	}
}

func TestChecksImagesOfForms(t *testing.T) {
	p := newPlatform(t)
	guest := p.logIn(6, true)
	send := func(path, field, name string, content []byte, header ...string) (int, string) {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, _ := form.CreateFormFile(field, name)
		part.Write(content)
		form.Close()
		r := httptest.NewRequest("POST", path, &body)
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		if r.Header.Get("Content-Type") == "" {
			r.Header.Set("Content-Type", form.FormDataContentType())
		}
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		return w.Code, strings.Join(strings.Fields(w.Body.String()), "")
	}
	for _, path := range []string{"/hserve/v2.6/censor-image/", "/hserve/v1.7/censor-image/"} {
		for name, want := range map[string]string{"cat.png": `{"risky":false}`, "risky.png": `{"risky":true}`} {
			if status, got := send(path, "file", name, []byte("image"), guest...); status != 200 || got != want {
				t.Errorf("%s of %s: %d %s", path, name, status, got)
			}
		}
		if status, _ := send(path, "picture", "a.png", []byte("image"), guest...); status != 400 {
			t.Errorf("without the field: %d", status)
		}
		if status, _ := send(path, "file", "a.png", []byte("damaged"), guest...); status != 400 {
			t.Errorf("damaged: %d", status)
		}
		if status, _ := send(path, "file", "a.png", make([]byte, file.MaxReceived+1), guest...); status != 413 {
			t.Errorf("too large: %d", status)
		}
		if status, _ := send(path, "file", "a.png", nil, append(guest, "Content-Type", "application/json")...); status != 415 {
			t.Errorf("no form: %d", status)
		}
	}
}

// TestChecksUploadedImages: in the background, once for each content.
func TestChecksUploadedImages(t *testing.T) {
	p := newPlatform(t)
	guest := p.logIn(6, true)
	id := p.uploaded(t, inShop, 5, "risky.png", "", 5)
	p.objects.Set("7/production/r-risky.png", []byte("image"), file.Meta{})
	const path = "/hserve/v2.2/async-censor/"
	if status := p.status(t, "GET "+path+id+"/", "", guest...); status != 404 {
		t.Errorf("before it was asked for: %d", status)
	}

	// A crash before the task is submitted: the same request submits it.
	p.tasks.fails = true
	if status := p.status(t, "POST "+path, `{"file_id":"`+id+`"}`, guest...); status != 503 {
		t.Errorf("without a queue: %d", status)
	}
	p.tasks.fails = false
	status, got := p.send(t, "POST "+path, `{"file_id":"`+id+`"}`, guest...)
	if risky, there := got["risky"]; status != 201 || got["id"] != id || risky != nil || !there || got["status_code"] != 0.0 {
		t.Errorf("%d %v", status, got)
	}
	if len(p.tasks.submitted) != 1 || p.tasks.submitted[0].Record != nil {
		t.Fatalf("submitted %+v", p.tasks.submitted)
	}

	task := p.tasks.submitted[0]
	p.vendor.down = true
	if _, err := p.checks.Run(t.Context(), inShop, task); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("without the vendor: %v", err)
	}
	p.vendor.down = false
	for range 2 { // delivered twice
		if c, err := p.checks.Run(t.Context(), inShop, task); err != nil || c.State != imagecheck.Risky {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if len(p.vendor.asked) != 2 { // once in vain
		t.Errorf("asked %q", p.vendor.asked)
	}
	for _, request := range []string{"GET " + path + id + "/", "POST " + path} {
		_, got = p.send(t, request, `{"file_id":"`+id+`"}`, guest...)
		if got["risky"] != true || got["error_message"] != "" {
			t.Errorf("%s: %v", request, got)
		}
	}
	if len(p.tasks.submitted) != 1 {
		t.Errorf("a finished check is made again: %+v", p.tasks.submitted)
	}

	for body, want := range map[string]int{
		`{}`: 400, `{"file_id":""}`: 400, `{"file_id":"x"}`: 404, `{"file_id":"` + strings.Repeat("0", 24) + `"}`: 404,
	} {
		if status := p.status(t, "POST "+path, body, guest...); status != want {
			t.Errorf("%s: %d, want %d", body, status, want)
		}
	}
	other := append([]string{"X-Service-Env-ID", string(testEnv)}, guest...)
	if status := p.status(t, "GET "+path+id+"/", "", other...); status != 404 {
		t.Errorf("another environment: %d", status)
	}
}

// TestImageThatCannotBeChecked: the check says so, and the file stays.
func TestImageThatCannotBeChecked(t *testing.T) {
	p := newPlatform(t)
	guest := p.logIn(6, true)
	id := p.uploaded(t, inShop, 5, "a.png", "", 7)
	p.objects.Set("7/production/r-a.png", []byte("damaged"), file.Meta{})
	p.status(t, "POST /hserve/v2.2/async-censor/", `{"file_id":"`+id+`"}`, guest...)
	if c, err := p.checks.Run(t.Context(), inShop, p.tasks.submitted[0]); err != nil || c.State != imagecheck.Failed || c.Passed() {
		t.Errorf("%+v, %v", c, err)
	}
	_, got := p.send(t, "GET /hserve/v2.2/async-censor/"+id+"/", "", guest...)
	if got["risky"] != nil || got["status_code"] != -1.0 || got["error_code"] != 400.0 || !strings.Contains(fmt.Sprint(got["error_message"]), "damaged") {
		t.Errorf("%v", got)
	}
	if status := p.status(t, "GET /hserve/v2.2/uploaded-file/"+id+"/", "", guest...); status != 200 {
		t.Errorf("the file: %d", status)
	}

	// Deleted or replaced meanwhile: there is nothing to check.
	stale := p.tasks.submitted[0]
	stale.ETag = "another"
	for _, task := range []imagecheck.Task{stale, {File: "000000000000000000000000"}} {
		if _, err := p.checks.Run(t.Context(), inShop, task); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%+v: %v", task, err)
		}
	}
}
