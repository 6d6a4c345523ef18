package api

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/file/picture"
	"minicloud/shared/httpapi"
)

// policyCode is the code of a refused policy (C31).
const policyCode = 40100002

// Denied is the answer to an upload whose policy is invalid, expired or used.
type Denied struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Received is the answer of the receiver.
type Received struct {
	Code     int    `json:"code"`
	Message  string `json:"message"`
	URL      string `json:"url"`       // The cdn_path.
	Time     int64  `json:"time"`      // Unix seconds.
	Size     int64  `json:"file_size"` // Bytes.
	MimeType string `json:"mimetype"`
	// Format and the rest describe a picture; they are absent for any other file.
	Format string `json:"image-type,omitempty"`
	Width  int    `json:"image-width,omitempty"`
	Height int    `json:"image-height,omitempty"`
	Frames int    `json:"image-frames,omitempty"`
}

// receive serves POST /upload/:id/ (step 2). Its headers are ignored, but for the Content-Type of the form.
func (g *Group) receive(w http.ResponseWriter, r *http.Request) error {
	form, err := readForm(r)
	if err != nil {
		return err
	}
	f, err := g.Files.Receive(r.Context(), file.Received{
		File: r.PathValue("id"), Policy: form.policy, Authorization: form.authorization, Content: form.file,
	})
	if errs.Is(err, errs.KindForbidden) {
		httpapi.Write(w, http.StatusForbidden, Denied{policyCode, errs.Message(err)})
		return nil
	}
	if err != nil {
		return err
	}

	answer := Received{
		Code: http.StatusOK, Message: "ok", URL: f.CDNPath, Time: g.Files.Clock.Now().Unix(), Size: f.Size, MimeType: f.MimeType,
	}
	if f.MediaType == file.Image {
		if p, ok := picture.Read(form.file); ok {
			answer.Format, answer.Width, answer.Height, answer.Frames = p.Format, p.Width, p.Height, p.Frames
		}
	}
	httpapi.Write(w, http.StatusOK, answer)
	return nil
}

// form has the fields of step 2.
type form struct {
	policy, authorization string
	file                  []byte
}

const (
	// maxField is the maximum size in bytes of a field that is no file, and maxFields their number.
	maxField  = 8 << 10
	maxFields = 32
	// maxAround is the size in bytes of what a form may have besides the file.
	maxAround = 64 << 10
)

// errTooLarge names the two other ways (C30).
func errTooLarge() error {
	return errs.TooLarge("the file is over %d MB: send it with post_form of the upload's start to the store of files, "+
		"or in parts with /hserve/v2.7/resumable-upload/", file.MaxReceived>>20)
}

// readForm reads the fields in any order. It returns errs.TooLarge for a file over file.MaxReceived, and errs.Invalid, which
// names the field, for a form that is malformed, lacks the file or has a field twice.
func readForm(r *http.Request) (f form, err error) {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || parameters["boundary"] == "" {
		return f, errs.MediaType("the request body must be multipart/form-data with a boundary")
	}
	body := http.MaxBytesReader(nil, r.Body, file.MaxReceived+maxAround)
	parts := multipart.NewReader(body, parameters["boundary"])
	seen := map[string]bool{}
	for n := 0; ; n++ {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return f, formError(err)
		}
		if n == maxFields {
			return f, errs.Invalid("the form has more than %d fields", maxFields)
		}
		name := part.FormName()
		known := name == "file" || name == "policy" || name == "authorization"
		if known && seen[name] {
			return f, errs.Invalid("%s is given twice", name)
		}
		seen[name] = true
		if name == "file" {
			f.file, err = readFile(part, r.ContentLength)
		} else {
			err = f.read(name, part)
		}
		if err != nil {
			return f, err
		}
	}
	// A form without policy or authorization is refused as one with an invalid policy (C31).
	if !seen["file"] {
		return f, errs.Invalid("file is required")
	}
	return f, nil
}

// read reads a field that is no file; unknown ones are ignored.
func (f *form) read(name string, part io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(part, maxField+1))
	switch {
	case err != nil:
		return formError(err)
	case len(text) > maxField:
		return errs.Invalid("%s is longer than %d bytes", clip.Text(name, clip.Name), maxField)
	case name == "policy":
		f.policy = string(text)
	case name == "authorization":
		f.authorization = string(text)
	}
	return nil
}

// readFile reads the file of a body of size bytes, -1 if that is not known.
func readFile(part io.Reader, size int64) ([]byte, error) {
	var content bytes.Buffer
	content.Grow(int(min(max(size, 0), file.MaxReceived)) + bytes.MinRead)
	_, err := content.ReadFrom(io.LimitReader(part, file.MaxReceived+1))
	if err != nil {
		return nil, formError(err)
	}
	if content.Len() > file.MaxReceived {
		return nil, errTooLarge()
	}
	return content.Bytes(), nil
}

func formError(err error) error {
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return errTooLarge()
	}
	return errs.Invalid("the form is malformed: %s", clip.Text(err.Error(), clip.Name))
}

// The headers of parts.
const (
	headerMultiID  = "X-Service-Multi-UUID"
	headerPart     = "X-Service-Part-ID"
	headerNextPart = "X-Service-Next-Part-ID"
	headerStage    = "X-Service-Multi-Stage"
)

// receivePart serves PUT /upload/:id/: a part of a file as the whole body, whatever its Content-Type.
func (g *Group) receivePart(w http.ResponseWriter, r *http.Request) error {
	if stage := r.Header.Get(headerStage); stage != "upload" {
		return errs.Invalid("%s must be upload, not %q", headerStage, clip.Text(stage, clip.Name))
	}
	number, err := strconv.Atoi(r.Header.Get(headerPart))
	if err != nil || number < 0 {
		return errs.Invalid("%s must be the number of the part, from 0", headerPart)
	}
	content, err := io.ReadAll(io.LimitReader(r.Body, file.MaxReceived+1))
	if err != nil {
		return errs.Invalid("the request body could not be read")
	}
	if len(content) > file.MaxReceived {
		return errs.TooLarge("a part is over %d MB: parts have 1 MB", file.MaxReceived>>20)
	}
	multi := r.Header.Get(headerMultiID)
	err = g.Files.ReceivePart(r.Context(), file.Part{
		File: r.PathValue("id"), Authorization: strings.TrimSpace(r.Header.Get("Authorization")), MultiID: multi, Number: number, Content: content,
	})
	if errs.Is(err, errs.KindUnauthenticated) {
		httpapi.Write(w, http.StatusUnauthorized, Denied{policyCode, errs.Message(err)})
		return nil
	}
	if err != nil {
		return err
	}
	w.Header().Set(headerMultiID, multi)
	w.Header().Set(headerNextPart, strconv.Itoa(number+1))
	httpapi.Write(w, http.StatusOK, httpapi.Done)
	return nil
}
