package client

import (
	"bytes"
	"maps"
	"mime/multipart"
	"slices"
)

// Form is a multipart form with a file behind its fields, and its content type.
func Form(fields map[string]string, content string) (contentType string, body []byte) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		_ = w.WriteField(name, fields[name]) // a buffer takes all
	}
	part, _ := w.CreateFormFile("file", "x")
	_, _ = part.Write([]byte(content))
	_ = w.Close()
	return w.FormDataContentType(), out.Bytes()
}
