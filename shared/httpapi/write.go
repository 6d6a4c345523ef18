package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// Write answers with status and body as JSON. HTML characters stay as they
// are: the answer is JSON, not a page.
func Write(w http.ResponseWriter, status int, body any) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		// A view that cannot be encoded is a programming error; recover answers it.
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
}

// NoContent answers 204 with an empty body.
func NoContent(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }
